package c2pa_test

import (
	"bytes"
	"encoding/binary"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa"
	"veracity/engine/c2pa/c2patest"
	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/status"
	"veracity/engine/probe"
)

func atom(kind string, body ...[]byte) []byte {
	content := bytes.Join(body, nil)
	size := binary.BigEndian.AppendUint32(nil, uint32(8+len(content)))
	return append(append(size, kind...), content...)
}

// storeUUID is that of the boxes which hold manifest stores (specification 2.2, section A.5.1).
var storeUUID = []byte{0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81}

// movie makes an MP4 whose binding is of other media, with more boxes behind the store.
func (f *forge) movie(more ...[]byte) carrier.File {
	f.tb.Helper()
	binding := part{label: "c2pa.hash.bmff.v3", value: cbor.Members{
		{Key: "exclusions", Value: []any{
			cbor.Members{{Key: "xpath", Value: "/uuid"}, {Key: "data", Value: []any{cbor.Members{{Key: "offset", Value: 8}, {Key: "value", Value: storeUUID}}}}},
			cbor.Members{{Key: "xpath", Value: "/ftyp"}},
		}},
		{Key: "alg", Value: "sha256"},
		{Key: "hash", Value: make([]byte, 32)},
		{Key: "name", Value: "movie"},
	}}
	store := storeOf(f.manifest(draft{label: "urn:c2pa:one", parts: []part{created(aiMedia), binding}}))
	purpose := append([]byte("\x00\x00\x00\x00manifest\x00"), make([]byte, 8)...)
	file := bytes.Join(append([][]byte{
		atom("ftyp", []byte("isom\x00\x00\x02\x00isomiso6")), atom("uuid", storeUUID, purpose, store),
	}, more...), nil)
	return carrier.File{R: bytes.NewReader(file), Size: int64(len(file)), Format: probe.MP4}
}

func TestAClipIsBoundWithAllThatItWasMadeOf(t *testing.T) {
	t.Parallel()
	authority := c2patest.NewAuthority(t)
	lists, err := certs.Read(fstest.MapFS{"c2pa-trust-list.pem": {Data: []byte(authority.PEM)}})
	require.NoError(t, err)
	leaf := authority.Leaf(t, "Test maker")
	source := c2patest.MP4(t, leaf, c2patest.Manifest{Actions: []c2patest.Action{{Name: "c2pa.created", SourceType: c2patest.Generated}}})
	made := c2patest.MP4(t, leaf, c2patest.Manifest{
		Actions: []c2patest.Action{{Name: "c2pa.opened"}, {Name: "c2pa.transcoded"}}, Ingredients: []c2patest.Ingredient{{Title: "source", Of: &source}},
	})
	read := func(file []byte) c2pa.Report {
		r, err := c2pa.Read(t.Context(), carrier.File{R: bytes.NewReader(file), Size: int64(len(file)), Format: probe.MP4}, c2pa.Options{Lists: lists, Now: time.Now()})
		require.NoError(t, err)
		return r
	}
	r := read(made.File)
	require.Equal(t, "trusted", r.State, r.Statuses)
	require.True(t, has(r.Statuses, status.BMFFHashMatch))
	require.Equal(t, source.Label, r.Manifests[1].Label)
	require.Equal(t, c2patest.Generated, r.Manifests[1].Actions[0].SourceType)

	made.File[len(made.File)-9] ^= 1
	altered(t, read(made.File), status.BMFFHashMismatch)
}

func TestWhatOpensAStreamCannotBeChecked(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	moov := atom("moov", atom("mvhd", make([]byte, 100)))
	tests := map[string]struct {
		file carrier.File
		want c2pa.Integrity
	}{
		"what opens a stream":    {f.movie(moov), c2pa.Unchecked},
		"a movie":                {f.movie(moov, atom("mdat", make([]byte, 64))), c2pa.Altered},
		"a fragment":             {f.movie(moov, atom("moof"), atom("mdat", make([]byte, 64))), c2pa.Altered},
		"nothing but a manifest": {f.movie(), c2pa.Altered},
		"a box that is cut":      {f.movie(moov, []byte{0, 0, 1, 0, 'm', 'd', 'a', 't'}), c2pa.Altered},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := f.in(t)
			r, err := c2pa.Read(t.Context(), tt.file, c2pa.Options{Lists: f.lists, Now: f.now})
			require.NoError(t, err)
			require.Equal(t, "invalid", r.State)
			require.Equal(t, []status.Code{status.BMFFHashMismatch}, failures(r.Statuses))
			require.Equal(t, tt.want, r.Manifests[0].Integrity)
		})
	}
}

func TestFilesOfPartsWithHashesOfTheirOwnCannotBeChecked(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	png := f.one(draft{parts: []part{created(aiMedia), {label: "c2pa.hash.multi-asset", value: cbor.Members{{Key: "parts", Value: []any{}}}}}})
	require.Equal(t, "trusted", f.read(png).State)
	png[len(png)-20] ^= 1
	r := f.read(png)
	require.Equal(t, "invalid", r.State)
	require.Equal(t, []status.Code{status.DataHashMismatch}, failures(r.Statuses))
	require.Equal(t, c2pa.Unchecked, r.Manifests[0].Integrity)
}

func TestCollectionsCannotBeChecked(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	r := f.read(f.file(func(part) []byte {
		return storeOf(f.manifest(draft{label: "urn:c2pa:one", parts: []part{created(aiMedia), {label: "c2pa.hash.collection.data", value: cbor.Members{}}}}))
	}))
	require.Equal(t, "invalid", r.State)
	require.Len(t, failures(r.Statuses), 1)
	require.Equal(t, c2pa.Unchecked, r.Manifests[0].Integrity)
	require.Equal(t, "c2pa.hash.collection.data", r.Manifests[0].Binding)
}
