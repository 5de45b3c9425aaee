// SPDX-License-Identifier: Apache-2.0

// Package carry hands the tracestate of requests (W3C trace context) from the gate that gets them
// to the program that calls a URL for them.
//
// A message has room for a traceparent, and for no text of other systems. So the text lies in a
// file of the run folder that the gates and restoutsv of a domain have in memory, at a place
// that its trace id says. There is no lock: a place has a checksum of all that it holds.
//
//	writer                          reader
//	writes the place, in any order  copies it, and compares trace id and checksum
//
// Two writers of a place, or one that is killed in between, leave what no reader takes. A later
// trace at the same place overwrites it. Who finds nothing sends none: that is allowed, and a
// trace does not depend on it. On another node nothing is found.
package carry

import (
	"encoding/binary"
	"hash/crc32"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

const (
	places = 4096
	room   = 1024 // of a place: trace id, checksum, length, text
	head   = 16 + 4 + 4
	most   = 512 // bytes of a text that are passed on: longer ones are not
)

// Store is that file; NULL: none.
type Store struct {
	mu  sync.Mutex // of the writers of this process, and its readers
	mem []byte
}

// Open opens or makes it.
func Open(run string) (*Store, error) {
	f, err := os.OpenFile(filepath.Join(run, "tracestate"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Truncate(places * room); err != nil { // it has that size, or gets it
		return nil, err
	}
	// Its disk, too: a write by mmap() to a disk without room would be SIGBUS.
	if err := syscall.Fallocate(int(f.Fd()), 0, 0, places*room); err != nil {
		return nil, err
	}
	mem, err := syscall.Mmap(int(f.Fd()), 0, places*room, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return &Store{mem: mem}, nil
}

// Domain is the one of the domain, opened once; NULL: there can be none.
var Domain = sync.OnceValue(func() *Store {
	s, err := Open(filepath.Join(os.Getenv("NDRX_APPHOME"), "run"))
	if err != nil {
		return nil // a domain without a run folder: tracestate is not passed on
	}
	return s
})

func (s *Store) place(trace [16]byte) []byte {
	n := binary.LittleEndian.Uint32(trace[:]) ^ binary.LittleEndian.Uint32(trace[12:])
	at := int(n%places) * room
	return s.mem[at : at+room]
}

func sum(place []byte, n int) uint32 {
	return crc32.Update(crc32.ChecksumIEEE(place[:16]), crc32.IEEETable, place[head:head+n])
}

// Put keeps the tracestate of a request, if it has one that can be passed on.
func (s *Store) Put(trace [16]byte, h http.Header) {
	if s == nil || len(h["Tracestate"]) == 0 {
		return
	}
	text := strings.Join(h["Tracestate"], ",")
	if !isList(text) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.place(trace)
	copy(p, trace[:])
	binary.LittleEndian.PutUint32(p[20:], uint32(len(text)))
	copy(p[head:], text)
	binary.LittleEndian.PutUint32(p[16:], sum(p, len(text)))
}

// Get gives the one of a trace; "": none is known.
func (s *Store) Get(trace [16]byte) string {
	if s == nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.place(trace)
	if [16]byte(p[:16]) != trace {
		return ""
	}
	mine := make([]byte, room)
	copy(mine, p)
	n := binary.LittleEndian.Uint32(mine[20:])
	if n == 0 || n > most || [16]byte(mine[:16]) != trace ||
		sum(mine, int(n)) != binary.LittleEndian.Uint32(mine[16:]) || !isList(string(mine[head:head+n])) {
		return ""
	}
	return string(mine[head : head+n])
}

// isList: NAME=VALUE, of printable characters, with commas between.
func isList(text string) bool {
	if text == "" || len(text) > most || strings.Count(text, ",") >= 32 {
		return false
	}
	for _, member := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(strings.Trim(member, " \t"), "=")
		if ok && (name == "" || value == "") || !ok && strings.Trim(member, " \t") != "" {
			return false
		}
	}
	return !strings.ContainsFunc(text, func(c rune) bool { return c < ' ' && c != '\t' || c > '~' })
}
