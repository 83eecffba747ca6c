package ffmpeg

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"veracity/engine/probe"
)

// maxPackets is how many packets of all tracks are counted. A clip of three minutes has 5,400 pictures and, in the
// finest cut that Opus has, 72,000 packets of sound a track.
const maxPackets = 300_000

// maxLine is the longest line of ffprobe's output; real ones stay under 1 KB.
const maxLine = 64 << 10

// entries is what ffprobe is asked for.
const entries = "packet=stream_index,pts_time,duration_time,flags" +
	":stream=index,codec_name,codec_type,width,height,sample_aspect_ratio,pix_fmt,color_range,color_space,color_transfer," +
	"color_primaries,avg_frame_rate,r_frame_rate,sample_rate,channels" +
	":stream_disposition=default,attached_pic,still_image,timed_thumbnails" +
	":stream_side_data=displaymatrix:format=duration"

// listing is what ffprobe says of a file.
type listing struct {
	streams []fields
	packets map[int]*packets
	// claimed is the length in seconds that the container gives, 0 when it gives none.
	claimed float64
	// count is how many packets were read.
	count int
}

// fields are one stream's properties by name.
type fields map[string]string

func (f fields) number(name string) int {
	n, err := strconv.Atoi(f[name])
	if err != nil {
		return 0
	}
	return n
}

func (f fields) is(disposition string) bool { return f["disposition:"+disposition] == "1" }

// known is a property's value, "" for the words by which ffprobe says that there is none.
func (f fields) known(name string) string {
	switch v := f[name]; v {
	case "unknown", "N/A", "unspecified", "reserved":
		return ""
	default:
		return v
	}
}

// list has ffprobe read a file's header and all of its packets. Nothing is decoded but for what a codec's parameters are
// found from.
func (t *Tool) list(ctx context.Context, path string, format probe.Format) (*listing, error) {
	input, err := t.fileInput(path, format)
	if err != nil {
		return nil, err
	}
	l := &listing{packets: map[int]*packets{}}
	args := append(
		[]string{"-hide_banner", "-loglevel", "error", "-max_alloc", strconv.Itoa(maxBlock), "-threads", "1"}, input...)
	args = append(args, "-read_intervals", "%+#"+strconv.Itoa(maxPackets), "-show_entries", entries, "-of", "compact")
	err = t.run(ctx, call{program: t.cfg.FFprobe, args: args, limit: t.cfg.ReadTimeout, stdout: l.read})
	if err != nil {
		return nil, ofFile(err)
	}
	return l, nil
}

// read takes ffprobe's compact output: a line for each section, "section|name=value|…". A track's side data follow its
// properties in the same line.
func (l *listing) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4096), maxLine)
	for lines.Scan() {
		section, rest, _ := strings.Cut(lines.Text(), "|")
		switch section {
		case "packet":
			l.packet(rest)
		case "stream":
			if len(l.streams) < maxStreams {
				l.streams = append(l.streams, properties(rest))
			}
		case "format":
			if claimed, ok := seconds(properties(rest)["duration"]); ok {
				l.claimed = claimed
			}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read ffprobe's output: %w", err)
	}
	return nil
}

func properties(line string) fields {
	f := fields{}
	for part := range strings.SplitSeq(line, "|") {
		if name, value, found := strings.Cut(part, "="); found {
			f[name] = value
		}
	}
	return f
}

// packet takes one packet's line. It makes no map of it: there are thousands.
func (l *listing) packet(line string) {
	if l.count == maxPackets {
		return
	}
	l.count++
	var index, at, length, flags string
	for part := range strings.SplitSeq(line, "|") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "stream_index":
			index = value
		case "pts_time":
			at = value
		case "duration_time":
			length = value
		case "flags":
			flags = value
		}
	}
	number, err := strconv.Atoi(index)
	if err != nil || number < 0 || number >= maxStreams {
		return
	}
	track := l.packets[number]
	if track == nil {
		track = &packets{}
		l.packets[number] = track
	}
	track.add(at, length, flags)
}

// seconds reads a time, which ffprobe writes as a decimal fraction or as N/A.
func seconds(text string) (float64, bool) {
	s, err := strconv.ParseFloat(text, 64)
	return s, err == nil && s > -maxTime && s < maxTime
}

// maxTime is beyond all times that are taken for one, in seconds: a year.
const maxTime = 365 * 24 * 3600
