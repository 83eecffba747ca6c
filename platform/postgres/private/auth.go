package private

import (
	"fmt"
	"path/filepath"
	"strings"
)

func (h home) hbaFile() string   { return filepath.Join(h.path, "pg_hba.conf") }
func (h home) identFile() string { return filepath.Join(h.path, "pg_ident.conf") }

// writeAuth says who may connect: over the socket, the server's user and root, and nobody else. The kernel vouches for
// the caller (peer), so there is no password to keep, and a socket folder whose mode was loosened still admits nobody.
// The files are written at every start, since root may start what a plain user made.
func (h home) writeAuth() error {
	if err := writeFile(h.hbaFile(), "local all all peer map=private\n", 0o644); err != nil {
		return err
	}
	var ident strings.Builder
	for _, caller := range []string{"root", h.user.name} {
		for _, role := range []string{Superuser, Role} {
			fmt.Fprintf(&ident, "private %s %s\n", quoteToken(caller), role)
		}
	}
	return writeFile(h.identFile(), ident.String(), 0o644)
}

// quoteToken keeps spaces, commas and signs in one token of PostgreSQL's authentication files and list settings.
func quoteToken(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }
