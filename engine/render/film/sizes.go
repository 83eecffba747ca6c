package film

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

// sizes are the bytes of coded pictures: those of key frames and those between them.
type sizes struct {
	keys, others         int
	keyBytes, otherBytes int64
}

func (s sizes) bytes() int64 { return s.keyBytes + s.otherBytes }

// expect is what that many pictures take, at least, when they are coded as the samples were, with a key frame every so
// many: cuts add key frames that nobody knows of yet.
func (s sizes) expect(frames, keyEvery int) int64 {
	if s.keys == 0 {
		return 0
	}
	keys := min(1+(frames-1)/keyEvery, frames)
	bytes := float64(keys) * float64(s.keyBytes) / float64(s.keys)
	if s.others > 0 {
		bytes += float64(frames-keys) * float64(s.otherBytes) / float64(s.others)
	}
	return int64(math.Round(bytes))
}

// readSizes reads what ffmpeg's framecrc muxer says of one stream's packets.
func readSizes(path string) (sizes, error) {
	f, err := os.Open(path)
	if err != nil {
		return sizes{}, fmt.Errorf("read coded sizes: %w", err)
	}
	defer func() { _ = f.Close() }()
	s, err := parseSizes(io.LimitReader(f, maxListing))
	if err != nil {
		return sizes{}, fmt.Errorf("read coded sizes: %w", err)
	}
	return s, nil
}

// parseSizes reads lines of stream, decoding time, time, length, bytes and checksum, and further properties.
func parseSizes(r io.Reader) (sizes, error) {
	var s sizes
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		parts := strings.Split(lines.Text(), ",")
		if len(parts) < 6 {
			return sizes{}, fmt.Errorf("the packet in %.80q cannot be read", lines.Text())
		}
		n, err := strconv.ParseInt(strings.TrimSpace(parts[4]), 10, 64)
		if err != nil || n < 0 {
			return sizes{}, fmt.Errorf("the size in %.80q cannot be read", lines.Text())
		}
		if key, err := isKey(parts[6:]); err != nil {
			return sizes{}, fmt.Errorf("the flags in %.80q cannot be read", lines.Text())
		} else if key {
			s.keys++
			s.keyBytes += n
		} else {
			s.others++
			s.otherBytes += n
		}
	}
	return s, lines.Err()
}

// isKey reads a packet's flags, AV_PKT_FLAG_KEY being the lowest. They are written where they are anything else than that
// one alone.
func isKey(extras []string) (bool, error) {
	for _, extra := range extras {
		if text, found := strings.CutPrefix(strings.TrimSpace(extra), "F=0x"); found {
			flags, err := strconv.ParseUint(text, 16, 32)
			return flags&1 == 1, err
		}
	}
	return true, nil
}
