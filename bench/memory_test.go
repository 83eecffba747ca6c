package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEngineIsFoundAmongProcesses(t *testing.T) {
	t.Parallel()
	status := []byte("Name:\tveracity\nPid:\t42\nPPid:\t41\nVmPeak:\t  999 kB\nVmHWM:\t    1024 kB\n")
	p := parseProcess(status, []byte("/bin/veracity\x00engine\x00--handoff\x003\x00"))
	require.Equal(t, process{id: 42, parent: 41, peak: 1 << 20, engine: true}, p)
	require.False(t, parseProcess(status, []byte("/bin/veracity\x00serve\x00")).engine)
	require.False(t, parseProcess(status, nil).engine, "a kernel thread has no command line")
}

func TestOnlyDescendantsAreBelow(t *testing.T) {
	t.Parallel()
	processes := map[int]process{1: {}, 10: {parent: 1}, 11: {parent: 10}, 12: {parent: 11}, 20: {parent: 1}}
	require.True(t, below(processes, 12, 10))
	require.False(t, below(processes, 20, 10))
	require.False(t, below(processes, 10, 12))
}
