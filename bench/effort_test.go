package main

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProcessTimeIsItsOwnAndItsChildrens(t *testing.T) {
	t.Parallel()
	// The name holds what would mislead a reader of fields.
	stat := "7 (a) b (c 1) S 1 7 7 0 -1 4194560 500 900 0 0 11 22 33 44 20 0 1 0 12345 1000000 200 18446744073709551615"
	spent, err := processTime(stat)
	require.NoError(t, err)
	require.Equal(t, (11+22+33+44)*tickLength, spent)
	_, err = processTime("7 (cut) S 1 7")
	require.Error(t, err)
}

func TestToolSaysWhatItsProgramTook(t *testing.T) {
	t.Parallel()
	took, out, err := tool(t.Context(), "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo done")
	require.NoError(t, err)
	require.Equal(t, "done\n", string(out))
	require.Positive(t, took.cpu)
	require.GreaterOrEqual(t, took.peak, int64(100<<10))
	_, _, err = tool(t.Context(), "sh", "-c", "echo why >&2; exit 3")
	require.ErrorContains(t, err, "why")
}

func TestTreeTimeCountsWhatHasEnded(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		spent, err := treeTime(os.Getpid())
		require.NoError(t, err)
		require.Zero(t, spent)
		return
	}
	before, err := treeTime(os.Getpid())
	require.NoError(t, err)
	took, _, err := tool(t.Context(), "sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
	require.NoError(t, err)
	after, err := treeTime(os.Getpid())
	require.NoError(t, err)
	require.GreaterOrEqual(t, after-before+3*tickLength, took.cpu.Truncate(time.Millisecond))
}
