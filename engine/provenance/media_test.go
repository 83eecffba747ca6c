package provenance_test

import (
	"encoding/binary"
	"unicode/utf16"

	"veracity/engine/provenance/internal/sample"
)

// Records as the tools write them.
const (
	infotext = "a duck, <lora:x:1>\nNegative prompt: monochrome\n" +
		"Steps: 15, Sampler: UniPC, CFG scale: 5, Seed: 235284042, Size: 512x400, Model hash: c0d1994c73"
	comfyPrompt = `{"3": {"class_type": "KSampler", "inputs": {"seed": 1, "model": ["4", 0]}},` +
		`"4": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "x"}, "is_changed": [NaN]},` +
		`"5": {"class_type": "EmptyLatentImage", "inputs": {}}}`
	comfyWorkflow = `{"last_node_id": 2, "nodes": [{"id": 1, "type": "KSampler"}, {"id": 2, "type": "EmptyLatentImage"}], "links": []}`
	trained       = "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia"
	job           = "a duck --ar 4:3 --v 6.1 Job ID: 2b6e053b-9a65-4ca9-9e13-b6f4465164d4"
	signature     = "Signature: IoR6YcSlkWo/83blBnOA15zT7nnWuDE3tT3xAgkhEQ5l/y2INMmO1RokxWodeWOFXrjvKrsweIMr+fZNh9yMfg=="
	uuid          = "4800156b-8880-4786-9056-7ca3da449d8c"
	aigc          = `{"Label":"1","ContentProducer":"001191110102MACQD9K64010000","ProduceID":"cc75f5e9"}`
)

func exifFile(main map[uint16]string, detail ...sample.Entry) []byte {
	return sample.JPEGWithEXIF(sample.TIFF(binary.LittleEndian, sample.Texts(main), detail))
}

// comment is a UserComment in big-endian UTF-16, as the WebUI writes it.
func comment(text string) sample.Entry {
	value := []byte("UNICODE\x00")
	for _, unit := range utf16.Encode([]rune(text)) {
		value = binary.BigEndian.AppendUint16(value, unit)
	}
	return sample.Comment(value)
}

func commentFile(text string) []byte { return exifFile(nil, comment(text)) }

func textFile(pairs ...string) []byte {
	var chunks [][]byte
	for i := 0; i < len(pairs); i += 2 {
		chunks = append(chunks, sample.IText(pairs[i], pairs[i+1]))
	}
	return sample.PNG(chunks...)
}

func xmpFile(attributes, elements string) []byte {
	return sample.JPEGWithXMP(sample.XMP(attributes, elements))
}

func iptcFile(dataset byte, value string) []byte {
	return sample.JPEG(sample.Segment(sample.APP13, sample.Photoshop(sample.IIM(dataset, value))))
}
