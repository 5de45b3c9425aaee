// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// entries is a file of lines NAME:VALUE that belongs to us and that nobody else may
// read. It is looked at before each use, and read again when it has changed.
type entries struct {
	path  string
	mu    sync.Mutex
	info  os.FileInfo
	lines map[string]string
	check time.Time
	index func(name, value string) (key, entry string, err error)
}

// How long a look at the file is good for.
const lookAgain = 100 * time.Millisecond

// get gives the lines. They are not changed later.
func (e *entries) get() (map[string]string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lines != nil && time.Now().Before(e.check) {
		return e.lines, nil
	}
	f, err := os.OpenFile(e.path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := isOurs(e.path, info); err != nil {
		return nil, err
	}
	e.check = time.Now().Add(lookAgain)
	if e.info != nil && os.SameFile(info, e.info) && info.ModTime().Equal(e.info.ModTime()) &&
		info.Size() == e.info.Size() {
		return e.lines, nil
	}
	lines, err := e.read(f)
	if err != nil {
		return nil, err
	}
	e.info, e.lines = info, lines
	return lines, nil
}

func isOurs(path string, info os.FileInfo) error {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file", path)
	}
	if int(s.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to user %d", path, s.Uid)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s can be read or written by others: mode %o", path, info.Mode().Perm())
	}
	return nil
}

func (e *entries) read(f *os.File) (map[string]string, error) {
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	lines := map[string]string{}
	in := bufio.NewScanner(bytes.NewReader(text))
	for in.Scan() {
		line := strings.TrimRight(in.Text(), "\r")
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("%s: a line is not NAME:VALUE", e.path)
		}
		key, entry, err := e.index(name, value)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", e.path, name, err)
		}
		lines[key] = entry
	}
	return lines, in.Err()
}
