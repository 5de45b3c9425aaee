// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// conn is a context of the library: one goroutine at a time may use it, under
// mu. Calls whose replies nobody waits for in a thread are in `waiting`; one
// goroutine for the whole conn, poll(), sleeps in Go's own poller until the
// descriptor of the context is readable, and hands their replies out. So a call
// that is out costs a descriptor of a call and a channel, and no thread.
type conn struct {
	mu      sync.Mutex
	g       *C.struct_gow // nil when it is freed
	file    *os.File      // a copy of the context's descriptor
	raw     syscall.RawConn
	waiting map[int]*pending
	out     atomic.Int32 // calls in `waiting`
	closed  bool
	stale   bool          // file is of the domain before: anew() is to be tried again
	polled  bool          // poll() runs
	ended   chan struct{} // it has ended
	idle    func(*conn)   // nothing is out any more; nil: not wanted
	pause   breath
}

// pending is a call whose reply has not come.
type pending struct {
	done  chan struct{} // room for one: out is there
	out   C.struct_gow_out
	spare C.struct_gow_spare // memory of an earlier outcome, which goes with the next request
	name  string
	cd    int
	request
}

var pendings = sync.Pool{New: func() any {
	p := &pending{done: make(chan struct{}, 1)}
	runtime.SetFinalizer(p, (*pending).free)
	return p
}}

func (p *pending) free() {
	C.gow_release(p.spare.buf, p.spare.fields)
}

// The memory of a larger outcome is not kept.
const mostSpared = 16 << 10

// finish hands over the outcome; the text, which is long, only of a failure.
func (p *pending) finish(out *C.struct_gow_out) {
	if out.err != 0 {
		p.out = *out
	} else {
		type head [unsafe.Offsetof(out.text)]byte
		*(*head)(unsafe.Pointer(&p.out)) = *(*head)(unsafe.Pointer(out))
		p.out.text[0] = 0
	}
	p.done <- struct{}{}
}

// Calls of a client that was closed end with these in place of an error's code.
const (
	unsent = -1
	inHand = -2
)

func (p *pending) finishClosed(how C.int) {
	p.out.err = how
	p.done <- struct{}{}
}

// take makes the outcome of a call of what has come, and releases that. Nobody has
// p afterwards.
func (p *pending) take(ctx context.Context, out any) error {
	defer func() { // also if the program's own code panics, as UnmarshalJSON() may
		p.release()
		p.request = request{}
		pendings.Put(p)
	}()
	switch p.out.err {
	case 0:
		if lend(&p.out, out) {
			return nil
		}
		return decode(&p.out, out)
	case unsent:
		return notBegun(p.name)
	case inHand:
		return givenUp(p.name)
	}
	return failed(&p.out, p.name).because(ctx)
}

func (p *pending) release() {
	if p.out.buf == nil && p.out.fields == nil {
		return
	}
	if p.spare.buf == nil && p.spare.fields == nil && p.out.len <= mostSpared {
		p.spare = C.struct_gow_spare{buf: p.out.buf, fields: p.out.fields, room: p.out.room}
	} else {
		C.gow_release(p.out.buf, p.out.fields)
	}
	p.out.buf, p.out.fields = nil, nil
}

// answer is an outcome whose buffer has to be released.
type answer struct {
	out C.struct_gow_out
}

func (a *answer) release() {
	C.gow_release(a.out.buf, a.out.fields)
}

// caller is for whom the contexts of a client call; nil: for the program.
type caller struct {
	name   string
	appkey int64
}

// open makes a context, and joins the domain.
func open(as *caller) (*conn, error) {
	var out C.struct_gow_out
	c := &conn{waiting: map[int]*pending{}, ended: make(chan struct{})}
	if C.gow_open(&c.g, &out) != 0 {
		return nil, failed(&out, "")
	}
	if as != nil {
		name := C.CString(as.name)
		defer C.free(unsafe.Pointer(name))
		if C.gow_as(c.g, name, C.long(as.appkey), &out) != 0 {
			C.gow_close(c.g)
			return nil, failed(&out, as.name)
		}
	}
	if err := c.copyDescriptor(); err != nil {
		C.gow_close(c.g)
		return nil, err
	}
	return c, nil
}

// lowestCopy: numbers of copies are at least this, for a test that there is none.
var lowestCopy atomic.Uintptr

// copyDescriptor makes a copy of the descriptor, which is Go's: the library closes
// its own.
func (c *conn) copyDescriptor() error {
	fd, _, err := syscall.Syscall(syscall.SYS_FCNTL, uintptr(c.g.fd),
		syscall.F_DUPFD_CLOEXEC, lowestCopy.Load())
	if err != 0 {
		return err
	}
	file := os.NewFile(fd, "replies") // it does not block: Go polls it
	raw, e := file.SyscallConn()
	if e != nil {
		file.Close()
		return e
	}
	c.file, c.raw = file, raw
	return nil
}

