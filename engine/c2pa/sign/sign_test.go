package sign_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/c2patest"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/referee"
	"veracity/engine/c2pa/sign"
	"veracity/engine/c2pa/splice"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
)

var results = cbor.Members{{Key: "activeManifest", Value: cbor.Members{
	{Key: "success", Value: []any{}}, {Key: "informational", Value: []any{}}, {Key: "failure", Value: []any{}},
}}}

// order is a usual one, of a source with a store or nil.
func order(source *c2patest.Made) sign.Order {
	o := sign.Order{
		Generator: "Veracity", Version: "1.2.3", Title: "output", Format: "image/png", Room: 12_000, Now: time.Now(),
		Source: sign.Source{Title: "input", Format: "image/jpeg"},
		Actions: []sign.Action{
			{Name: "c2pa.transcoded"},
			{Name: "c2pa.resized", Description: "Made smaller."},
		},
	}
	if source != nil {
		o.Source.Store, o.Source.Active, o.Source.Results = source.Store, source.Label, results
	}
	return o
}

// source is a picture with a history of two manifests.
func source(tb testing.TB, a *c2patest.Authority) *c2patest.Made {
	tb.Helper()
	leaf := a.Leaf(tb, "Source maker")
	first := c2patest.PNG(tb, leaf, c2patest.Manifest{Actions: []c2patest.Action{{Name: "c2pa.created", SourceType: c2patest.Captured}}})
	second := c2patest.PNG(tb, leaf, c2patest.Manifest{
		Actions: []c2patest.Action{{Name: "c2pa.opened"}}, InstanceID: "xmp:iid:source",
		Ingredients: []c2patest.Ingredient{{Title: "first", Of: &first}},
	})
	return &second
}

// signed puts the signature in while the file streams past.
func signed(tb testing.TB, file []byte, u sign.Unsigned, s c2patest.Signer) []byte {
	tb.Helper()
	wire, err := json.Marshal(u) // It goes from one process to another.
	require.NoError(tb, err)
	u = sign.Unsigned{}
	require.NoError(tb, json.Unmarshal(wire, &u))
	signature, err := s.Sign(u.Claim, u.Room)
	require.NoError(tb, err)
	r, err := splice.Into(bytes.NewReader(file), u, signature)
	require.NoError(tb, err)
	out, err := io.ReadAll(r)
	require.NoError(tb, err)
	require.Len(tb, out, len(file))
	require.Equal(tb, file[:u.At], out[:u.At])
	require.Equal(tb, signature, out[u.At:u.At+int64(u.Room)])
	return out
}

func write(tb testing.TB, name string, data []byte) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	require.NoError(tb, os.WriteFile(path, data, 0o600))
	return path
}

// inPNG is a signed picture, inMP4 a signed clip.
func inPNG(tb testing.TB, a *c2patest.Authority, o sign.Order) []byte {
	tb.Helper()
	file, u, err := sign.IntoPNG(mediatest.PNG(tb, 40, 30, mediatest.PNGText("Comment", "stays"), mediatest.PNGTextAfterPixels("Title", "stays too")), o)
	require.NoError(tb, err)
	return signed(tb, file, u, a.Leaf(tb, "Veracity"))
}

func inMP4(tb testing.TB, a *c2patest.Authority, clip []byte, o sign.Order) []byte {
	tb.Helper()
	path := write(tb, "clip.mp4", clip)
	u, err := sign.IntoMP4(path, o)
	require.NoError(tb, err)
	file, err := os.ReadFile(path)
	require.NoError(tb, err)
	return signed(tb, file, u, a.Leaf(tb, "Veracity"))
}

func clip(tb testing.TB, faststart bool) []byte {
	tb.Helper()
	return clips.Make(tb, clips.Spec{Format: probe.MP4, Frames: 12, Sound: clips.Tone, Faststart: faststart})
}

// requireTrusted demands that c2pa-rs trusts the file and finds what was ordered.
func requireTrusted(tb testing.TB, a *c2patest.Authority, path string, o sign.Order) {
	tb.Helper()
	report := referee.Read(tb, path, a.PEM)
	require.Empty(tb, report.Error)
	require.Empty(tb, report.Failures())
	require.Equal(tb, "Trusted", report.State)
	require.True(tb, strings.HasPrefix(report.Active, "urn:c2pa:"))
	manifests := report.Manifests(tb)
	active := manifests[report.Active]
	require.EqualValues(tb, 2, active["claim_version"])
	require.Equal(tb, o.Title, active["title"])
	require.Equal(tb, []any{map[string]any{"name": o.Generator, "version": o.Version}}, active["claim_generator_info"])
	ingredients := active["ingredients"].([]any)
	require.Len(tb, ingredients, 1)
	parent := ingredients[0].(map[string]any)
	require.Equal(tb, []any{"parentOf", o.Source.Title, o.Source.Format}, []any{parent["relationship"], parent["title"], parent["format"]})
	if o.Source.Store == nil {
		require.Len(tb, manifests, 1)
		require.NotContains(tb, parent, "active_manifest")
		return
	}
	require.Len(tb, manifests, 3)
	require.Equal(tb, o.Source.Active, parent["active_manifest"])
	require.Equal(tb, "xmp:iid:source", parent["instance_id"])
	var codes []string
	for _, i := range report.Ingredients {
		for _, s := range i.Success {
			codes = append(codes, s.Code)
		}
	}
	require.Contains(tb, codes, "ingredient.manifest.validated")
	require.Contains(tb, codes, "claimSignature.validated")
}

