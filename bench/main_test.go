package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMeasurementsAreChosenByName(t *testing.T) {
	t.Parallel()
	o, err := readOptions([]string{"bin/veracity", "-pictures", "photos", "jobs", "callers"})
	require.NoError(t, err)
	require.Equal(t, "bin/veracity", o.program)
	require.Equal(t, []string{"jobs", "callers"}, o.names)
	require.Equal(t, "photos", o.pictures)
	require.Equal(t, filepath.Join("bin", "bench-media"), o.work)

	_, err = readOptions([]string{"bin/veracity", "nonsense"})
	require.ErrorContains(t, err, "requests, image-checks")
	_, err = readOptions(nil)
	require.Error(t, err)
}
