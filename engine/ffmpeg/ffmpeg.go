// Package ffmpeg reads and makes video and sound through the programs ffprobe and ffmpeg. They are started as children
// of the engine's locked process, for one file each, and end with the call: what a clip is ([Tool.Probe]), a few of its
// pictures ([Tool.Frames]), its sound as samples ([Tool.Sound]) and, for encoders elsewhere, any other run over it
// ([Tool.Run]).
//
// Every start has the demuxer that the file's content asked for and no other, a list of decoders, bounds on pixels,
// memory, output and time, and no way to the network or to a second file. Limits of the product, lanes, verdicts and the
// choice of encoders do not belong here.
package ffmpeg

import (
	"errors"
	"fmt"
	"os"
)

// What can be wrong with a clip, beside faults of the machine. Test with errors.Is.
var (
	// ErrNoVideo says that the clip has no moving picture that can be decoded.
	ErrNoVideo = errors.New("the clip has no video that can be decoded")
	// ErrNoSound says that it has no sound track that can be decoded.
	ErrNoSound = errors.New("the clip has no sound that can be decoded")
	// ErrUndecodable says that the file is damaged, or is not what its beginning says.
	ErrUndecodable = errors.New("the clip cannot be decoded")
	// ErrOverTime says that the work took longer than the settings allow.
	ErrOverTime = errors.New("the clip takes too long to read")
)

// Tool starts ffprobe and ffmpeg. It may be used from many goroutines at once.
type Tool struct{ cfg Config }

// New checks the settings and that both programs are there.
func New(cfg Config) (*Tool, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	for name, path := range map[string]string{"FFmpeg": cfg.FFmpeg, "FFprobe": cfg.FFprobe} {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return nil, fmt.Errorf("ffmpeg: %s is %q: the path of the installed program is needed (Debian: apt-get install ffmpeg)", name, path)
		}
	}
	return &Tool{cfg}, nil
}
