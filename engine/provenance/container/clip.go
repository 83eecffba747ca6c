package container

// Types of uuid boxes, 16 bytes each.
const (
	// C2PABox holds what the C2PA specification puts into ISO base media files.
	C2PABox = uuidC2PA
	// XMPBox holds an XMP packet.
	XMPBox = uuidXMP
)

// ManifestHead is how many bytes of a box [IsManifestStore] needs to see.
const ManifestHead = 64

// IsManifestStore says that the box, or its beginning, is a C2PA manifest store.
func IsManifestStore(box []byte) bool { return isManifestStore(box) }
