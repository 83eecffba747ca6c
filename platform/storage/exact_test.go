package storage

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestExactReaderPassesOnlyTheDeclaredLength(t *testing.T) {
	t.Parallel()
	shapes := map[string]func(io.Reader) io.Reader{
		"plain":        func(r io.Reader) io.Reader { return r },
		"one byte":     iotest.OneByteReader,
		"halves":       iotest.HalfReader,
		"end with end": iotest.DataErrReader,
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				content := rapid.StringN(0, 40, -1).Draw(t, "content")
				declared := rapid.Int64Range(0, 60).Draw(t, "declared")
				got, err := io.ReadAll(newExactReader(shape(strings.NewReader(content)), declared))
				if int64(len(content)) == declared {
					require.NoError(t, err)
					require.Equal(t, content, string(got))
					return
				}
				require.ErrorIs(t, err, ErrSize)
				if declared > 0 {
					require.Less(t, int64(len(got)), declared, "the last bytes are held back")
				}
			})
		})
	}
}

func TestExactReaderKeepsTheSourcesError(t *testing.T) {
	t.Parallel()
	errSource := errors.New("gone")
	for _, declared := range []int64{0, 3, 4, 5} {
		r := newExactReader(io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(errSource)), declared)
		_, err := io.ReadAll(r)
		if declared == 0 {
			require.ErrorIs(t, err, ErrSize)
			continue
		}
		require.ErrorIs(t, err, errSource)
		_, again := r.Read(make([]byte, 1))
		require.Equal(t, err, again, "an error stays")
	}
}

func TestExactReaderGivesUpOnASourceThatGivesNothing(t *testing.T) {
	t.Parallel()
	r := newExactReader(emptyReader{}, 0)
	_, err := r.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.ErrNoProgress)
}

// emptyReader never ends and never gives.
type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }
