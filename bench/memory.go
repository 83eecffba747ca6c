package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// reportMemory compares the engine's peak so far with the limit that its sandbox sets. The peak has the pages of
// programs and libraries in it, the limit has not.
func reportMemory(ctx context.Context, r *rig, t *table, what string) error {
	if runtime.GOOS != "linux" {
		t.note("engine's peak memory: not measured, since this system has no /proc")
		return nil
	}
	limit, err := r.engineLimit(ctx)
	if err != nil {
		return err
	}
	peak, err := enginePeak(r.server.cmd.Process.Pid)
	if err != nil {
		return err
	}
	t.add(row{
		what: "engine's peak memory after " + what, figure: fmt.Sprintf("%d MB", peak>>20),
		against: fmt.Sprintf("its limit %d MB", limit>>20), ratio: fmt.Sprintf("%.2f", float64(peak)/float64(limit)),
		aim: "at most 1", met: peak <= limit,
	})
	return nil
}

// engineLimit is the memory, in bytes, that the sandbox allows an engine.
func (r *rig) engineLimit(ctx context.Context) (int64, error) {
	text, err := r.program.setting(ctx, "VERACITY_ENGINE_MEMORY")
	if err != nil {
		return 0, err
	}
	limit, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read VERACITY_ENGINE_MEMORY: %w", err)
	}
	return limit, nil
}

// enginePeak is the most memory, in bytes, that an engine below the server has had resident at once.
func enginePeak(server int) (int64, error) {
	processes, err := listProcesses()
	if err != nil {
		return 0, err
	}
	var peak int64
	for id, p := range processes {
		if id != server && p.engine && below(processes, id, server) {
			peak = max(peak, p.peak)
		}
	}
	if peak == 0 {
		return 0, fmt.Errorf("process %d has no engine below it", server)
	}
	return peak, nil
}

// listProcesses gives all processes of the machine by their ids.
func listProcesses() (map[int]process, error) {
	paths, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	processes := map[int]process{}
	for _, path := range paths {
		status, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		command, err := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if err != nil {
			continue
		}
		p := parseProcess(status, command)
		processes[p.id] = p
	}
	return processes, nil
}

// process is what /proc says of one.
type process struct {
	id, parent int
	peak       int64
	engine     bool
}

func parseProcess(status, command []byte) process {
	var p process
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			continue
		}
		switch name {
		case "Pid":
			p.id = int(n)
		case "PPid":
			p.parent = int(n)
		case "VmHWM":
			p.peak = n << 10
		}
	}
	args := bytes.Split(command, []byte{0})
	p.engine = len(args) > 1 && string(args[1]) == "engine"
	return p
}

// below tells whether ancestor is among the parents of id.
func below(processes map[int]process, id, ancestor int) bool {
	for range processes {
		if id == ancestor {
			return true
		}
		id = processes[id].parent
	}
	return false
}
