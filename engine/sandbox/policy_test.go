package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPolicyNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	good := Policy{
		Program: "/bin/engine", Scratch: "/scratch",
		Limits: Limits{MemoryBytes: 1, FileBytes: 1, OpenFiles: 1, Processes: 1},
	}
	require.NoError(t, good.Validate())
	for field, spoil := range map[string]func(*Policy){
		"Program":     func(p *Policy) { p.Program = "engine" },
		"Scratch":     func(p *Policy) { p.Scratch = "" },
		"MemoryBytes": func(p *Policy) { p.Limits.MemoryBytes = 0 },
		"FileBytes":   func(p *Policy) { p.Limits.FileBytes = -1 },
		"OpenFiles":   func(p *Policy) { p.Limits.OpenFiles = 0 },
		"Processes":   func(p *Policy) { p.Limits.Processes = 0 },
	} {
		bad := good
		spoil(&bad)
		require.ErrorContains(t, bad.Validate(), field)
	}
}

func TestWeaknessesNameEachMissingPart(t *testing.T) {
	t.Parallel()
	whole := Status{LandlockABI: 4, Seccomp: true, NoNewPrivs: true, NoCapabilities: true, MemoryBytes: 1}
	require.Empty(t, whole.Weaknesses())
	require.Len(t, Status{}.Weaknesses(), 5)
	require.Equal(t, "abi 4", whole.Parts()["landlock"])
	old := whole
	old.LandlockABI, old.Seccomp = 1, false
	require.Equal(t, []string{"TCP is not locked", "system calls are not filtered"}, old.Weaknesses())
}
