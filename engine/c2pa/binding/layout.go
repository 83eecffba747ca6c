package binding

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"veracity/engine/c2pa/carrier"
	"veracity/engine/probe"
)

// Limits of the tables that say where media lie.
const (
	tableBlock     = 64 << 10
	tableAllowance = 128 << 20
	maxTracks      = 64
	// maxChunks takes 16 MB: three hours of sound and pictures, each sample a chunk of its own.
	maxChunks = 1 << 20
	// maxSamples bounds the samples whose sizes are looked up.
	maxSamples = 1 << 22
	// maxSlack is the share of the media, one in so many, that may belong to no chunk.
	maxSlack = 16
)

// believable says whether the tables of chunks of a file leave nobody room to show other bytes than those meant: the
// chunks of each track lie in the hashed mdat boxes in rising order, none overlaps another, and together they fill the
// boxes. Their sizes are hashed. Bindings of versions 1 and 2 had to leave the places out, which the specification later
// called insecure (2.2, appendix A.5.6); files made by those versions are laid out so. False also for what cannot be
// read.
func believable(f carrier.File, top []box) (bool, error) {
	l := layout{Blocks: f.NewBlocks(), file: f}
	err := l.read(f.Size)
	if errors.Is(err, errTables) || errors.Is(err, probe.ErrMalformed) || errors.Is(err, probe.ErrExcessive) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var mdats []carrier.Range
	var room, filled int64
	for _, x := range top {
		if x.kind == "mdat" {
			mdats = append(mdats, carrier.Range{Start: x.body, End: x.end})
			room += x.end - x.body
		}
	}
	slices.SortFunc(l.chunks, func(a, b carrier.Range) int { return cmp.Compare(a.Start, b.Start) })
	end := int64(0)
	for _, x := range l.chunks {
		if x.Start < end || !inside(x, mdats) {
			return false, nil
		}
		end = x.End
		filled += x.Len()
	}
	return room-filled <= room/maxSlack, nil
}

// errTables says that the tables contradict each other or are too long.
var errTables = errors.New("the tables of samples make no sense")

// layout gathers the chunks of all tracks.
type layout struct {
	*probe.Blocks
	file   carrier.File
	chunks []carrier.Range
	// samples is how many of them were looked up.
	samples int64
}

// table is one of the three tables of a track (ISO/IEC 14496-12, sections 8.7.3 to 8.7.5). Each is read through blocks of
// its own, since they are read in turns.
type table struct {
	probe.Box
	blocks *probe.Blocks
}

type tables struct{ sizes, runs, places table }

func (l *layout) read(size int64) error {
	movie, err := l.find(probe.Box{End: size}, "moov")
	if err != nil {
		return err
	}
	tracks := 0
	for x, err := range l.Boxes(movie.Body, movie.End, maxVisits) {
		if err != nil {
			return err
		}
		if x.Kind != "trak" {
			continue
		}
		if tracks++; tracks > maxTracks {
			return errTables
		}
		for _, kind := range []string{"mdia", "minf", "stbl"} {
			if x, err = l.find(x, kind); err != nil {
				return err
			}
		}
		if err := l.track(x); err != nil {
			return err
		}
	}
	return nil
}

// find is the one box of a kind in another.
func (l *layout) find(in probe.Box, kind string) (probe.Box, error) {
	var found probe.Box
	for x, err := range l.Boxes(in.Body, in.End, maxVisits) {
		switch {
		case err != nil:
			return probe.Box{}, err
		case x.Kind != kind:
		case found.Kind != "":
			return probe.Box{}, errTables
		default:
			found = x
		}
	}
	if found.Kind == "" {
		return probe.Box{}, errTables
	}
	return found, nil
}

