package xmp_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/provenance/internal/sample"
	"veracity/engine/provenance/xmp"
)

func parse(packet string) xmp.Packet {
	tokens := 100000
	return xmp.Parse([]byte(packet), &tokens)
}

func TestPropertiesAreReadInEveryForm(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		attributes, elements string
		want                 []string
	}{
		"attribute":           {attributes: `photoshop:Credit="me"`, want: []string{"me"}},
		"element":             {elements: `<photoshop:Credit>me &amp; you</photoshop:Credit>`, want: []string{"me & you"}},
		"element in CDATA":    {elements: `<photoshop:Credit><![CDATA["me" & you]]></photoshop:Credit>`, want: []string{`"me" & you`}},
		"character reference": {elements: `<photoshop:Credit>&#x6D;e</photoshop:Credit>`, want: []string{"me"}},
		"resource":            {elements: `<photoshop:Credit rdf:resource="http://me/"/>`, want: []string{"http://me/"}},
		"alternatives": {
			elements: `<photoshop:Credit><rdf:Alt><rdf:li xml:lang="x-default">me</rdf:li><rdf:li xml:lang="de">ich</rdf:li></rdf:Alt></photoshop:Credit>`,
			want:     []string{"me", "ich"},
		},
		"bag":               {elements: `<photoshop:Credit><rdf:Bag><rdf:li>a</rdf:li></rdf:Bag></photoshop:Credit>`, want: []string{"a"}},
		"sequence of links": {elements: `<photoshop:Credit><rdf:Seq><rdf:li rdf:resource="a"/></rdf:Seq></photoshop:Credit>`, want: []string{"a"}},
		"qualified value": {
			elements: `<photoshop:Credit rdf:parseType="Resource"><rdf:value>me</rdf:value><dc:rights>not me</dc:rights></photoshop:Credit>`,
			want:     []string{"me"},
		},
		"qualified value as a description": {
			elements: `<photoshop:Credit><rdf:Description rdf:value="me" dc:rights="not me"/></photoshop:Credit>`,
			want:     []string{"me"},
		},
		"other prefix": {elements: `<p:Credit xmlns:p="http://ns.adobe.com/photoshop/1.0/">me</p:Credit>`, want: []string{"me"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, parse(sample.XMP(tt.attributes, tt.elements)).Get(xmp.NSPhotoshop, "Credit"))
		})
	}
}

