// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"bufio"
	"encoding/json"
	"os"
	"sync"
	"time"
)

// Line is what the access log has of a request. Nothing of the query, of headers or
// bodies is in it.
type Line struct {
	Time     time.Time     `json:"time"`
	Trace    string        `json:"trace"`
	Peer     string        `json:"peer"`
	Identity string        `json:"identity,omitempty"`
	Method   string        `json:"method"`
	Path     string        `json:"path"`
	Proto    string        `json:"proto"`
	Route    string        `json:"route,omitempty"`
	Status   int           `json:"status"`
	Code     int           `json:"tperrno,omitempty"`
	Bytes    int64         `json:"bytes"`
	Micros   int64         `json:"us"`
	Took     time.Duration `json:"-"`
}

// Log is the access log. Lines are written within a second. A file that was moved away
// is begun anew.
type Log struct {
	path string
	mu   sync.Mutex
	file *os.File
	out  *bufio.Writer
	stop chan struct{}
}

// NewLog makes it; path "": none.
func NewLog(path string) *Log {
	l := &Log{path: path, stop: make(chan struct{})}
	if path != "" {
		l.open()
		go l.tick()
	}
	return l
}

func (l *Log) open() {
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o640)
	if err != nil {
		os.Stderr.WriteString("httpgate: access_log: " + err.Error() + "\n")
		return
	}
	l.file, l.out = f, bufio.NewWriterSize(f, 1<<16)
}

func (l *Log) tick() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			l.flush()
		case <-l.stop:
			return
		}
	}
}

func (l *Log) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out != nil {
		_ = l.out.Flush()
		is, err := os.Stat(l.path)
		was, _ := l.file.Stat()
		if err == nil && os.SameFile(is, was) {
			return
		}
		l.file.Close()
	}
	l.out = nil
	l.open()
}

// Write adds a line.
func (l *Log) Write(line *Line) {
	if l.path == "" {
		return
	}
	line.Micros = line.Took.Microseconds()
	text, err := json.Marshal(line)
	if err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out != nil {
		_, _ = l.out.Write(append(text, '\n'))
	}
}

// Close writes what is left.
func (l *Log) Close() {
	if l.path == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out != nil {
		_ = l.out.Flush()
		l.file.Close()
		l.out = nil
		close(l.stop)
	}
}
