package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"os"
	"path/filepath"

	"veracity/engine/mediatest"
)

// picture is a made JPEG of quality 85 in the pictures' folder.
type picture struct {
	data []byte
	path string
	url  string
}

func (r *rig) draw(width, height int) (picture, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, mediatest.Photo(width, height), &jpeg.Options{Quality: 85}); err != nil {
		return picture{}, fmt.Errorf("encode a picture: %w", err)
	}
	name := fmt.Sprintf("%dx%d.jpg", width, height)
	p := picture{data: b.Bytes(), path: filepath.Join(r.pictureDir(), name), url: "http://" + r.pictureAddress + "/" + name}
	if err := os.WriteFile(p.path, p.data, 0o600); err != nil {
		return picture{}, fmt.Errorf("save a picture: %w", err)
	}
	return p, nil
}

// byBase64 is the body of a check that carries the picture, byURL of one that names it.
func (p picture) byBase64() ([]byte, error) {
	return json.Marshal(map[string]string{"image_base64": base64.StdEncoding.EncodeToString(p.data)})
}

func (p picture) byURL() ([]byte, error) {
	return json.Marshal(map[string]string{"image_url": p.url})
}