func TestPropertiesOfOtherResourcesAreLeft(t *testing.T) {
	t.Parallel()
	for name, elements := range map[string]string{
		"ingredient":                  `<xmpMM:Pantry><rdf:Bag><rdf:li rdf:parseType="Resource"><photoshop:Credit>other</photoshop:Credit></rdf:li></rdf:Bag></xmpMM:Pantry>`,
		"ingredient as a description": `<xmpMM:Pantry><rdf:Bag><rdf:li><rdf:Description photoshop:Credit="other"/></rdf:li></rdf:Bag></xmpMM:Pantry>`,
		"structure":                   `<dc:creator rdf:parseType="Resource"><photoshop:Credit>other</photoshop:Credit></dc:creator>`,
		"other namespace":             `<p:Credit xmlns:p="http://ns.adobe.com/photoshop/2.0/">other</p:Credit>`,
		"comment":                     `<!-- <photoshop:Credit>other</photoshop:Credit> -->`,
		"text of another property":    `<dc:title>&lt;photoshop:Credit&gt;other&lt;/photoshop:Credit&gt;</dc:title>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, parse(sample.XMP("", elements)).Get(xmp.NSPhotoshop, "Credit"))
		})
	}
}

func TestPacketsGiveWhatStandsBeforeAFault(t *testing.T) {
	t.Parallel()
	whole := sample.XMP(`photoshop:Credit="me"`, `<dc:rights>mine</dc:rights><dc:title>cut</dc:title>`)
	for name, packet := range map[string]string{
		"cut within a later property": whole[:strings.Index(whole, "cut")+1],
		"unknown entity":              strings.Replace(whole, "cut", "&cut;", 1),
		"bad nesting":                 strings.Replace(whole, "</dc:title>", "</dc:other>", 1),
		"depth":                       strings.Replace(whole, "cut", strings.Repeat("<dc:a>", 100), 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := parse(packet)
			require.Equal(t, "me", p.First(xmp.NSPhotoshop, "Credit"))
			require.Equal(t, "mine", p.First(xmp.NSDublinCore, "rights"))
			require.Empty(t, p.Get(xmp.NSDublinCore, "title"))
		})
	}
}

func TestEntitiesOfAPacketAreNotExpanded(t *testing.T) {
	t.Parallel()
	bomb := `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>`
	require.Empty(t, parse(bomb+sample.XMP(`photoshop:Credit="me"`, "")).Get(xmp.NSPhotoshop, "Credit"))
}

func TestOnlyOneRDFElementIsRead(t *testing.T) {
	t.Parallel()
	packet := sample.XMP(`photoshop:Credit="me"`, "")
	require.Equal(t, []string{"me"}, parse(packet+packet).Get(xmp.NSPhotoshop, "Credit"))
	require.Empty(t, parse(`<photoshop:Credit xmlns:photoshop="`+xmp.NSPhotoshop+`">me</photoshop:Credit>`).Get(xmp.NSPhotoshop, "Credit"))
	require.Empty(t, parse("no XML at all").Get(xmp.NSPhotoshop, "Credit"))
}

func TestPacketsShareTheirAllowanceOfTokens(t *testing.T) {
	t.Parallel()
	packet := []byte(sample.XMP("", `<photoshop:Credit>me</photoshop:Credit>`))
	tokens := 20
	first := xmp.Parse(packet, &tokens)
	require.Equal(t, "me", first.First(xmp.NSPhotoshop, "Credit"))
	require.Less(t, tokens, 20)
	tokens = 3
	require.Empty(t, xmp.Parse(packet, &tokens).Get(xmp.NSPhotoshop, "Credit"))
	require.Zero(t, tokens)
}

func TestTagsWithTooManyAttributesEndThePacket(t *testing.T) {
	t.Parallel()
	flood := `<dc:flood ` + strings.Repeat(`dc:a="" `, 2000) + `/>`
	p := parse(sample.XMP("", `<photoshop:Credit>me</photoshop:Credit>`+flood+`<dc:title>late</dc:title>`))
	require.Equal(t, "me", p.First(xmp.NSPhotoshop, "Credit"))
	require.Empty(t, p.Get(xmp.NSDublinCore, "title"))
}

func TestQuotesInTextAreNoAttributes(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(`"quoted" `, 5000)
	p := parse(sample.XMP("", `<dc:title>`+text+`</dc:title><dc:rights><![CDATA[`+text+`]]></dc:rights>`))
	require.Equal(t, strings.TrimSpace(text), p.First(xmp.NSDublinCore, "title"))
	require.Equal(t, strings.TrimSpace(text), p.First(xmp.NSDublinCore, "rights"))
}

func TestValuesAreBounded(t *testing.T) {
	t.Parallel()
	p := parse(sample.XMP("", `<dc:subject><rdf:Bag>`+strings.Repeat(`<rdf:li>x</rdf:li>`, 20000)+`</rdf:Bag></dc:subject>`))
	require.Len(t, p.Get(xmp.NSDublinCore, "subject"), 8192)
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample.XMP(`photoshop:Credit="me"`, `<dc:title><rdf:Alt><rdf:li>a</rdf:li></rdf:Alt></dc:title>`)))
	f.Add([]byte(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description><a><![CDATA[<]]></a>`))
	f.Add([]byte("<<'"))
	f.Fuzz(func(t *testing.T, data []byte) {
		tokens := 1000
		p := xmp.Parse(data, &tokens)
		if tokens < 0 {
			t.Fatalf("%d tokens left", tokens)
		}
		if p.First(xmp.NSPhotoshop, "Credit") != "" && len(p.Get(xmp.NSPhotoshop, "Credit")) == 0 {
			t.Fatal("first without values")
		}
	})
}
