package atom_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/render/atom"
)

// movie is a moov of one track with the table of offsets.
func movie(kind string, entries ...[]byte) []byte {
	body := binary.BigEndian.AppendUint32(make([]byte, 4), uint32(len(entries)))
	b := atom.Box(kind, body, bytes.Join(entries, nil))
	for _, outer := range []string{"stbl", "minf", "mdia", "trak", "moov"} {
		b = atom.Box(outer, atom.Box("free"), b)
	}
	return b
}

func short(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

func long(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func TestOffsetsBehindThePlaceMove(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ before, after []byte }{
		"short": {movie("stco", short(99), short(100), short(5000)), movie("stco", short(99), short(107), short(5007))},
		"long":  {movie("co64", long(99), long(100), long(1<<40)), movie("co64", long(99), long(107), long(1<<40+7))},
		"none":  {movie("stco"), movie("stco")},
		"other": {movie("stsz", short(100)), movie("stsz", short(100))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, atom.MoveOffsets(tt.before, 100, 7))
			require.Equal(t, tt.after, tt.before)
		})
	}
	require.NoError(t, atom.MoveOffsets([]byte("no box"), 100, 0), "nothing is to be moved")
}

func TestOffsetsThatCannotMoveAreRefused(t *testing.T) {
	t.Parallel()
	require.ErrorIs(t, atom.MoveOffsets(movie("stco", short(math.MaxUint32-6)), 100, 7), atom.ErrFar)
	require.NoError(t, atom.MoveOffsets(movie("stco", short(math.MaxUint32-7)), 100, 7))
	cut := movie("stco", short(100))
	cut[len(cut)-5] = 2 // Two entries are claimed.
	require.ErrorIs(t, atom.MoveOffsets(cut, 100, 7), atom.ErrNoMP4)
	require.ErrorIs(t, atom.MoveOffsets([]byte("no box at all"), 100, 7), atom.ErrNoMP4)
}

func TestBoxesSideBySideAreListed(t *testing.T) {
	t.Parallel()
	first, second := atom.Box("free", []byte("a"), []byte("b")), atom.Box("skip")
	list, err := atom.List(append(bytes.Clone(first), second...))
	require.NoError(t, err)
	require.Equal(t, []atom.Atom{{Kind: "free", Whole: first, Body: []byte("ab")}, {Kind: "skip", Whole: second, Body: []byte{}}}, list)
	list, err = atom.List(nil)
	require.NoError(t, err)
	require.Empty(t, list)
	for name, b := range map[string][]byte{
		"a few bytes": []byte("abc"), "cut": first[:len(first)-1], "no length": append([]byte{0, 0, 0, 0}, first[4:]...),
		"too many": bytes.Repeat(second, atom.MaxBoxes+1),
	} {
		_, err := atom.List(b)
		require.ErrorIs(t, err, atom.ErrNoMP4, name)
	}
	inner, err := atom.Descend(movie("stco"), "moov", "trak", "mdia", "minf", "stbl")
	require.NoError(t, err)
	require.Len(t, inner, 2)
	require.Equal(t, "stco", inner[1].Kind)
	_, err = atom.Descend(atom.Box("moov", []byte("abc")), "moov")
	require.ErrorIs(t, err, atom.ErrNoMP4)
}
