package sign_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image/png"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/c2patest"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/sign"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
	"veracity/engine/render/atom"
)

const (
	uuidXMP  = "\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac"
	uuidC2PA = "\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81"
)

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func TestTheRestOfAPictureStays(t *testing.T) {
	t.Parallel()
	a := c2patest.NewAuthority(t)
	plain := mediatest.PNG(t, 40, 30, mediatest.PNGText("Comment", "stays"), mediatest.PNGTextAfterPixels("Title", "stays too"))
	out := inPNG(t, a, order(source(t, a)))
	var kinds []string
	var rest []byte
	for at := 8; at < len(out); {
		size := int(binary.BigEndian.Uint32(out[at:]))
		chunk := out[at : at+12+size]
		require.Equal(t, crc32.ChecksumIEEE(chunk[4:8+size]), binary.BigEndian.Uint32(chunk[8+size:]), "the checksum covers the signature")
		kinds = append(kinds, string(chunk[4:8]))
		if string(chunk[4:8]) != "caBX" {
			rest = append(rest, chunk...)
		}
		at += len(chunk)
	}
	require.Equal(t, plain, append(bytes.Clone(out[:8]), rest...))
	require.Equal(t, []string{"IHDR", "tEXt", "caBX", "IDAT", "tEXt", "IEND"}, kinds)
	_, err := png.Decode(bytes.NewReader(out))
	require.NoError(t, err)
}

func TestFilesThatAreNoPNGAreRefused(t *testing.T) {
	t.Parallel()
	whole := mediatest.PNG(t, 8, 8)
	signed := inPNG(t, c2patest.NewAuthority(t), order(nil))
	for name, tt := range map[string]struct {
		file []byte
		want error
	}{
		"nothing":    {nil, sign.ErrNoPNG},
		"a JPEG":     {mediatest.JPEG(t, 8, 8), sign.ErrNoPNG},
		"cut":        {whole[:len(whole)-1], sign.ErrNoPNG},
		"no picture": {join(whole[:33], mediatest.Chunk("IEND", nil)), sign.ErrNoPNG},
		"signed":     {signed, sign.ErrSigned},
		"signed behind the picture": {
			join(whole[:len(whole)-12], mediatest.Chunk("caBX", []byte("store")), mediatest.Chunk("IEND", nil)),
			sign.ErrSigned,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := sign.IntoPNG(tt.file, order(nil))
			require.ErrorIs(t, err, tt.want)
		})
	}
}

// decoded is the digest of every frame and sample of a clip.
func decoded(tb testing.TB, file []byte) string {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	defer cancel()
	out, err := exec.CommandContext(ctx, "ffmpeg", "-v", "error", "-xerror", "-i", write(tb, "clip.mp4", file), "-f", "framemd5", "-").CombinedOutput()
	require.NoError(tb, err, "%s", out)
	return string(out)
}

func TestTheRestOfAClipStays(t *testing.T) {
	t.Parallel()
	a := c2patest.NewAuthority(t)
	// Its store is longer than the pieces in which media move.
	large := c2patest.PNG(t, a.Leaf(t, "Source maker"), c2patest.Manifest{
		Actions: []c2patest.Action{{Name: "c2pa.created", SourceType: c2patest.Captured}},
		Extra:   []sign.Assertion{{Label: "org.test.filler", Value: cbor.Members{{Key: "filler", Value: bytes.Repeat([]byte("store"), 600_000)}}}},
	})
	for place, faststart := range map[string]bool{"index before the media": true, "index behind the media": false} {
		for name, tt := range map[string]struct {
			order sign.Order
			extra []byte
		}{
			"small":      {order(nil), mediatest.Box("uuid", []byte(uuidXMP+"<x:xmpmeta/>"))},
			"large":      {order(&large), nil},
			"large both": {order(&large), mediatest.Box("free", bytes.Repeat([]byte("media"), 1_900_000))},
		} {
			t.Run(place+", "+name, func(t *testing.T) {
				t.Parallel()
				plain := join(clip(t, faststart), tt.extra)
				out := inMP4(t, a, plain, tt.order)
				require.Equal(t, decoded(t, plain), decoded(t, out))
				before, err := atom.List(plain)
				require.NoError(t, err)
				after, err := atom.List(out)
				require.NoError(t, err)
				require.Equal(t, []string{"ftyp", "uuid"}, []string{after[0].Kind, after[1].Kind})
				after = append(after[:1], after[2:]...)
				require.Len(t, after, len(before))
				for i := range before {
					require.Equal(t, before[i].Kind, after[i].Kind)
					require.Len(t, after[i].Whole, len(before[i].Whole))
					if before[i].Kind != "moov" {
						require.True(t, bytes.Equal(before[i].Whole, after[i].Whole))
					}
				}
				requireTrustedClip(t, a, out)
			})
		}
	}
}

func TestFilesThatAreNoPlainMP4AreRefused(t *testing.T) {
	t.Parallel()
	whole := clip(t, true)
	front := int(binary.BigEndian.Uint32(whole))
	cutTable := bytes.Clone(whole)
	copy(cutTable[bytes.Index(cutTable, []byte("stco"))+8:], "\x7F\xFF\xFF\xFF")
	far := bytes.Clone(whole)
	copy(far[bytes.Index(far, []byte("stco"))+12:], "\xFF\xFF\xFF\xFF")
	encrypted := bytes.Replace(whole, []byte("stsz"), []byte("saio"), 1)
	for name, tt := range map[string]struct {
		file []byte
		want error
	}{
		"nothing":            {nil, atom.ErrNoMP4},
		"no MP4":             {[]byte("RIFF of some other kind"), atom.ErrNoMP4},
		"no ftyp":            {whole[front:], atom.ErrNoMP4},
		"ftyp alone":         {whole[:front], atom.ErrNoMP4},
		"cut":                {whole[:len(whole)-5], atom.ErrNoMP4},
		"two movies":         {join(whole, mediatest.Box("moov")), atom.ErrNoMP4},
		"items":              {join(whole, mediatest.FullBox("meta", 0)), atom.ErrNoMP4},
		"fragments":          {clips.Make(t, clips.Spec{Format: probe.MP4, Frames: 4, Fragmented: true}), atom.ErrNoMP4},
		"encryption":         {encrypted, atom.ErrNoMP4},
		"a table cut short":  {cutTable, atom.ErrNoMP4},
		"an offset too far":  {far, atom.ErrFar},
		"a store":            {inMP4(t, c2patest.NewAuthority(t), whole, order(nil)), sign.ErrSigned},
		"any box of C2PA":    {join(whole, mediatest.Box("uuid", []byte(uuidC2PA+"more"))), sign.ErrSigned},
		"a box of no length": {join(whole, []byte("\x00\x00\x00\x04uuid")), atom.ErrNoMP4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := sign.IntoMP4(write(t, "clip.mp4", tt.file), order(nil))
			require.ErrorIs(t, err, tt.want)
		})
	}
	_, err := sign.IntoMP4(t.TempDir()+"/none.mp4", order(nil))
	require.ErrorIs(t, err, os.ErrNotExist)
}
