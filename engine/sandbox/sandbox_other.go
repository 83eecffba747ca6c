//go:build !linux

package sandbox

// Supported says whether this system has a sandbox at all.
func Supported() bool { return false }

// Enter answers ErrUnsupported.
func Enter(Policy, []string, []string) error { return ErrUnsupported }

// Describe answers the zero Status: nothing is locked.
func Describe() (Status, error) { return Status{}, nil }
