// Package weights holds the product's own models: for each lane a folder with model.onnx and model.json, which the code
// under train writes. docs/models.md says what they are made from and how good they are.
package weights

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
)

// ErrNone says that this build holds no model for a lane.
var ErrNone = errors.New("this build holds no model for the lane")

// Each folder has a README, so that a build without a model in it is a build as well.
//
//go:embed pixels voice
var files embed.FS

// Files is the folder of the lane's model, or ErrNone.
func Files(lane string) (fs.FS, error) {
	if _, err := fs.Stat(files, lane+"/model.json"); err != nil {
		return nil, ErrNone
	}
	dir, err := fs.Sub(files, lane)
	if err != nil {
		return nil, fmt.Errorf("open the folder of a model: %w", err)
	}
	return dir, nil
}
