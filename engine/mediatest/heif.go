//nolint:gosec // test media are small: no size comes near the range of its field
package mediatest

import (
	"bytes"
	_ "embed" // the fixtures below
	"encoding/binary"
	"testing"
)

// Go encodes neither AV1 nor HEVC, so these files were made once from [Photo]: the 8-bit ones by package coded, the
// 10-bit one by ffmpeg, because libheif's encoder of that depth is broken in current distributions.
//
//go:embed fixtures/photo-64x48.avif
var tinyAVIF []byte

//go:embed fixtures/photo-64x48-10bit.avif
var tinyAVIF10 []byte

//go:embed fixtures/photo-64x48.heic
var tinyHEIC []byte

// TinyAVIF is a still AVIF of 64 x 48 pixels.
func TinyAVIF() []byte { return bytes.Clone(tinyAVIF) }

// TinyAVIF10 is a still AVIF of 64 x 48 pixels with 10 bits a channel.
func TinyAVIF10() []byte { return bytes.Clone(tinyAVIF10) }

// TinyHEIC is a still HEIC of 64 x 48 pixels.
func TinyHEIC() []byte { return bytes.Clone(tinyHEIC) }

// Box makes an ISO base media box.
func Box(kind string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)+8))
	b = append(b, kind...)
	return append(b, body...)
}

// FullBox makes a box with a version and flags of 0.
func FullBox(kind string, version byte, parts ...[]byte) []byte {
	return Box(kind, append([][]byte{{version, 0, 0, 0}}, parts...)...)
}

// FileType makes an ftyp box.
func FileType(major string, compatible ...string) []byte {
	body := []byte(major + "\x00\x00\x00\x00")
	for _, b := range compatible {
		body = append(body, b...)
	}
	return Box("ftyp", body)
}

// Tile is a coded picture with its decoder configuration.
type Tile struct {
	// Kind is av01 or hvc1.
	Kind string
	// Config is the whole av1C or hvcC box.
	Config []byte
	// Coded is the bitstream.
	Coded []byte
}

// TileOf takes the coded picture out of an AVIF or HEIC file that libheif wrote.
func TileOf(tb testing.TB, file []byte) Tile {
	tb.Helper()
	if bytes.HasPrefix(file[8:], []byte("heic")) {
		return Tile{"hvc1", findBox(tb, file, "hvcC"), firstItem(tb, file)}
	}
	return Tile{"av01", findBox(tb, file, "av1C"), firstItem(tb, file)}
}

// Grid describes a HEIF file that repeats one coded picture.
type Grid struct {
	Tile Tile
	// TileWidth and TileHeight are what the container says of each tile.
	TileWidth, TileHeight int
	// Columns and Rows are from 1 to 256.
	Columns, Rows int
	// Width and Height are the size of the whole.
	Width, Height int
	// Turns is how many quarter turns anticlockwise the whole is shown.
	Turns int
	// Others is how many further pictures the file lists beside the grid.
	Others int
}

// HEIF makes a file whose primary item is the grid. All tiles share the bytes of one.
func (g Grid) HEIF() []byte {
	brand := map[string]string{"av01": "avif", "hvc1": "heic"}[g.Tile.Kind]
	file := FileType(brand, brand, "mif1")
	start := len(file) + len(g.meta(0)) + 8
	return bytes.Join([][]byte{file, g.meta(start), Box("mdat", g.Tile.Coded)}, nil)
}

// meta describes the items: 1 is the grid, which lies in idat; the tiles follow, all at offset.
func (g Grid) meta(offset int) []byte {
	be := binary.BigEndian
	tiles := g.Columns * g.Rows
	infos := [][]byte{be.AppendUint16(nil, uint16(tiles+1+g.Others)), FullBox("infe", 2, []byte("\x00\x01\x00\x00grid\x00"))}
	locations := be.AppendUint16([]byte{0x44, 0x00}, uint16(tiles+1))
	locations = append(locations, "\x00\x01\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x08"...)
	links := append(be.AppendUint32(nil, uint32(tiles+1)), 0, 1, 2, 0x81, 0x84)
	refs := be.AppendUint16([]byte{0, 1}, uint16(tiles))
	for i := range tiles {
		id := be.AppendUint16(nil, uint16(i+2))
		info := FullBox("infe", 2, id, []byte("\x00\x00"+g.Tile.Kind+"\x00"))
		info[11] = 1
		infos = append(infos, info)
		locations = append(append(locations, id...), "\x00\x00\x00\x00\x00\x01"...)
		locations = be.AppendUint32(locations, uint32(offset))
		locations = be.AppendUint32(locations, uint32(len(g.Tile.Coded)))
		links = append(append(links, id...), 2, 0x82, 0x83)
		refs = append(refs, id...)
	}
	for i := range g.Others {
		infos = append(infos, FullBox("infe", 2, be.AppendUint16(nil, uint16(tiles+2+i)), []byte("\x00\x00"+g.Tile.Kind+"\x00")))
	}
	size := []byte{0, 0, byte(g.Rows - 1), byte(g.Columns - 1)}
	size = be.AppendUint16(be.AppendUint16(size, uint16(g.Width)), uint16(g.Height))
	return FullBox("meta", 0,
		FullBox("hdlr", 0, []byte("\x00\x00\x00\x00pict"), make([]byte, 13)),
		FullBox("pitm", 0, []byte{0, 1}),
		FullBox("iinf", 0, infos...),
		FullBox("iref", 0, Box("dimg", refs)),
		Box("iprp", Box("ipco", spatialExtent(g.Width, g.Height), spatialExtent(g.TileWidth, g.TileHeight), g.Tile.Config,
			Box("irot", []byte{byte(g.Turns)})),
			FullBox("ipma", 0, links)),
		Box("idat", size),
		FullBox("iloc", 1, locations),
	)
}

func spatialExtent(w, h int) []byte {
	return FullBox("ispe", 0, binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h)))
}

// firstItem gives the bytes of the first item in a file as libheif writes it: iloc with 4-byte fields, one extent.
func firstItem(tb testing.TB, file []byte) []byte {
	tb.Helper()
	location := findBox(tb, file, "iloc")
	base := 14 + 2 + 2
	if version := location[8]; version > 0 {
		base += 2
	}
	if location[12] != 0x44 || location[13] != 0x40 {
		tb.Fatal("the file is not laid out as libheif does it")
	}
	start := int(binary.BigEndian.Uint32(location[base+2:]))
	return file[start : start+int(binary.BigEndian.Uint32(location[base+2+4+2+4:]))]
}

// findBox finds a box by its type alone, which serves for files whose payload does not spell it.
func findBox(tb testing.TB, file []byte, kind string) []byte {
	tb.Helper()
	at := bytes.Index(file, []byte(kind))
	if at < 4 {
		tb.Fatalf("the file has no %s box", kind)
	}
	return file[at-4 : at-4+int(binary.BigEndian.Uint32(file[at-4:]))]
}
