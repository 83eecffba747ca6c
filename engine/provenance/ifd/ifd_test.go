package ifd_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/provenance/ifd"
	"veracity/engine/provenance/internal/sample"
)

func TestEntriesAreReadInBothByteOrders(t *testing.T) {
	t.Parallel()
	for _, order := range []sample.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		t.Run(order.String(), func(t *testing.T) {
			t.Parallel()
			number := order.AppendUint32(nil, 70000)
			f, ok := ifd.Open(sample.TIFF(order, []sample.Entry{
				{Tag: 1, Type: sample.ASCII, Data: []byte("a long text \x00")},
				{Tag: 2, Type: sample.ASCII, Data: []byte("ab\x00")},
				{Tag: 3, Type: sample.Long, Data: number},
			}, nil))
			require.True(t, ok)
			require.Equal(t, order.String(), f.Order().String())
			dir := f.Directory(f.First())
			require.Equal(t, "a long text", dir[1].Text())
			require.Equal(t, "ab", dir[2].Text())
			require.Equal(t, uint32(70000), dir[3].Uint())
			require.Empty(t, dir[3].Text(), "a number is no text")
			require.Zero(t, dir[1].Uint(), "a text is no number")
		})
	}
}

func TestEntriesThatLeaveTheInputAreDropped(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]sample.Entry{
		"count of four thousand million": {Tag: 1, Type: sample.Rational, Count: 1<<32 - 1, Data: make([]byte, 8)},
		"count just too large":           {Tag: 1, Type: sample.ASCII, Count: 4000, Data: make([]byte, 8)},
		"unknown type":                   {Tag: 1, Type: 99, Data: []byte("abc")},
		"type zero":                      {Tag: 1, Type: 0, Data: []byte("abc")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, ok := ifd.Open(sample.TIFF(binary.BigEndian, []sample.Entry{
				e, {Tag: 2, Type: sample.ASCII, Data: []byte("kept\x00")},
			}, nil))
			require.True(t, ok)
			dir := f.Directory(f.First())
			require.NotContains(t, dir, uint16(1))
			require.Equal(t, "kept", dir[2].Text())
		})
	}
}

func TestDirectoriesOutsideTheInputAreEmpty(t *testing.T) {
	t.Parallel()
	f, ok := ifd.Open(sample.TIFF(binary.BigEndian, nil, nil))
	require.True(t, ok)
	for _, offset := range []uint32{0, 7, 1000, 1<<32 - 1} {
		require.Empty(t, f.Directory(offset), offset)
	}
}

func TestCrowdedDirectoriesAreBounded(t *testing.T) {
	t.Parallel()
	entries := make([]sample.Entry, 3000)
	for i := range entries {
		entries[i] = sample.Entry{Tag: uint16(i), Type: sample.Undefined, Data: []byte{1}}
	}
	f, ok := ifd.Open(sample.TIFF(binary.LittleEndian, entries, nil))
	require.True(t, ok)
	require.Len(t, f.Directory(f.First()), 1024)
}

func TestOtherInputIsRefused(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", "II*\x00", "II+\x00\x08\x00\x00\x00\x00", "XX*\x00\x08\x00\x00\x00", "MM\x00+\x00\x08\x00\x00"} {
		_, ok := ifd.Open([]byte(data))
		require.False(t, ok, "%q", data)
	}
}

func TestTextsAreReadAsUTF8OrLatin1(t *testing.T) {
	t.Parallel()
	require.Equal(t, "grün", ifd.Decode([]byte("grün")))
	require.Equal(t, "grün", ifd.Decode([]byte("gr\xFCn")))
	require.Equal(t, "ends", ifd.Decode([]byte("ends\x00here")))
}

func TestTextsAboveTheLimitAreAbsent(t *testing.T) {
	t.Parallel()
	f, ok := ifd.Open(sample.TIFF(binary.BigEndian, []sample.Entry{
		{Tag: 1, Type: sample.ASCII, Data: bytes.Repeat([]byte("x"), ifd.MaxText+1)},
	}, nil))
	require.True(t, ok)
	require.Empty(t, f.Directory(f.First())[1].Text())
}
