package carrier_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/carrier/carriertest"
	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

func TestStoreInAnID3TagOfAnyMake(t *testing.T) {
	t.Parallel()
	// Longer than what is read at once, and full of bytes that unsynchronisation doubles.
	store := carriertest.Store(70_000)
	const current, first = "application/c2pa", "application/x-c2pa-manifest-store"
	wide := slices.Concat([]byte("\x01"+current+"\x00\xFF\xFEc\x00\x00\x00\xFF\xFEd\x00\x00\x00"), store)
	text := func(version byte) []byte { return carriertest.Frame(version, "TIT2", 0, []byte("\x03title \xFF\x00")) }
	tests := []struct {
		name    string
		version byte
		flags   byte
		frame   []byte
	}{
		{"version 3", 3, 0, carriertest.Frame(3, "GEOB", 0, carriertest.Object(current, store))},
		{"version 3, the older type", 3, 0, carriertest.Frame(3, "GEOB", 0, carriertest.Object(first, store))},
		{"version 3, extended header", 3, carriertest.Extended, carriertest.Frame(3, "GEOB", 0, carriertest.Object(current, store))},
		{"version 3, unsynchronised", 3, carriertest.Unsynchronised, carriertest.Frame(3, "GEOB", 0, carriertest.Object(current, store))},
		{"version 3, both", 3, carriertest.Unsynchronised | carriertest.Extended, carriertest.Frame(3, "GEOB", 0, carriertest.Object(current, store))},
		{"version 3, grouped", 3, 0, carriertest.Frame(3, "GEOB", 0x20, append([]byte{9}, carriertest.Object(current, store)...))},
		{"version 4", 4, 0, carriertest.Frame(4, "GEOB", 0, carriertest.Object(current, store))},
		{"version 4, extended header", 4, carriertest.Extended, carriertest.Frame(4, "GEOB", 0, carriertest.Object(current, store))},
		{"version 4, UTF-16", 4, 0, carriertest.Frame(4, "GEOB", 0, wide)},
		{"version 4, unsynchronised frame", 4, 0, carriertest.Frame(4, "GEOB", 0x03,
			append([]byte{0, 0, 0, 0}, carriertest.Unsynchronise(carriertest.Object(current, store))...))},
		{"version 4, unsynchronised tag", 4, carriertest.Unsynchronised, carriertest.Frame(4, "GEOB", 0,
			carriertest.Unsynchronise(carriertest.Object(current, store)))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := slices.Concat(carriertest.Tag(tt.version, tt.flags, text(tt.version), tt.frame, text(tt.version)), mediatest.MP3(2))
			found, err := carrier.Find(open(file, probe.MP3))
			require.NoError(t, err)
			require.NotNil(t, found)
			require.True(t, bytes.Equal(store, found.Store))
			require.Len(t, found.Ranges, 1)
			frame := tt.frame
			if tt.version == 3 && tt.flags&carriertest.Unsynchronised != 0 {
				frame = carriertest.Unsynchronise(frame)
			}
			require.True(t, bytes.Equal(frame, file[found.Ranges[0].Start:found.Ranges[0].End]))
		})
	}
}

func TestStoreInATIFFOfAnyMake(t *testing.T) {
	t.Parallel()
	store := carriertest.Store(500)
	entry := carriertest.Entry{Tag: 0xCD41, Type: 7, Data: store}
	other := carriertest.Entry{Tag: 700, Type: 1, Data: []byte("<x:xmpmeta/>")}
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, big := range []bool{false, true} {
			for name, directories := range map[string][][]carriertest.Entry{
				"first": {{other, entry}, {other}},
				"last":  {{other}, {other}, {entry}},
			} {
				t.Run(fmt.Sprint(order, big, name), func(t *testing.T) {
					t.Parallel()
					file := carriertest.TIFF(order, big, directories...)
					found, err := carrier.Find(open(file, probe.TIFF))
					require.NoError(t, err)
					require.NotNil(t, found)
					require.True(t, bytes.Equal(store, found.Store))
					// The entry's count and offset, and the store itself.
					require.Len(t, found.Ranges, 2)
					fields, bytesOfStore := found.Ranges[0], found.Ranges[1]
					require.True(t, bytes.Equal(store, file[bytesOfStore.Start:bytesOfStore.End]))
					require.Equal(t, uint16(0xCD41), order.(binary.ByteOrder).Uint16(file[fields.Start-4:]))
					require.Equal(t, map[bool]int64{false: 8, true: 16}[big], fields.Len())
				})
			}
		}
	}
}

func TestDirectoriesInACircleEnd(t *testing.T) {
	t.Parallel()
	file := carriertest.TIFF(binary.LittleEndian, false, []carriertest.Entry{{Tag: 700, Type: 1, Data: []byte("<x:xmpmeta/>")}})
	binary.LittleEndian.PutUint32(file[8+2+12:], 8)
	found, err := carrier.Find(open(file, probe.TIFF))
	require.NoError(t, err)
	require.Nil(t, found)
}

func TestStoreBehindTheLongChunksOfRF64(t *testing.T) {
	t.Parallel()
	store := carriertest.Store(500)
	long := make([]byte, 28)
	binary.LittleEndian.PutUint64(long[8:], 64)
	file := slices.Concat([]byte("RF64\xFF\xFF\xFF\xFFWAVE"), carriertest.RIFFChunk("ds64", long),
		[]byte("data\xFF\xFF\xFF\xFF"), make([]byte, 64), carriertest.RIFFChunk("C2PA", store))
	found, err := carrier.Find(open(file, probe.WAV))
	require.NoError(t, err)
	require.NotNil(t, found)
	require.True(t, bytes.Equal(store, found.Store))
}

// TestUnsynchronisationAcrossReads moves the bytes of a tag so that each of them falls on the end of a read once.
func TestUnsynchronisationAcrossReads(t *testing.T) {
	t.Parallel()
	store := carriertest.Store(140_000)
	object := carriertest.Frame(3, "GEOB", 0, carriertest.Object("application/c2pa", store))
	for n := range 260 {
		text := carriertest.Frame(3, "TIT2", 0, make([]byte, 1+n))
		found, err := carrier.Find(open(carriertest.Tag(3, carriertest.Unsynchronised, text, object), probe.MP3))
		require.NoError(t, err)
		require.True(t, found != nil && bytes.Equal(store, found.Store), n)
	}
}