// anew: the domain was shut down and started again. What was out is lost; the
// poller goes over to the new descriptor. Where there is none (EMFILE) it is stale: nothing
// tells when its replies come, so nothing is sent until another anew(). Locked.
func (c *conn) anew() error {
	var gone C.struct_gow_out
	C.gow_gone(&gone)
	c.end(&gone)
	old := c.file
	c.stale = true
	if err := c.copyDescriptor(); err != nil {
		return err
	}
	c.stale = false
	retire(old)
	return nil
}

// retire closes a descriptor in whose place there is another one. Close() waits until
// nobody reads it: that may be this goroutine, or one that waits for our mu.
func retire(old *os.File) {
	go old.Close()
}

// number is what C gets of g, which cgo then does not look at. Locked.
func (c *conn) number() C.uintptr_t {
	return C.uintptr_t(uintptr(unsafe.Pointer(c.g)))
}

func (c *conn) close() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.closed = true
	polled, file := c.polled, c.file
	for cd, p := range c.waiting {
		delete(c.waiting, cd)
		p.finishClosed(inHand)
	}
	c.mu.Unlock()
	file.Close() // wakes the poller
	if polled {
		<-c.ended
	}
	c.free()
}

// free frees what the conn has in C. Nobody waits in it any more; who comes sees
// `closed`.
func (c *conn) free() {
	c.mu.Lock()
	defer c.mu.Unlock()
	C.gow_close(c.g)
	c.g = nil
}

// park registers call `cd`, whose reply will come by the descriptor. Locked; the
// call is counted in `out`. Counted before the descriptor is on guard: the poller
// does not look while nothing is out, and would miss the byte.
func (c *conn) park(cd int, name string, look time.Duration) *pending {
	p := pendings.Get().(*pending)
	p.name, p.cd = name, cd
	c.waiting[cd] = p
	if look >= 0 {
		c.rouse(look)
	}
	if !c.polled {
		c.polled = true
		go c.poll()
	}
	return p
}

// forget gives up a call: its reply, if it has not come, is dropped.
func (c *conn) forget(p *pending) {
	c.mu.Lock()
	if c.waiting[p.cd] == p {
		delete(c.waiting, p.cd)
		if !c.closed {
			C.gow_cancel(c.g, C.int(p.cd))
		}
		c.left()
	}
	c.mu.Unlock()
	select {
	case <-p.done:
		p.release()
	default:
	}
}

// left counts one call less. Locked.
func (c *conn) left() {
	if c.out.Add(-1) == 0 && c.idle != nil {
		c.idle(c)
	}
}

// rouse lets the poller look when so much time has passed. Locked.
func (c *conn) rouse(after time.Duration) {
	_ = c.file.SetReadDeadline(time.Now().Add(after))
}

// poll hands out replies until the conn is closed. Go's poller reports that the
// descriptor has become readable, not that it is: each look goes on until there
// is nothing, and then the library has emptied the descriptor (tpreplytimeout()).
func (c *conn) poll() {
	defer close(c.ended)
	var before *os.File
	for {
		c.mu.Lock()
		file, raw, closed := c.file, c.raw, c.closed
		c.mu.Unlock()
		if closed {
			return
		}
		err := raw.Read(func(uintptr) bool { return c.look() })
		if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			_ = file.SetReadDeadline(time.Time{})
			c.look()
		} else if file == before {
			return // it was not closed by anew()
		} else {
			before = file
		}
	}
}

// look hands out what has come. True: the conn is closed.
func (c *conn) look() bool {
	for c.out.Load() > 0 {
		c.mu.Lock()
		if c.closed {
			c.mu.Unlock()
			return true
		}
		var ms C.int
		n := int(C.gow_drain(c.g, &ms))
		outs := unsafe.Slice(c.g.outs, n)
		for i := range outs {
			c.hand(&outs[i])
		}
		if ms < 0 {
			c.end(&c.g.out)
		}
		if ms > 0 {
			c.rouse(time.Duration(ms) * time.Millisecond)
		}
		c.mu.Unlock()
		if ms > 0 {
			return false
		}
	}
	return false
}

// end ends all calls that are out with an error. Locked.
func (c *conn) end(out *C.struct_gow_out) {
	for cd := range c.waiting {
		out.cd = C.int(cd)
		c.hand(out)
	}
}

func (c *conn) hand(out *C.struct_gow_out) {
	p := c.waiting[int(out.cd)]
	if p == nil {
		C.gow_release(out.buf, out.fields)
		return
	}
	delete(c.waiting, int(out.cd))
	p.finish(out)
	c.left()
}

var cstrings sync.Map // string -> *C.char, of names: few, and kept

func cname(s string) *C.char {
	if p, ok := cstrings.Load(s); ok {
		return p.(*C.char)
	}
	// A NUL would end it: it would be the name of something else. No name has this sign.
	p := C.CString(strings.ReplaceAll(s, "\x00", "\uFFFD"))
	if had, twice := cstrings.LoadOrStore(s, p); twice {
		C.free(unsafe.Pointer(p))
		return had.(*C.char)
	}
	return p
}
