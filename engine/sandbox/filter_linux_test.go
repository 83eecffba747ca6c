package sandbox

import (
	"encoding/binary"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// judge runs the filter over one call in the machine that golang.org/x/net/bpf brings along.
func judge(t *testing.T, audit arch.AuditArch, number int, args ...uint64) uint32 {
	t.Helper()
	vm, err := bpf.NewVM(filterProgram(arch.X86_64))
	require.NoError(t, err)
	// struct seccomp_data with each half in the byte order of that machine.
	data := make([]byte, 64)
	binary.BigEndian.PutUint32(data[offsetNumber:], uint32(number))
	binary.BigEndian.PutUint32(data[offsetArch:], uint32(audit))
	for i, arg := range args {
		binary.BigEndian.PutUint32(data[offsetArg0+8*i:], uint32(arg))
		binary.BigEndian.PutUint32(data[offsetArg0+8*i+4:], uint32(arg>>32))
	}
	answer, err := vm.Run(data)
	require.NoError(t, err)
	return uint32(answer)
}

func TestFilterAnswers(t *testing.T) {
	t.Parallel()
	amd64, call := arch.X86_64.ID, arch.X86_64.SyscallNames
	const threadFlags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD
	cases := map[string]struct {
		arch   arch.AuditArch
		number int
		args   []uint64
		want   uint32
	}{
		"reading goes through":               {amd64, call["read"], nil, answerAllow},
		"accepting goes through":             {amd64, call["accept4"], nil, answerAllow},
		"starting a program goes through":    {amd64, call["execve"], nil, answerAllow},
		"a thread goes through":              {amd64, call["clone"], []uint64{threadFlags}, answerAllow},
		"a user namespace does not":          {amd64, call["clone"], []uint64{unix.CLONE_NEWUSER}, answerPerm},
		"nor with high bits set":             {amd64, call["clone"], []uint64{1<<32 | unix.CLONE_NEWNET}, answerPerm},
		"clone3 does not exist":              {amd64, call["clone3"], nil, answerNoSys},
		"sockets are refused":                {amd64, call["socket"], nil, answerPerm},
		"an ordinary ioctl goes through":     {amd64, call["ioctl"], []uint64{0, unix.TCGETS}, answerAllow},
		"typing into the terminal does not":  {amd64, call["ioctl"], []uint64{0, unix.TIOCSTI}, answerPerm},
		"nor behind high bits":               {amd64, call["ioctl"], []uint64{0, 1<<32 | unix.TIOCSTI}, answerPerm},
		"nor by the console's own call":      {amd64, call["ioctl"], []uint64{0, unix.TIOCLINUX}, answerPerm},
		"another architecture's call kills":  {arch.I386.ID, arch.I386.SyscallNames["read"], nil, answerKill},
		"an x32 call does not exist":         {amd64, arch.X32.SeccompMask, nil, answerNoSys},
		"a call newer than the table is new": {amd64, 5000, nil, answerNoSys},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, judge(t, c.arch, c.number, c.args...))
		})
	}
}

func TestEveryDeniedCallIsSpelledRight(t *testing.T) {
	t.Parallel()
	for _, name := range deniedCalls() {
		_, on64 := arch.X86_64.SyscallNames[name]
		_, on32 := arch.I386.SyscallNames[name]
		require.True(t, on64 || on32, name)
		if on64 {
			require.Equal(t, answerPerm, judge(t, arch.X86_64.ID, arch.X86_64.SyscallNames[name]), name)
		}
	}
}