func (l *layout) track(stbl probe.Box) error {
	var t tables
	for x, err := range l.Boxes(stbl.Body, stbl.End, maxVisits) {
		if err != nil {
			return err
		}
		var into *table
		switch x.Kind {
		case "stsz":
			into = &t.sizes
		case "stsc":
			into = &t.runs
		case "stco", "co64":
			into = &t.places
		default:
			continue
		}
		if into.Kind != "" {
			return errTables
		}
		*into = table{x, probe.NewBlocks(l.file.R, l.file.Size, tableBlock, tableAllowance)}
	}
	if t.sizes.Kind == "" || t.runs.Kind == "" || t.places.Kind == "" {
		return errTables
	}
	return l.lay(t)
}

// lay works out where each chunk of a track begins and ends.
func (l *layout) lay(t tables) error {
	sizes, err := openSizes(t.sizes)
	if err != nil {
		return err
	}
	count, err := t.places.number(4, 4)
	if err != nil {
		return err
	}
	if count > maxChunks-int64(len(l.chunks)) {
		return errTables
	}
	runs := chunkRuns{table: t.runs}
	width := int64(4)
	if t.places.Kind == "co64" {
		width = 8
	}
	last := int64(-1)
	for n := range count {
		start, err := t.places.number(8+n*width, width)
		if err != nil {
			return err
		}
		samples, err := runs.samples(n + 1)
		if err != nil {
			return err
		}
		if sizes.same == 0 {
			l.samples += samples
		}
		if l.samples > maxSamples {
			return errTables
		}
		length, err := sizes.next(samples)
		if err != nil {
			return err
		}
		if start <= last || length > l.file.Size-start {
			return errTables
		}
		last = start
		l.chunks = append(l.chunks, carrier.Range{Start: start, End: start + length})
	}
	return nil
}

// number reads a number of 4 or 8 bytes at an offset into the table's box.
func (t table) number(at, width int64) (int64, error) {
	if at > t.Len()-width {
		return 0, errTables
	}
	b, err := t.blocks.Bytes(t.Body+at, width)
	if err != nil {
		return 0, err
	}
	n := uint64(0)
	if width == 4 {
		n = uint64(binary.BigEndian.Uint32(b))
	} else {
		n = binary.BigEndian.Uint64(b)
	}
	if n > maxNumber {
		return 0, errTables
	}
	return int64(n), nil
}

// maxNumber is beyond any place in a file, and far from overflow.
const maxNumber = 1 << 32

// sampleSizes reads the table of sizes from front to back. count is how many are left.
type sampleSizes struct {
	table
	same  int64
	at    int64
	count int64
}

func openSizes(t table) (*sampleSizes, error) {
	same, err := t.number(4, 4)
	if err != nil {
		return nil, err
	}
	count, err := t.number(8, 4)
	if err != nil {
		return nil, err
	}
	return &sampleSizes{table: t, same: same, at: 12, count: count}, nil
}

// next is how long the next samples are together.
func (s *sampleSizes) next(samples int64) (int64, error) {
	if samples > s.count {
		return 0, errTables
	}
	s.count -= samples
	if s.same > 0 {
		if s.same > maxNumber/max(samples, 1) {
			return 0, errTables
		}
		return samples * s.same, nil
	}
	length := int64(0)
	for range samples {
		n, err := s.number(s.at, 4)
		if err != nil {
			return 0, err
		}
		if length += n; length > maxNumber {
			return 0, errTables
		}
		s.at += 4
	}
	return length, nil
}

// chunkRuns reads the table that says how many samples chunks have: each entry holds from its first chunk up to that of
// the next.
type chunkRuns struct {
	table
	entry     int64
	each, end int64
}

// samples is how many samples a chunk has; chunks count from 1 and are asked for in order.
func (r *chunkRuns) samples(chunk int64) (int64, error) {
	const size = 12
	for r.end == 0 || chunk >= r.end {
		count, err := r.number(4, 4)
		if err != nil {
			return 0, err
		}
		if r.entry >= count {
			return 0, errTables
		}
		if r.each, err = r.number(8+r.entry*size+4, 4); err != nil {
			return 0, err
		}
		r.end = maxNumber
		if r.entry++; r.entry < count {
			if r.end, err = r.number(8+r.entry*size, 4); err != nil {
				return 0, err
			}
		}
	}
	return r.each, nil
}
