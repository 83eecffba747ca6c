package clip

import (
	"bytes"
	"encoding/xml"
	"strings"
)

// Limits of an iXML chunk. Recorders write some kilobytes.
const (
	maxIXML       = 256 << 10
	maxIXMLTokens = 8192
	maxIXMLDepth  = 16
)

// bext reads the description that opens a chunk of the Broadcast Wave Format (EBU Tech 3285): 256 bytes, padded with
// NULs.
func (c *collector) bext(k chunk) {
	const size = 256
	if body, err := c.blocks.Bytes(k.at, min(size, k.end-k.at)); err == nil {
		c.text(Description, "wav:bext:Description", decode(body))
	}
}

// ixmlFields name the elements of an iXML document (iXML specification 3.01) that hold free text.
var ixmlFields = map[string]string{"NOTE": Comment, "BWF_DESCRIPTION": Description}

// ixml reads the texts of an iXML document up to its first fault. Document types, and so entities of its own, end the
// reading.
func (c *collector) ixml(k chunk) {
	if k.end-k.at > maxIXML {
		return
	}
	body, ok := c.bytes(k.at, k.end)
	if !ok {
		return
	}
	decoder := xml.NewDecoder(bytes.NewReader(body))
	depth := 0
	var text strings.Builder
	for range maxIXMLTokens {
		token, err := decoder.Token()
		if err != nil {
			return
		}
		switch t := token.(type) {
		case xml.Directive:
			return
		case xml.StartElement:
			if depth++; depth > maxIXMLDepth {
				return
			}
			text.Reset()
		case xml.CharData:
			text.Write(t)
		case xml.EndElement:
			c.text(ixmlFields[t.Name.Local], "wav:iXML:"+label(t.Name.Local), text.String())
			depth--
			text.Reset()
		}
	}
}
