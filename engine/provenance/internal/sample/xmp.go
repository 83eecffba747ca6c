package sample

// XMP is a packet that describes the resource with the attributes and the property elements given. The usual prefixes
// are declared.
func XMP(attributes, elements string) string {
	return `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>` +
		`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description rdf:about=""` +
		` xmlns:dc="http://purl.org/dc/elements/1.1/"` +
		` xmlns:dcterms="http://purl.org/dc/terms/"` +
		` xmlns:xmp="http://ns.adobe.com/xap/1.0/"` +
		` xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/"` +
		` xmlns:xmpNote="http://ns.adobe.com/xmp/note/"` +
		` xmlns:exif="http://ns.adobe.com/exif/1.0/"` +
		` xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"` +
		` xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"` +
		` xmlns:TC260="http://www.tc260.org.cn/ns/AIGC/1.0/" ` + attributes + `>` + elements +
		`</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`
}
