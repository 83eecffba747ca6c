package probe

// Bounds of a file's item tables, so that parsing costs no more memory than the file itself. 25 megapixels in tiles of
// 256 x 256 with alpha are about 800 items; real items have one extent and fewer than ten properties.
const (
	maxItems      = 2048
	maxExtents    = 32
	maxProperties = 256
	maxReferences = 1 << 16
)

// heifFile is what the meta box of a HEIF file says (ISO/IEC 23008-12 and 14496-12, 8.11).
type heifFile struct {
	data       []byte
	idat       []byte
	primary    uint32
	items      map[uint32]*heifItem
	properties []box
	references int
	worked     map[uint32]int64
}

type heifItem struct {
	kind       string
	hidden     bool
	encoding   string
	inIDAT     bool
	extents    []extent
	properties []int
	// tiles are the items that this one is put together from, in order.
	tiles []uint32
	// auxiliaries are the items that add to this one: alpha, depth, gain maps.
	auxiliaries []uint32
	// part marks a tile, thumbnail or auxiliary picture of another item.
	part bool
}

type extent struct{ offset, length uint64 }

func newHEIFFile(data []byte) *heifFile {
	return &heifFile{data: data, items: map[uint32]*heifItem{}, worked: map[uint32]int64{}}
}

func (f *heifFile) item(id uint32) *heifItem {
	if f.items[id] == nil {
		f.items[id] = &heifItem{}
	}
	return f.items[id]
}

// bounded is the error of a file whose tables outgrew their bounds, if they did.
func (f *heifFile) bounded() error {
	switch {
	case len(f.items) > maxItems:
		return excessive("more than %d items", maxItems)
	case f.references > maxReferences:
		return excessive("more than %d references", maxReferences)
	case len(f.properties) > maxBoxes:
		return excessive("more than %d properties", maxBoxes)
	}
	return nil
}

// parseMeta reads the children of a meta box. Each kind may occur once.
func (f *heifFile) parseMeta(meta box) error {
	_, _, rest := meta.full()
	readers := map[string]func(box) error{
		"pitm": f.parsePrimary, "iinf": f.parseInfos, "iloc": f.parseLocations, "iref": f.parseReferences,
		"iprp": f.parseProperties,
		"idat": func(b box) error { f.idat = b.body; return nil },
	}
	for b, err := range boxes(rest.data[rest.at:]) {
		if err != nil {
			return err
		}
		read, known := readers[b.kind]
		if !known {
			continue
		}
		if read == nil {
			return malformed("two %q boxes", b.kind)
		}
		readers[b.kind] = nil
		if err := read(b); err != nil {
			return err
		}
	}
	return f.bounded()
}

func (f *heifFile) parsePrimary(b box) error {
	version, _, c := b.full()
	f.primary = c.id(version > 0)
	return c.check("pitm")
}

// id reads an item id, which newer box versions store in four bytes.
func (c *cursor) id(wide bool) uint32 {
	if wide {
		return c.be32()
	}
	return uint32(c.be16())
}

func (c *cursor) check(kind string) error {
	if c.failed {
		return malformed("the %q box ends early", kind)
	}
	return nil
}

func (f *heifFile) parseInfos(b box) error {
	version, _, c := b.full()
	c.id(version > 0)
	if err := c.check("iinf"); err != nil {
		return err
	}
	for entry, err := range boxes(c.data[c.at:]) {
		if err != nil {
			return err
		}
		if entry.kind == "infe" {
			if err := f.parseInfo(entry); err != nil {
				return err
			}
		}
	}
	return f.bounded()
}

func (f *heifFile) parseInfo(b box) error {
	version, flags, c := b.full()
	if version < 2 {
		return unsupported("item info of version %d", version)
	}
	item := f.item(c.id(version > 2))
	if item.kind != "" {
		return malformed("an item described twice")
	}
	c.skip(2)
	item.kind, item.hidden = string(c.take(4)), flags&1 != 0
	if item.kind == "mime" && !c.failed {
		rest := cursor{data: c.data, at: c.at}
		rest.text()
		rest.text()
		item.encoding = rest.text()
	}
	return c.check("infe")
}

