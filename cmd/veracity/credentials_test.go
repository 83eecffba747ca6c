package main

import (
	"bytes"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/engine/c2pa/c2patest"
	"veracity/engine/c2pa/identity"
	"veracity/engine/c2pa/referee"
	"veracity/engine/mediatest"
)

// signing has a service sign with an identity of its own, whose root it answers.
func signing(t *testing.T) (change func(*Settings), root string) {
	t.Helper()
	cfg, rootPEM, err := identity.Development(t.TempDir(), time.Now())
	require.NoError(t, err)
	return func(s *Settings) { s.Credentials = cfg }, string(rootPEM)
}

// optimized has a file optimized and answers the output.
func (c customer) optimized(contentType string, data []byte) []byte {
	c.t.Helper()
	field := map[string]string{"image/png": "image_upload_id", "video/mp4": "video_upload_id"}[contentType]
	id := c.optimize(object(field, c.upload(contentType, data))).accepted()
	c.ended("/api/v1/optimize/"+id, "succeeded")
	got := c.send(http.MethodGet, "/api/v1/optimize/"+id+"/file", "")
	require.Equal(c.t, http.StatusOK, got.status)
	return got.body
}

func TestOptimizedFilesCarryContentCredentialsThatOthersTrust(t *testing.T) {
	t.Parallel()
	change, root := signing(t)
	s := working(t, change)
	authority := c2patest.NewAuthority(t)
	generator := authority.Leaf(t, "Maker of Pictures")
	generated := c2patest.Manifest{Actions: []c2patest.Action{{Name: "c2pa.created", SourceType: c2patest.Generated}}}
	anchors := root + authority.PEM
	for name, tt := range map[string]struct {
		kind, file string
		source     []byte
		ingredient bool
	}{
		"an image that was generated": {"image/png", "out.png", c2patest.PNG(t, generator, generated).File, true},
		"an image that says nothing":  {"image/png", "out.png", mediatest.PNG(t, 40, 30), false},
		"a video that was generated":  {"video/mp4", "out.mp4", c2patest.IntoMP4(t, film(t, 1), generator, generated).File, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := s.customer(account.Overrides{})
			out := c.optimized(tt.kind, tt.source)
			if tt.kind == "image/png" {
				_, err := png.Decode(bytes.NewReader(out))
				require.NoError(t, err)
			}
			path := filepath.Join(t.TempDir(), tt.file)
			require.NoError(t, os.WriteFile(path, out, 0o600))
			said := referee.Read(t, path, anchors)
			require.Equal(t, "Trusted", said.State, "%s", said.Raw)
			require.Empty(t, said.Failures())
			manifests := 1
			if tt.ingredient {
				manifests = 2
			}
			require.Len(t, said.Manifests(t), manifests)
			if !tt.ingredient || tt.kind != "image/png" {
				return
			}
			again := c.audit(inBase64(out)).ok()
			require.Equal(t, "ai", again["verdict"])
			lane, ok := again["lanes"].(map[string]any)["provenance"].(map[string]any)
			require.True(t, ok)
			require.Equal(t, "Maker of Pictures", lane["issuer"], "the issuer is who signed the picture as generated")
		})
	}
}

func TestWithoutASignerOutputsSayTheSameUnsigned(t *testing.T) {
	t.Parallel()
	s := working(t)
	c := s.customer(account.Overrides{})
	generator := c2patest.NewAuthority(t).Leaf(t, "Maker of Pictures")
	source := c2patest.PNG(t, generator, c2patest.Manifest{Actions: []c2patest.Action{{Name: "c2pa.created", SourceType: c2patest.Generated}}}).File
	require.Equal(t, "ai", c.audit(inBase64(source)).ok()["verdict"])
	out := c.optimized("image/png", source)
	require.NotContains(t, string(out), "caBX")
	require.Equal(t, "ai", c.audit(inBase64(out)).ok()["verdict"])
}
