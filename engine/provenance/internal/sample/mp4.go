package sample

import "encoding/binary"

// MP4 is a file of the brand with the boxes between its type and its media data.
func MP4(brand string, boxes ...[]byte) []byte {
	return Join(Box("ftyp", []byte(brand+"\x00\x00\x00\x00isom")), Join(boxes...), Box("mdat", make([]byte, 64)))
}

// UserData is a moov box whose user data holds the boxes.
func UserData(boxes ...[]byte) []byte {
	return Box("moov", Join(Box("mvhd", make([]byte, 100)), Box("udta", Join(boxes...))))
}

// Keys is a metadata box with a text for each key, as ffmpeg's use_metadata_tags and phones write it: pairs of key and
// text.
func Keys(pairs ...string) []byte {
	return Box("meta", Join(make([]byte, 4), keysBoxes(pairs)))
}

// QuickTimeKeys is the same without the version that only ISO's form of the box has.
func QuickTimeKeys(pairs ...string) []byte { return Box("meta", keysBoxes(pairs)) }

func keysBoxes(pairs []string) []byte {
	big := binary.BigEndian
	keys := Join(make([]byte, 4), size32(big, len(pairs)/2))
	var items []byte
	for i := 0; i < len(pairs); i += 2 {
		keys = Join(keys, size32(big, len(pairs[i])+8), []byte("mdta"+pairs[i]))
		items = Join(items, Box(string(size32(big, i/2+1)), ItemData(1, []byte(pairs[i+1]))))
	}
	return Join(handler("mdta"), Box("keys", keys), Box("ilst", items))
}

// ItemList is a metadata box with iTunes' items.
func ItemList(items ...[]byte) []byte {
	return Box("meta", Join(make([]byte, 4), handler("mdir"), Box("ilst", Join(items...))))
}

// TextItem is an item with a text.
func TextItem(code, text string) []byte { return Box(code, ItemData(1, []byte(text))) }

// FreeItem is an item of the free form.
func FreeItem(domain, name, text string) []byte {
	return Box("----", Join(
		Box("mean", []byte("\x00\x00\x00\x00"+domain)), Box("name", []byte("\x00\x00\x00\x00"+name)), ItemData(1, []byte(text))))
}

// ItemData is the value of an item: 1 is the type of UTF-8, 2 of UTF-16, 13 of JPEG.
func ItemData(kind int, value []byte) []byte {
	return Box("data", Join(size32(binary.BigEndian, kind), make([]byte, 4), value))
}

// QuickTimeText is a text of QuickTime's user data.
func QuickTimeText(code, text string) []byte {
	return Box(code, Join(size16(binary.BigEndian, len(text)), []byte{0x15, 0xC7}, []byte(text)))
}

// Track is a track of the kind of media, with boxes behind its media box.
func Track(id int, kind string, boxes ...[]byte) []byte {
	header := Join(make([]byte, 12), size32(binary.BigEndian, id), make([]byte, 68))
	media := Join(Box("mdhd", make([]byte, 24)), handler(kind), Box("minf", handler("url ")))
	return Box("trak", Join(Box("tkhd", header), Box("mdia", media), Join(boxes...)))
}

func handler(kind string) []byte {
	return Box("hdlr", Join(make([]byte, 8), []byte(kind), make([]byte, 13)))
}
