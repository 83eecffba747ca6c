package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// effort is what a piece of work took: on the clock, and of the processors, all its processes together. The second wavers
// far less where others use the machine. peak is the most memory in bytes that one of its processes had resident.
type effort struct {
	wall, cpu time.Duration
	peak      int64
}

func (e effort) add(other effort) effort {
	return effort{wall: e.wall + other.wall, cpu: e.cpu + other.cpu, peak: max(e.peak, other.peak)}
}

// tool runs a program of the system to its end.
func tool(ctx context.Context, name string, args ...string) (effort, []byte, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // one of the tools that this run compares with
	start := time.Now()
	out, err := cmd.CombinedOutput()
	e := effort{wall: time.Since(start)}
	if err != nil {
		return e, out, fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(out))
	}
	e.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		e.peak = usage.Maxrss
		if runtime.GOOS != "darwin" { // macOS counts in bytes, others in KB
			e.peak <<= 10
		}
	}
	return e, out, nil
}

// tickLength is the unit of the kernel's times in /proc: USER_HZ is 100 on every architecture of Linux that Go knows.
const tickLength = 10 * time.Millisecond

// treeTime is the processor time of a process, of all below it, and of those that they have waited for. It is 0 where
// there is no /proc.
func treeTime(root int) (time.Duration, error) {
	if runtime.GOOS != "linux" {
		return 0, nil
	}
	processes, err := listProcesses()
	if err != nil {
		return 0, err
	}
	var sum time.Duration
	for id := range processes {
		if !below(processes, id, root) {
			continue
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
		if err != nil {
			continue // it has ended meanwhile, and its parent counts it
		}
		spent, err := processTime(string(stat))
		if err != nil {
			return 0, err
		}
		sum += spent
	}
	return sum, nil
}

// processTime reads a process's own times and those of its children that it has waited for out of /proc/PID/stat.
func processTime(stat string) (time.Duration, error) {
	// The name in brackets may hold anything; behind it, the times are the fields 12 to 15 (proc(5): 14 to 17 of all).
	const first, last = 11, 14
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) <= last {
		return 0, fmt.Errorf("%q does not say how long a process worked", stat)
	}
	var ticks int64
	for _, field := range fields[first : last+1] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read a process's times: %w", err)
		}
		ticks += n
	}
	return time.Duration(ticks * int64(tickLength)), nil
}

// peaks are the most memory in bytes that an engine's own process and the largest of its children had resident.
type peaks struct{ engine, child int64 }

// watchMemory looks at the processes below root until ctx ends: a child's peak is gone with it. It looks often, which
// takes time from what it watches, so the time of such a run counts for nothing.
func watchMemory(ctx context.Context, root int) (peaks, error) {
	var seen peaks
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		processes, err := listProcesses()
		if err != nil {
			return seen, err
		}
		for id, p := range processes {
			switch {
			case !below(processes, id, root):
			case p.engine:
				seen.engine = max(seen.engine, p.peak)
			default:
				seen.child = max(seen.child, p.peak)
			}
		}
		select {
		case <-ctx.Done():
			return seen, nil
		case <-tick.C:
		}
	}
}
