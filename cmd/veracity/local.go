package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"veracity/engine"
	"veracity/engine/probe"
	"veracity/platform/fault"
)

// localFile is a file of this machine on its way to the engine.
type localFile struct {
	*os.File
	size int64
	// media is what the content says, "" when it says nothing.
	media engine.Media
}

func openLocal(name string) (localFile, error) {
	f, err := os.Open(name)
	if err != nil {
		return localFile{}, fault.Wrap(err, fault.InvalidImage, "The file cannot be opened: %v.", err)
	}
	local, err := lookAt(f, name)
	if err != nil {
		return localFile{}, errors.Join(err, f.Close())
	}
	return local, nil
}

func lookAt(f *os.File, name string) (localFile, error) {
	info, err := f.Stat()
	if err != nil {
		return localFile{}, fmt.Errorf("look at %s: %w", name, err)
	}
	if !info.Mode().IsRegular() {
		return localFile{}, fault.New(fault.InvalidImage, "This is no file.")
	}
	head := make([]byte, probe.HeadBytes)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return localFile{}, fmt.Errorf("read %s: %w", name, err)
	}
	media := probe.Sniff(head[:n]).Media()
	if media == engine.Video {
		// MP4 holds voice clips too; a file whose tracks cannot be read is the engine's to refuse.
		if video, sound, err := probe.Tracks(f, info.Size()); err == nil && sound && !video {
			media = engine.Audio
		}
	}
	return localFile{File: f, size: info.Size(), media: media}, nil
}

func (f localFile) source() engine.Source { return engine.Source{Body: f.File, Size: f.size} }
