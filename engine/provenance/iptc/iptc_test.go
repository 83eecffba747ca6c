package iptc_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/provenance/internal/sample"
	"veracity/engine/provenance/iptc"
)

func TestDatasetsAreReadInOrder(t *testing.T) {
	t.Parallel()
	records := iptc.Parse(sample.Join(sample.IIM(25, "one"), sample.IIM(110, " Agency "), sample.IIM(25, "two"), sample.IIM(120, "gr\xFCn")))
	require.Equal(t, iptc.Records{
		{2, 25}: {"one", "two"}, iptc.Credit: {"Agency"}, iptc.Caption: {"grün"},
	}, records)
}

func TestExtendedDatasetsAreRead(t *testing.T) {
	t.Parallel()
	long := bytes.Repeat([]byte("x"), 70000)
	block := sample.Join([]byte{0x1C, 2, 120, 0x80, 4, 0, 1, 0x11, 0x70}, long, sample.IIM(110, "Agency"))
	records := iptc.Parse(block)
	require.Equal(t, string(long), records[iptc.Caption][0])
	require.Equal(t, []string{"Agency"}, records[iptc.Credit])
}

func TestDatasetsBehindAFaultAreLeft(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string][]byte{
		"no marker":                {0x1D, 2, 110, 0, 1, 'x'},
		"longer than the block":    {0x1C, 2, 110, 0x7F, 0xFF, 'x'},
		"length of nine bytes":     {0x1C, 2, 110, 0x80, 9, 'x'},
		"length of no bytes":       {0x1C, 2, 110, 0x80, 0, 'x'},
		"length that is cut":       {0x1C, 2, 110, 0x80, 4, 0},
		"extended past the end":    {0x1C, 2, 110, 0x80, 4, 0x7F, 0xFF, 0xFF, 0xFF},
		"head that is cut":         {0x1C, 2, 110},
		"nothing after the marker": {0x1C},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, iptc.Records{iptc.Caption: {"kept"}}, iptc.Parse(sample.Join(sample.IIM(120, "kept"), fault)))
		})
	}
}

func TestFloodsOfDatasetsAreBounded(t *testing.T) {
	t.Parallel()
	records := iptc.Parse(bytes.Repeat(sample.IIM(25, "x"), 5000))
	require.Len(t, records[iptc.Dataset{2, 25}], 1024)
}

func TestDatasetsAreFoundInPhotoshopResources(t *testing.T) {
	t.Parallel()
	iim := sample.IIM(110, "Agency")
	resources := sample.Photoshop(iim)
	others, _, _ := bytes.Cut(resources, []byte("8BIM\x04\x04"))
	for name, tt := range map[string]struct{ block, want []byte }{
		"bare":                  {iim, iim},
		"with header":           {resources, iim},
		"without header":        {bytes.TrimPrefix(resources, []byte("Photoshop 3.0\x00")), iim},
		"cut within a resource": {resources[:len(resources)-4], nil},
		"other resources only":  {others, nil},
		"name past the end":     {[]byte("8BIM\x04\x04\xFFabc"), nil},
		"empty":                 {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, iptc.Find(tt.block))
		})
	}
}

func FuzzFind(f *testing.F) {
	f.Add(sample.Photoshop(sample.IIM(110, "Agency")))
	f.Add(sample.IIM(120, "caption"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := 0
		for _, values := range iptc.Parse(iptc.Find(data)) {
			n += len(values)
		}
		if n > len(data)/5 {
			t.Fatalf("%d datasets of %d bytes", n, len(data))
		}
	})
}
