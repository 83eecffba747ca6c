package main

import (
	"log/slog"
	"os"

	"golang.org/x/term"
)

// newLogger writes to stderr: text on a terminal, else JSON. What is logged never holds a key, a secret or media.
func newLogger(s *Settings) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.LogLevel)) // validated with the settings
	opts := &slog.HandlerOptions{Level: level}
	if !s.JSON && term.IsTerminal(int(os.Stderr.Fd())) {
		return slog.New(slog.NewTextHandler(os.Stderr, opts))
	}
	return slog.New(slog.NewJSONHandler(os.Stderr, opts))
}

// quietLogger is the logger of a command whose output is for people: what a server's log is glad to have is noise there.
func quietLogger(s *Settings) *slog.Logger {
	quiet := *s
	if quiet.LogLevel == "info" {
		quiet.LogLevel = "warn"
	}
	return newLogger(&quiet)
}
