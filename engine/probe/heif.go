package probe

import "encoding/binary"

const (
	// maxDepth: a grid, its tile, the tile's alpha plane.
	maxDepth = 3
	// maxWork is far beyond any limit and far from overflow.
	maxWork = 1 << 48
	// sharedBytes is how many bytes items may store beyond the file's own size before they count as a bomb. Encoders
	// share identical tiles, so some overlap is honest.
	sharedBytes = 16 << 20
	// cropSlack is how far a coded frame may exceed its stated size: codecs round up to whole blocks.
	cropSlack = 64
)

// sequenceBrands mark files whose first purpose is an image sequence.
var sequenceBrands = map[string]bool{"avis": true, "hevc": true, "hevx": true, "hevm": true, "hevs": true, "msf1": true}

// heifHeader reads the primary item of an AVIF, HEIC or other HEIF file. It looks into the coded pictures as well,
// since decoders believe the codec's own size, not the container's. Junk after the meta box is passed over: whether an
// item's bytes are all there is checked item by item.
func heifHeader(data []byte) (Info, error) {
	major, _ := brands(data)
	animated := sequenceBrands[major]
	var meta *box
	for b, err := range boxes(data) {
		if err != nil && meta == nil {
			return Info{}, err
		}
		switch b.kind {
		case "moov":
			animated = true
		case "meta":
			if meta != nil {
				return Info{}, malformed("two meta boxes")
			}
			meta = &b
		}
	}
	if animated {
		return Info{Animated: true, Pages: 2}, nil
	}
	if meta == nil {
		return Info{}, malformed("no meta box")
	}
	f := newHEIFFile(data)
	if err := f.parseMeta(*meta); err != nil {
		return Info{}, err
	}
	return f.info()
}

func (f *heifFile) info() (Info, error) {
	if err := f.checkStored(); err != nil {
		return Info{}, err
	}
	width, height, err := f.size(f.items[f.primary])
	if err != nil {
		return Info{}, err
	}
	work, err := f.work(f.primary, 0)
	if err != nil {
		return Info{}, err
	}
	return Info{Width: width, Height: height, Work: work, Pages: f.pages()}, nil
}

// pages counts the pictures that a viewer would offer.
func (f *heifFile) pages() int {
	n := 0
	for _, item := range f.items {
		switch item.kind {
		case "hvc1", "av01", "grid", "iovl", "iden":
			if !item.hidden && !item.part {
				n++
			}
		}
	}
	return max(n, 1)
}

// checkStored refuses items that lie outside the file, and items that store far more than the file holds: libheif reads
// every item, whether it is used or not.
func (f *heifFile) checkStored() error {
	var sum uint64
	for _, item := range f.items {
		if item.encoding == "deflate" {
			return unsupported("deflated items")
		}
		within := uint64(len(f.data))
		if item.inIDAT {
			within = uint64(len(f.idat))
		}
		for _, e := range item.extents {
			if e.offset > within || e.length > within-e.offset {
				return malformed("item data outside the file")
			}
			sum += e.length
		}
		for _, p := range f.find(item, "hvcC", "av1C") {
			sum += uint64(len(p.body))
		}
		if sum > 2*uint64(len(f.data))+sharedBytes {
			return excessive("items store more than %d bytes in a file of %d", sum, len(f.data))
		}
	}
	return nil
}

// find gives the properties of item of the given kinds.
func (f *heifFile) find(item *heifItem, kinds ...string) []box {
	var found []box
	for _, index := range item.properties {
		if index < 1 || index > len(f.properties) {
			continue
		}
		for _, kind := range kinds {
			if p := f.properties[index-1]; p.kind == kind {
				found = append(found, p)
			}
		}
	}
	return found
}

// size is the stated size of an item. Two statements would leave readers free to disagree.
func (f *heifFile) size(item *heifItem) (width, height int, err error) {
	if item == nil {
		return 0, 0, malformed("a picture that the file does not hold")
	}
	extents := f.find(item, "ispe")
	if len(extents) != 1 {
		return 0, 0, malformed("item with %d sizes", len(extents))
	}
	_, _, c := extents[0].full()
	w, h := c.be32(), c.be32()
	const largest = 1 << 20
	if c.failed || w < 1 || h < 1 || w > largest || h > largest {
		return 0, 0, malformed("item of %d x %d", w, h)
	}
	return int(w), int(h), nil
}

