package ffmpeg

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestMain lets the test binary play other parts: see the roles.
func TestMain(m *testing.M) {
	var err error
	switch role, args := part(); role {
	case roleReport:
		err = beReporting()
	case roleParent:
		err = beParent()
	case roleTidy:
		err = beTidy(args[0])
	case roleEnter:
		err = beEntering(args[0], args[1])
	case rolePrisoner:
		err = bePrisoner(args[0])
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// part is the role that this process was started for, by its name or by its first argument.
func part() (role string, args []string) {
	if filepath.Base(os.Args[0]) == roleReport {
		return roleReport, nil
	}
	if len(os.Args) > 1 {
		return os.Args[1], os.Args[2:]
	}
	return "", nil
}

// beReporting becomes ffmpeg, which writes a report for each start (ffmpeg's FFREPORT, at the level "verbose").
func beReporting() error {
	report := filepath.Join(filepath.Dir(os.Args[0]), fmt.Sprintf("%d.log", os.Getpid()))
	return syscall.Exec(DefaultConfig().FFmpeg, os.Args, []string{"FFREPORT=file=" + report + ":level=40"})
}
