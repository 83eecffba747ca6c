package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The files of a model's folder.
const (
	specFile    = "model.json"
	networkFile = "model.onnx"
)

// Most bytes of each. A network is held in memory while it loads, beside what ONNX Runtime makes of it.
const (
	maxSpecBytes    = 1 << 20
	maxNetworkBytes = 1 << 30
)

// folder is an operator's folder, or why there is none.
func folder(dir string) (fs.FS, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("a folder with %s and %s is needed: %w", specFile, networkFile, err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("this is a file: a folder with %s and %s is needed", specFile, networkFile)
	}
	return os.DirFS(dir), nil
}

// Paths are what is read of a model's folder: itself, and its files where links lead out of it.
func Paths(dir string) []string {
	paths := []string{dir}
	for _, name := range []string{specFile, networkFile} {
		path := filepath.Join(dir, name)
		if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
			paths = append(paths, real)
		}
	}
	return paths
}

// readSpec reads and checks model.json.
func readSpec(files fs.FS, lane Lane) (Spec, error) {
	text, err := readFile(files, specFile, maxSpecBytes)
	if err != nil {
		return Spec{}, err
	}
	spec, err := parseSpec(text)
	if err == nil {
		err = spec.validate(lane)
	}
	if err != nil {
		return Spec{}, fmt.Errorf("%s: %w", specFile, err)
	}
	return spec, nil
}

// parseSpec refuses fields that it does not know: a slip in a name would else leave a default in force unseen.
func parseSpec(text []byte) (Spec, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var spec Spec
	if err := decoder.Decode(&spec); err != nil {
		return Spec{}, explainJSON(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Spec{}, errors.New("something follows the closing brace: one JSON object is needed")
	}
	return spec, checkGiven(text)
}

// checkGiven refuses a calibration in which Go would fill something in unseen: a band that is left out is 0 to 0, by which
// everything is `ai`, and an array of two takes one number or three as well.
func checkGiven(text []byte) error {
	var given struct {
		Profiles map[Profile]struct {
			Points [][]*float64 `json:"points"`
			Band   struct {
				Real *float64 `json:"real"`
				AI   *float64 `json:"ai"`
			} `json:"band"`
		} `json:"profiles"`
	}
	if err := json.Unmarshal(text, &given); err != nil {
		return explainJSON(err)
	}
	const pair = 2
	for _, name := range slices.Sorted(maps.Keys(given.Profiles)) {
		calibration := given.Profiles[name]
		if calibration.Band.Real == nil || calibration.Band.AI == nil {
			return fmt.Errorf("profiles.%s.band lacks real or ai: both are needed, real 0 or ai 1 where the lane is never to say so", name)
		}
		for i, point := range calibration.Points {
			if len(point) != pair || slices.Contains(point, nil) {
				return fmt.Errorf("profiles.%s.points[%d] is no pair of numbers: [raw, probability] is needed", name, i)
			}
		}
	}
	return nil
}

// explainJSON says what is wrong in the words of JSON rather than Go's.
func explainJSON(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field == "" {
		return fmt.Errorf("it is a %s: one JSON object is needed", kind.Value)
	}
	if kind != nil {
		return fmt.Errorf("%s is a %s: that is no value for it (see the reference of its fields)", kind.Field, kind.Value)
	}
	if name, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		return fmt.Errorf("the field %s is unknown: remove it or mend its name", name)
	}
	return fmt.Errorf("not well-formed JSON: %w", err)
}

// readNetwork reads model.onnx and holds it against the hash that the spec gives.
func readNetwork(files fs.FS, spec Spec) ([]byte, error) {
	onnx, err := readFile(files, networkFile, maxNetworkBytes)
	if err != nil {
		return nil, err
	}
	if spec.SHA256 == "" {
		return onnx, nil
	}
	sum := sha256.Sum256(onnx)
	if found := hex.EncodeToString(sum[:]); found != spec.SHA256 {
		return nil, fmt.Errorf("%s: its SHA-256 is %s, and %s says %s: put the file in that it was written for, or mend sha256",
			networkFile, found, specFile, spec.SHA256)
	}
	return onnx, nil
}

// readFile reads a file of at most limit bytes. What it is is looked at first: to open a pipe waits for who writes into it.
func readFile(files fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(files, name)
	if err != nil {
		return nil, err // It names the act and the file already.
	}
	switch size := info.Size(); {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", name)
	case size == 0:
		return nil, fmt.Errorf("%s is empty", name)
	case size > limit:
		return nil, fmt.Errorf("%s has %d bytes: at most %d are allowed", name, size, limit)
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return data, nil
}
