package private

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"veracity/platform/postgres"
)

const (
	// port is part of the socket's name; nothing listens on it.
	port = "5432"
	// maxSocketPath is what sun_path takes on macOS, 104 bytes with the closing zero; Linux takes 108.
	maxSocketPath = 103
)

// socketFolder is where the server listens: beside the data, or in /tmp where that path would be too long, or has a
// comma, which clients take for the end of one host and the start of the next.
func (h home) socketFolder() string {
	folder := filepath.Join(h.path, "run")
	if len(filepath.Join(folder, ".s.PGSQL."+port)) <= maxSocketPath && !strings.Contains(folder, ",") {
		return folder
	}
	sum := sha256.Sum256([]byte(h.path))
	return "/tmp/veracity-" + strconv.Itoa(int(h.user.uid)) + "-" + hex.EncodeToString(sum[:6])
}

// makeSocketFolder makes the folder anew, without the socket and its lock file that a killed server leaves. In /tmp
// somebody else may have taken the name: the removal then fails, or making it does.
func (h home) makeSocketFolder() error {
	if err := os.RemoveAll(h.socketFolder()); err != nil {
		return fmt.Errorf("clear socket folder: %w", err)
	}
	return h.giveFolder(h.socketFolder())
}

// address is the URL of a database of the server that listens in folder.
func address(folder, role, database string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User(role),
		Path:     "/" + database,
		RawQuery: postgres.Query(url.Values{"host": {folder}, "port": {port}}),
	}
	return u.String()
}
