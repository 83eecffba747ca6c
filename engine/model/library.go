package model

import (
	"errors"
	"fmt"
	"os"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// minLibrary is the oldest ONNX Runtime with the C API that the binding is made for; newer ones hold it too.
const minLibrary = "1.22"

// ErrLibrary says that ONNX Runtime's shared library cannot be used: nothing is wrong with the model.
var ErrLibrary = errors.New("ONNX Runtime cannot be used")

// library is the one shared library of this process. It is never let go: its threads and memory live as long as models
// do, and a second one could not be told from it.
var library struct {
	sync.Mutex
	path string
}

// LoadLibrary loads ONNX Runtime's shared library, once a process. Its errors are ErrLibrary and name the path.
func LoadLibrary(path string) error {
	library.Lock()
	defer library.Unlock()
	switch {
	case path == "":
		return fmt.Errorf("%w: no shared library was found", ErrLibrary)
	case library.path == path:
		return nil
	case library.path != "":
		return fmt.Errorf("%w: %s is loaded already, and a process has one: %s cannot be loaded too", ErrLibrary, library.path, path)
	}
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("%w: %w", ErrLibrary, err)
	}
	ort.SetSharedLibraryPath(path)
	// What goes wrong comes back as an error; the library's own lines on standard error would tell it a second time.
	if err := ort.InitializeEnvironment(ort.WithLogLevelFatal()); err != nil {
		return fmt.Errorf("%w: %s: version %s or newer for this machine is needed: %w", ErrLibrary, path, minLibrary, err)
	}
	library.path = path
	return nil
}

// LibraryVersion is the version of the library that is loaded, "" before.
func LibraryVersion() string {
	library.Lock()
	defer library.Unlock()
	if library.path == "" {
		return ""
	}
	return ort.GetVersion()
}
