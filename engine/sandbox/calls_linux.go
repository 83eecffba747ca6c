package sandbox

// deniedCalls are the system calls that decoding media never needs. Names that an architecture lacks are passed over.
// The listening socket is inherited, so that no call which makes or aims a socket is left.
func deniedCalls() []string {
	return []string{
		// The network, and any socket at all.
		"socket", "socketpair", "connect", "bind", "listen",
		// Ways around this filter and around Landlock's right to execute.
		"io_uring_setup", "io_uring_enter", "io_uring_register", "execveat", "memfd_create", "memfd_secret",
		// Other processes.
		"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "pidfd_getfd", "kcmp",
		"migrate_pages", "move_pages",
		// Namespaces, mounts and roots.
		"unshare", "setns", "mount", "umount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen",
		"fsconfig", "fsmount", "fspick", "mount_setattr", "statmount", "listmount", "swapon", "swapoff", "quotactl",
		"quotactl_fd", "open_by_handle_at", "name_to_handle_at", "fanotify_init", "mknod", "mknodat",
		// Kernel code, keys and tracing.
		"bpf", "perf_event_open", "userfaultfd", "lookup_dcookie", "keyctl", "add_key", "request_key", "init_module",
		"finit_module", "delete_module", "create_module", "get_kernel_syms", "query_module", "kexec_load",
		"kexec_file_load", "syslog", "_sysctl", "sysfs", "uselib", "nfsservctl", "acct", "afs_syscall", "vserver",
		// The machine: its clock, name, ports and power.
		"reboot", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "stime", "sethostname", "setdomainname",
		"ioperm", "iopl", "modify_ldt", "vm86", "vm86old", "vhangup",
		// Identity, and memory shared beyond the process.
		"setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "setfsuid", "setfsgid",
		"capset", "shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop", "semctl",
		"mq_open", "mq_unlink",
	}
}
