package views

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
)

//go:embed static
var static embed.FS

// AssetPrefix is where the assets are served.
const AssetPrefix = "/static/"

// Asset is the address of a static file. It changes with the content, so that browsers may keep the file for good.
func Asset(name string) string {
	b, err := static.ReadFile("static/" + name)
	if err != nil {
		return AssetPrefix + name
	}
	sum := sha256.Sum256(b)
	return AssetPrefix + name + "?v=" + hex.EncodeToString(sum[:6])
}

// Assets are the static files.
func Assets() (fs.FS, error) {
	return fs.Sub(static, "static")
}
