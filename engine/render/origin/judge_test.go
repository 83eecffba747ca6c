package origin

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAJudgeEndsWithItsAllowance(t *testing.T) {
	t.Parallel()
	record := text{key: parameters, value: "a duck\nSteps: 15, Sampler: UniPC, CFG scale: 5, Seed: 7"}
	j := &judge{left: 3 * leastJudged}
	for range 3 {
		require.True(t, j.states(cargo{texts: []text{record}}))
	}
	require.False(t, j.states(cargo{texts: []text{record}}))
	require.False(t, j.clipStates(record))
	require.Zero(t, j.left, "small questions cost something too")

	long := record
	long.value = strings.Repeat("a duck, ", leastJudged/4) + record.value
	j = &judge{left: leastJudged}
	require.False(t, j.states(cargo{texts: []text{long}}))
	require.False(t, j.states(cargo{texts: []text{record}}), "a question that was too long ends the asking, so that the order of blocks decides nothing")
}
