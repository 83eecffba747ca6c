package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// osUser is the operating system's user that the server runs as.
type osUser struct {
	name     string
	uid, gid uint32
}

// foreign tells whether this process must change its user to become u. Only root can, so it implies root.
func (u osUser) foreign() bool { return int(u.uid) != os.Geteuid() }

// credential is u for SysProcAttr, without supplementary groups; nil keeps the present user.
func (u osUser) credential() *syscall.Credential {
	if !u.foreign() {
		return nil
	}
	return &syscall.Credential{Uid: u.uid, Gid: u.gid}
}

// serverUser is whom to run the server as: ourselves, or when we are root the owner of the data that exist, or the user
// that PostgreSQL's packages make.
func serverUser(data string) (osUser, error) {
	owner, made, err := ownerOf(data)
	if err != nil {
		return osUser{}, err
	}
	if os.Geteuid() != 0 {
		return ourselves(data, owner, made)
	}
	if made && owner != 0 {
		found, err := user.LookupId(strconv.FormatUint(uint64(owner), 10))
		if err != nil {
			return osUser{}, fmt.Errorf("look up the owner of %s: %w", data, err)
		}
		return toOSUser(found)
	}
	// Debian and most others say postgres, macOS says _postgres.
	for _, name := range []string{"postgres", "_postgres"} {
		if found, err := user.Lookup(name); err == nil {
			return toOSUser(found)
		}
	}
	return osUser{}, errors.New("PostgreSQL refuses to run as root, and there is no user postgres to run it as: " +
		"start as another user, or make the user with \"adduser --system --group postgres\"")
}

func ourselves(data string, owner uint32, made bool) (osUser, error) {
	if made && int(owner) != os.Geteuid() {
		return osUser{}, fmt.Errorf("%s belongs to user id %d: start as that user or as root", data, owner)
	}
	found, err := user.Current()
	if err != nil {
		return osUser{}, fmt.Errorf("look up the current user: %w", err)
	}
	return toOSUser(found)
}

func toOSUser(found *user.User) (osUser, error) {
	uid, err := strconv.ParseUint(found.Uid, 10, 32)
	if err != nil {
		return osUser{}, fmt.Errorf("read user id of %s: %w", found.Username, err)
	}
	gid, err := strconv.ParseUint(found.Gid, 10, 32)
	if err != nil {
		return osUser{}, fmt.Errorf("read group id of %s: %w", found.Username, err)
	}
	return osUser{name: found.Username, uid: uint32(uid), gid: uint32(gid)}, nil
}

// ownerOf gives the user id that owns path; false when there is no such path.
func ownerOf(path string) (uint32, bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("look at %s: %w", path, err)
	}
	return info.Sys().(*syscall.Stat_t).Uid, true, nil
}
