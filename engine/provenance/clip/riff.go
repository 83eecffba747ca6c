package clip

import (
	"encoding/binary"
	"iter"
)

const (
	// riffStart is the size of a RIFF header: the id, the length and the form.
	riffStart   = 12
	chunkHeader = 8
	// sizeElsewhere, in RF64, stands for a length that the ds64 chunk states.
	sizeElsewhere = 1<<32 - 1
	// maxChunks bounds the chunks side by side, maxTable the entries of a ds64 chunk.
	maxChunks = 1024
	maxTable  = 64
)

// chunk is a chunk of a RIFF file by its place: the body lies from at up to end.
type chunk struct {
	id      string
	at, end int64
}

// wave visits a WAVE file: RIFF, or RF64 and BW64 (EBU Tech 3306, ITU-R BS.2088), whose long chunks have their lengths in
// a chunk of their own. The length in the header is not asked: writers leave it stale.
func (c *collector) wave() {
	long := longSizes{}
	for k := range c.chunks(riffStart, c.blocks.Size(), long) {
		switch k.id {
		case "ds64":
			c.ds64(k, long)
		case "LIST":
			c.list(k)
		case "bext":
			c.bext(k)
		case "iXML":
			c.ixml(k)
		case "_PMX":
			c.xmp("wav:_PMX", k.at, k.end)
		case "C2PA":
			c.manifest("wav:C2PA", k.at, k.end)
		case "AIGC":
			c.chunkText(AIGC, "wav:AIGC", k)
		case "id3 ", "ID3 ":
			c.id3("wav:id3", k.at, k.end)
		}
	}
}

// longSizes are the lengths that a ds64 chunk states, by the id of the chunk.
type longSizes map[string]uint64

// chunks walks the chunks between two offsets, without reading their bodies, until one is not whole.
func (c *collector) chunks(at, end int64, long longSizes) iter.Seq[chunk] {
	return func(yield func(chunk) bool) {
		for n := 0; n < maxChunks && end-at >= chunkHeader; n++ {
			head, err := c.blocks.Bytes(at, chunkHeader)
			if err != nil {
				return
			}
			id, size := string(head[:4]), uint64(binary.LittleEndian.Uint32(head[4:]))
			if known, ok := long[id]; ok && size == sizeElsewhere {
				size = known
			}
			at += chunkHeader
			if size > uint64(end-at) { //nolint:gosec // at never passes the end.
				return
			}
			k := chunk{id: id, at: at, end: at + int64(size)} //nolint:gosec // Within the file.
			if !yield(k) {
				return
			}
			at = min(k.end+(k.end-k.at)%2, end) // Bodies are padded to even lengths.
		}
	}
}

// ds64 reads the long lengths: of the file, of the data chunk, the number of samples, and a table of further chunks.
func (c *collector) ds64(k chunk, long longSizes) {
	const fixed, entry = 28, 12
	body, err := c.blocks.Bytes(k.at, min(k.end-k.at, fixed+maxTable*entry))
	if err != nil || len(body) < fixed {
		return
	}
	long["data"] = binary.LittleEndian.Uint64(body[8:])
	for body = body[fixed:]; len(body) >= entry; body = body[entry:] {
		long[string(body[:4])] = binary.LittleEndian.Uint64(body[4:])
	}
}

// infoFields name the chunks of a LIST of type INFO (Multimedia Programming Interface and Data Specifications 1.0,
// 1991). AIGC is no chunk of that list, but some writers of the label put it there.
var infoFields = map[string]string{
	"ICMT": Comment,
	"ISBJ": Description,
	"ISFT": Encoder,
	"ICOP": Copyright,
	"AIGC": AIGC,
}

func (c *collector) list(k chunk) {
	kind, err := c.blocks.Bytes(k.at, min(4, k.end-k.at))
	if err != nil || string(kind) != "INFO" {
		return
	}
	for inner := range c.chunks(k.at+4, k.end, nil) {
		if field, ok := infoFields[inner.id]; ok {
			c.chunkText(field, "wav:INFO:"+inner.id, inner)
		}
	}
}

func (c *collector) chunkText(field, where string, k chunk) {
	if body, ok := c.bytes(k.at, k.end); ok {
		c.text(field, where, decode(body))
	}
}