// work counts the pixels to decode for an item: its own or its tiles', and those of its alpha plane.
func (f *heifFile) work(id uint32, depth int) (int64, error) {
	if total, known := f.worked[id]; known {
		return total, nil
	}
	if depth == maxDepth {
		return 0, excessive("pictures made of pictures, %d deep", depth)
	}
	item := f.items[id]
	width, height, err := f.size(item)
	if err != nil {
		return 0, err
	}
	var total int64
	switch item.kind {
	case "grid":
		total, err = f.gridWork(item, width, height, depth)
	case "av01", "hvc1":
		total, err = f.codedWork(item, width, height)
	default:
		err = unsupported("picture items of type %q", item.kind)
	}
	if err != nil {
		return 0, err
	}
	for _, aux := range item.auxiliaries {
		if f.isAlpha(aux) {
			if err := f.add(&total, aux, depth); err != nil {
				return 0, err
			}
		}
	}
	f.worked[id] = total
	return total, nil
}

// add adds the work of a part to total.
func (f *heifFile) add(total *int64, part uint32, depth int) error {
	one, err := f.work(part, depth+1)
	if err != nil {
		return err
	}
	if *total += one; *total > maxWork {
		return excessive("more than %d pixels to decode", int64(maxWork))
	}
	return nil
}

func (f *heifFile) isAlpha(id uint32) bool {
	item := f.items[id]
	if item == nil {
		return false
	}
	for _, p := range f.find(item, "auxC") {
		_, _, c := p.full()
		switch c.text() {
		case "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:avc:2015:auxid:1":
			return true
		}
	}
	return false
}

// gridWork checks a grid against its tiles (ISO/IEC 23008-12, 6.6.2.3).
func (f *heifFile) gridWork(item *heifItem, width, height, depth int) (int64, error) {
	body, err := f.body(item)
	if err != nil {
		return 0, err
	}
	if len(body) < 8 {
		return 0, malformed("short grid")
	}
	tiles := (int(body[2]) + 1) * (int(body[3]) + 1)
	w, h := int(binary.BigEndian.Uint16(body[4:])), int(binary.BigEndian.Uint16(body[6:]))
	if wide := body[1]&1 != 0; wide {
		if len(body) < 12 {
			return 0, malformed("short grid")
		}
		w, h = int(binary.BigEndian.Uint32(body[4:])), int(binary.BigEndian.Uint32(body[8:]))
	}
	if w != width || h != height || tiles != len(item.tiles) {
		return 0, malformed("grid of %d x %d with %d tiles in an item of %d x %d", w, h, len(item.tiles), width, height)
	}
	var total int64
	for _, id := range item.tiles {
		if f.item(id).kind == "grid" {
			return 0, unsupported("grid of grids")
		}
		if err := f.add(&total, id, depth); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// codedWork looks into a coded picture for the size that its codec states.
func (f *heifFile) codedWork(item *heifItem, width, height int) (int64, error) {
	coded, err := f.coded(item)
	switch {
	case err != nil:
		return 0, err
	case coded.frames == 0 || coded.width == 0:
		return 0, malformed("no picture in the coded data")
	case coded.width > width+cropSlack || coded.height > height+cropSlack:
		return 0, malformed("coded picture of %d x %d in an item of %d x %d", coded.width, coded.height, width, height)
	}
	return int64(width) * int64(height), nil
}

// coded reads the item's data and its configuration properties, both of which reach the decoder.
func (f *heifFile) coded(item *heifItem) (codedSize, error) {
	var size codedSize
	body, err := f.body(item)
	if err != nil {
		return size, err
	}
	scan, config, scanConfig := scanHEVC, "hvcC", scanHVCC
	if item.kind == "av01" {
		scan, config, scanConfig = scanAV1, "av1C", scanAV1C
	}
	if err := scan(body, &size); err != nil {
		return size, err
	}
	for _, p := range f.find(item, config) {
		if err := scanConfig(p.body, &size); err != nil {
			return size, err
		}
	}
	return size, nil
}

// body gives an item's bytes. Pictures in several pieces are not written by any known encoder.
func (f *heifFile) body(item *heifItem) ([]byte, error) {
	if len(item.extents) != 1 {
		return nil, unsupported("a picture stored in %d pieces", len(item.extents))
	}
	from := f.data
	if item.inIDAT {
		from = f.idat
	}
	e := item.extents[0]
	return from[e.offset : e.offset+e.length], nil
}
