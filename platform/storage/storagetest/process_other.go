//go:build !linux

package storagetest

import "syscall"

// dieWithParent asks for nothing: only Linux ends a child with its parent.
func dieWithParent() *syscall.SysProcAttr { return nil }
