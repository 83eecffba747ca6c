package ssimulacra2

import (
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// known is one line of testdata/reference.tsv, which says what its scores are.
type known struct {
	drawing       string
	width, height int
	distortion    string
	n             int
	checksum      uint32
	built, exact  float64
}

func (k known) name() string {
	return fmt.Sprintf("%s %dx%d %s %d", k.drawing, k.width, k.height, k.distortion, k.n)
}

func (k known) pictures(tb testing.TB) (reference, distorted Picture) {
	tb.Helper()
	reference = draw(k.drawing, k.width, k.height)
	return reference, distortions[k.distortion](tb, reference, k.n)
}

func knownScores(tb testing.TB) []known {
	tb.Helper()
	table, err := os.ReadFile("testdata/reference.tsv")
	require.NoError(tb, err)
	var list []known
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var k known
		_, err := fmt.Sscanf(line, "%s %d %d %s %d %x %f %f",
			&k.drawing, &k.width, &k.height, &k.distortion, &k.n, &k.checksum, &k.built, &k.exact)
		require.NoError(tb, err, line)
		list = append(list, k)
	}
	require.Greater(tb, len(list), 50)
	return list
}

// The reference's own rounding costs it up to 0.6 points on these pictures, so it is met in two ways: the program as
// it is within 0.5, more only where its rounding alone makes more, and the program without that rounding within 0.05.
func TestScoresAreThoseOfTheReferenceImplementation(t *testing.T) {
	t.Parallel()
	for _, k := range knownScores(t) {
		t.Run(k.name(), func(t *testing.T) {
			t.Parallel()
			reference, distorted := k.pictures(t)
			sum := crc32.Update(crc32.ChecksumIEEE(reference.Pix), crc32.IEEETable, distorted.Pix)
			require.Equal(t, k.checksum, sum, "these are not the pixels that the reference has scored")

			got, err := Compare(t.Context(), reference, distorted)
			require.NoError(t, err)
			require.InDelta(t, k.exact, got, 0.05)
			require.InDelta(t, k.built, got, max(0.5, math.Abs(k.built-k.exact)+0.05))
		})
	}
}
