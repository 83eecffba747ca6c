package sample

import (
	"encoding/binary"
	"slices"
)

// Tags of TIFF and EXIF.
const (
	TagDocumentName     = 0x010D
	TagImageDescription = 0x010E
	TagMake             = 0x010F
	TagModel            = 0x0110
	TagSoftware         = 0x0131
	TagArtist           = 0x013B
	TagUserComment      = 0x9286
	TagXMP              = 700
	TagIPTC             = 33723
	TagPhotoshop        = 34377
	TagC2PA             = 0xCD41

	tagExifIFD      = 0x8769
	tagExposureTime = 0x829A
	tagFNumber      = 0x829D
)

// Types of values.
const (
	ASCII     = 2
	Long      = 4
	Rational  = 5
	Undefined = 7
)

// Entry is one value of a directory.
type Entry struct {
	Tag, Type uint16
	// Count is the number of values; 0 stands for the number that Data holds.
	Count uint32
	Data  []byte
}

// Texts are ASCII entries by tag.
func Texts(values map[uint16]string) []Entry {
	var entries []Entry
	for tag, value := range values {
		entries = append(entries, Entry{Tag: tag, Type: ASCII, Data: []byte(value + "\x00")})
	}
	return entries
}

// Comment is a UserComment as it stands in the file.
func Comment(value []byte) Entry {
	return Entry{Tag: TagUserComment, Type: Undefined, Data: value}
}

// Shot is what a camera writes of an exposure.
func Shot() []Entry {
	return []Entry{
		{Tag: tagExposureTime, Type: Rational, Data: []byte{0, 0, 0, 1, 0, 0, 0, 100}},
		{Tag: tagFNumber, Type: Rational, Data: []byte{0, 0, 0, 8, 0, 0, 0, 1}},
	}
}

// ByteOrder both reads and appends.
type ByteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// TIFF has a main directory and, when detail holds entries, an EXIF directory.
func TIFF(order ByteOrder, main, detail []Entry) []byte {
	header := []byte("MM\x00*")
	if order.Uint16([]byte{1, 0}) == 1 {
		header = []byte("II*\x00")
	}
	header = order.AppendUint32(header, 8)
	if len(detail) == 0 {
		return Join(header, directory(order, 8, main))
	}
	pointer := Entry{Tag: tagExifIFD, Type: Long, Data: make([]byte, 4)}
	main = append(slices.Clone(main), pointer)
	at := uint32(8 + len(directory(order, 8, main))) //nolint:gosec // Lengths of samples.
	order.PutUint32(pointer.Data, at)
	return Join(header, directory(order, 8, main), directory(order, at, detail))
}

// directory is a directory at offset with its values behind it.
func directory(order ByteOrder, offset uint32, entries []Entry) []byte {
	sizes := map[uint16]int{Long: 4, Rational: 8}
	list := size16(order, len(entries))
	var values []byte
	start := int(offset) + 2 + 12*len(entries) + 4
	for _, e := range entries {
		count := e.Count
		if count == 0 {
			count = uint32(len(e.Data) / max(sizes[e.Type], 1)) //nolint:gosec // Lengths of samples.
		}
		list = order.AppendUint16(list, e.Tag)
		list = order.AppendUint16(list, e.Type)
		list = order.AppendUint32(list, count)
		if len(e.Data) <= 4 {
			list = append(list, append(slices.Clone(e.Data), 0, 0, 0, 0)[:4]...)
			continue
		}
		list = append(list, size32(order, start+len(values))...)
		values = append(values, e.Data...)
	}
	return Join(list, []byte{0, 0, 0, 0}, values)
}
