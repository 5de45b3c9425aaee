// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// files are those of an upload. They get their names when the whole form is there: a gate that
// is killed before leaves none of them behind. Files of a form beyond mostUnnamed have names at
// once, or a form could have the gate keep too many open; and so where the file system knows no
// files without a name.
type files struct {
	folder string // "": that for temporary files
	all    []filed
}

type filed struct {
	file *os.File // open until it has a name; nil: it has
	path string
}

const mostUnnamed = 16

// store takes a file in.
func (u *files) store(from io.Reader) error {
	f, err := u.create()
	if err != nil {
		return err
	}
	_, err = io.Copy(f.file, from)
	if f.path != "" {
		if e := f.file.Close(); err == nil {
			err = e
		}
		f.file = nil
	}
	u.all = append(u.all, f) // also one that is not whole: remove() follows
	return err
}

func (u *files) create() (f filed, err error) {
	if u.folder == "" {
		u.folder = os.TempDir()
	}
	if len(u.all) < mostUnnamed {
		fd, err := unix.Open(u.folder, unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
		if err == nil {
			return filed{file: os.NewFile(uintptr(fd), u.folder)}, nil
		}
	}
	if f.file, err = os.CreateTemp(u.folder, "httpgate-*"); err == nil {
		f.path = f.file.Name()
	}
	return f, err
}

// name gives each its name, in the order in which they came.
func (u *files) name() (disk []string, err error) {
	for i := range u.all {
		f := &u.all[i]
		if f.file != nil {
			if err = f.link(u.folder); err != nil {
				return nil, err
			}
		}
		disk = append(disk, f.path)
	}
	return disk, nil
}

func (f *filed) link(folder string) (err error) {
	from := fmt.Sprintf("/proc/self/fd/%d", f.file.Fd())
	for n := 0; n < 100; n++ {
		path := filepath.Join(folder, fmt.Sprintf("httpgate-%d", rand.Uint64()))
		err = unix.Linkat(unix.AT_FDCWD, from, unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
		if err == nil {
			f.path = path
			break
		}
		if err != unix.EEXIST {
			return &os.PathError{Op: "linkat", Path: path, Err: err}
		}
	}
	if e := f.file.Close(); err == nil {
		err = e
	}
	f.file = nil
	return err
}

// remove takes them away.
func (u *files) remove() {
	for _, f := range u.all {
		if f.file != nil {
			f.file.Close()
		}
		if f.path != "" {
			os.Remove(f.path)
		}
	}
}