// requireTrustedClip demands that c2pa-rs trusts the clip.
func requireTrustedClip(tb testing.TB, a *c2patest.Authority, file []byte) {
	tb.Helper()
	report := referee.Read(tb, write(tb, "out.mp4", file), a.PEM)
	require.Empty(tb, report.Error)
	require.Empty(tb, report.Failures())
	require.Equal(tb, "Trusted", report.State)
}

func TestTheRefereesTrustPictures(t *testing.T) {
	t.Parallel()
	a := c2patest.NewAuthority(t)
	history := source(t, a)
	long := order(history)
	long.Room, long.Title = 100_000, strings.Repeat("t", 70)
	for name, o := range map[string]sign.Order{"without a store": order(nil), "with a store": order(history), "beyond 64 KB": long} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := write(t, "out.png", inPNG(t, a, o))
			requireTrusted(t, a, path, o)
			second := referee.ReadTS(t, path)
			require.Empty(t, second.Error)
			require.Empty(t, second.Failures())
			require.True(t, second.Valid)
		})
	}
}

func TestTheRefereeTrustsClips(t *testing.T) {
	t.Parallel()
	a := c2patest.NewAuthority(t)
	history := source(t, a)
	for place, faststart := range map[string]bool{"index before the media": true, "index behind the media": false} {
		for name, o := range map[string]sign.Order{"without a store": order(nil), "with a store": order(history)} {
			t.Run(place+", "+name, func(t *testing.T) {
				t.Parallel()
				requireTrusted(t, a, write(t, "out.mp4", inMP4(t, a, clip(t, faststart), o)), o)
			})
		}
	}
}

func TestOurOutputIsASourceAgain(t *testing.T) {
	t.Parallel()
	a := c2patest.NewAuthority(t)
	first := order(nil)
	png, u, err := sign.IntoPNG(mediatest.PNG(t, 8, 8), first)
	require.NoError(t, err)
	store := storeOf(t, signed(t, png, u, a.Leaf(t, "Veracity")))
	second := order(nil)
	second.Source.Store, second.Source.Results = store, results
	second.Source.Active = labelOf(t, store)
	report := referee.Read(t, write(t, "out.mp4", inMP4(t, a, clip(t, true), second)), a.PEM)
	require.Equal(t, "Trusted", report.State)
	require.Empty(t, report.Failures())
	require.Len(t, report.Manifests(t), 2)
}

func TestTheRefereeSeesWhatIsChangedLater(t *testing.T) {
	t.Parallel()
	a := c2patest.NewAuthority(t)
	history := source(t, a)
	png, mp4 := inPNG(t, a, order(history)), inMP4(t, a, clip(t, true), order(history))
	for name, tt := range map[string]struct {
		name   string
		file   []byte
		behind string
		by     int
		want   string
	}{
		"pixels":            {"out.png", png, "IDAT", 9, "assertion.dataHash.mismatch"},
		"text":              {"out.png", png, "Comment", 9, "assertion.dataHash.mismatch"},
		"actions of a PNG":  {"out.png", png, "Made smaller", 2, "assertion.hashedURI.mismatch"},
		"claim of a PNG":    {"out.png", png, "1.2.3", 2, "claimSignature.mismatch"},
		"media":             {"out.mp4", mp4, "mdat", 40, "assertion.bmffHash.mismatch"},
		"index":             {"out.mp4", mp4, "stco", 15, "assertion.bmffHash.mismatch"},
		"actions of an MP4": {"out.mp4", mp4, "Made smaller", 2, "assertion.hashedURI.mismatch"},
		"a source's action": {"out.mp4", mp4, "c2pa.created", 3, "ingredient.manifest.mismatch"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := bytes.Clone(tt.file)
			changed[bytes.Index(changed, []byte(tt.behind))+tt.by] ^= 1
			report := referee.Read(t, write(t, tt.name, changed), a.PEM)
			require.Equal(t, "Invalid", report.State, report.Error)
			require.Contains(t, report.Failures(), tt.want)
		})
	}
}
