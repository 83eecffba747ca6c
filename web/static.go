package web

import (
	"fmt"
	"net/http"

	"github.com/go-chi/chi/v5"

	"veracity/views"
)

// mountStatic serves what every visitor gets alike and without a session: assets, and the two files that browsers and
// robots ask for by fixed names.
func mountStatic(r chi.Router) error {
	assets, err := views.Assets()
	if err != nil {
		return fmt.Errorf("open assets: %w", err)
	}
	r.Get(views.AssetPrefix+"*", assets.ServeHTTP)
	r.Head(views.AssetPrefix+"*", assets.ServeHTTP)
	for path, name := range map[string]string{"/favicon.ico": "icon.svg", "/robots.txt": "robots.txt"} {
		r.Get(path, fixedName(assets, name))
		r.Head(path, fixedName(assets, name))
	}
	return nil
}

// fixedNameAge is how long a file may be kept under a name that does not change with it.
const fixedNameAge = "public, max-age=86400"

// fixedName serves an asset under a name without its hash.
func fixedName(assets http.Handler, name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		at := r.Clone(r.Context())
		at.URL.Path = views.Asset(name)
		w.Header().Set("Cache-Control", fixedNameAge)
		assets.ServeHTTP(w, at)
	}
}