// parseLocations reads where each item's bytes are (ISO/IEC 14496-12, 8.11.3).
func (f *heifFile) parseLocations(b box) error {
	version, _, c := b.full()
	sizes := c.be16()
	l := locations{cursor: c, sizes: sizes, version: version}
	count := l.id(version > 1)
	for range count {
		item := f.item(l.id(version > 1))
		if err := l.locate(item); err != nil {
			return err
		}
		if err := f.bounded(); err != nil {
			return err
		}
	}
	return l.check("iloc")
}

type locations struct {
	cursor
	sizes   uint16
	version byte
}

func (l *locations) locate(item *heifItem) error {
	offsetSize, lengthSize, baseSize, indexSize := int(l.sizes>>12), int(l.sizes>>8&15), int(l.sizes>>4&15), 0
	if l.version > 0 {
		indexSize = int(l.sizes & 15)
		switch method := l.be16() & 15; method {
		case 0:
		case 1:
			item.inIDAT = true
		default:
			return unsupported("item construction method %d", method)
		}
	}
	l.skip(2)
	base := l.beN(baseSize)
	count := l.be16()
	if count > maxExtents {
		return excessive("item in %d pieces", count)
	}
	if item.extents != nil {
		return malformed("an item located twice")
	}
	item.extents = make([]extent, 0, count)
	for range count {
		l.beN(indexSize)
		item.extents = append(item.extents, extent{base + l.beN(offsetSize), l.beN(lengthSize)})
	}
	return l.check("iloc")
}

// parseReferences reads which item serves which (ISO/IEC 14496-12, 8.11.12).
func (f *heifFile) parseReferences(b box) error {
	version, _, c := b.full()
	if err := c.check("iref"); err != nil {
		return err
	}
	for ref, err := range boxes(c.data[c.at:]) {
		if err != nil {
			return err
		}
		r := cursor{data: ref.body}
		from := r.id(version > 0)
		for range r.be16() {
			f.refer(ref.kind, from, r.id(version > 0))
			if err := r.check("iref"); err != nil {
				return err
			}
			if err := f.bounded(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *heifFile) refer(kind string, from, to uint32) {
	f.references++
	switch kind {
	case "dimg":
		f.item(from).tiles = append(f.item(from).tiles, to)
		f.item(to).part = true
	case "thmb":
		f.item(from).part = true
	case "auxl":
		f.item(from).part = true
		f.item(to).auxiliaries = append(f.item(to).auxiliaries, from)
	}
}

func (f *heifFile) parseProperties(b box) error {
	for child, err := range boxes(b.body) {
		if err != nil {
			return err
		}
		switch child.kind {
		case "ipco":
			for p, err := range boxes(child.body) {
				if err != nil {
					return err
				}
				f.properties = append(f.properties, p)
			}
		case "ipma":
			if err := f.parseAssociations(child); err != nil {
				return err
			}
		}
		if err := f.bounded(); err != nil {
			return err
		}
	}
	return nil
}

func (f *heifFile) parseAssociations(b box) error {
	version, flags, c := b.full()
	count := c.be32()
	for range count {
		item := f.item(c.id(version > 0))
		for range c.u8() {
			index := int(c.u8() & 0x7F)
			if flags&1 != 0 {
				index = index<<8 | int(c.u8())
			}
			item.properties = append(item.properties, index)
		}
		if err := c.check("ipma"); err != nil {
			return err
		}
		if len(item.properties) > maxProperties {
			return excessive("item with more than %d properties", maxProperties)
		}
		if err := f.bounded(); err != nil {
			return err
		}
	}
	return c.check("ipma")
}
