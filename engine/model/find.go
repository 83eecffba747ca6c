package model

import (
	"os"
	"path/filepath"
	"runtime"
)

// libraryNames are the names of ONNX Runtime's shared library on this system: the one under which scripts/setup puts it,
// and that of the project's own archives and of packages.
func libraryNames() []string {
	if runtime.GOOS == "darwin" {
		return []string{"libonnxruntime.dylib", "libonnxruntime.1.dylib"}
	}
	return []string{"libonnxruntime.so.1", "libonnxruntime.so"}
}

// LibraryFolders are where the shared library is looked for: the cache of the user who runs, in which scripts/setup puts
// it, then the folders of machines that serve, then those of packages.
func LibraryFolders() []string {
	var folders []string
	if cache, err := os.UserCacheDir(); err == nil {
		folders = append(folders, filepath.Join(cache, "veracity", "lib"))
	}
	return append(folders, "/usr/local/lib/veracity", "/usr/lib/veracity", "/usr/local/lib", "/usr/lib",
		"/usr/lib/"+multiarch()+"-linux-gnu", "/opt/homebrew/lib")
}

// multiarch is Debian's name for this processor (https://wiki.debian.org/Multiarch/Tuples).
func multiarch() string {
	if runtime.GOARCH == "arm64" {
		return "aarch64"
	}
	return "x86_64"
}

// FindLibrary answers the path of the shared library, "" where there is none.
func FindLibrary() string {
	for _, folder := range LibraryFolders() {
		for _, name := range libraryNames() {
			path := filepath.Join(folder, name)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				return path
			}
		}
	}
	return ""
}
