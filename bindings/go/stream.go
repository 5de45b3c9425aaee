// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include "bridge.h"
#include <atmi.h>
*/
import "C"

import (
	"context"
	"errors"
	"io"
	"os"
	"time"
)

// Stream is one end of a conversation. It has a context of its own, and is used by
// one goroutine at a time. One end may send at a time, the other receives.
type Stream struct {
	s     *session
	cd    C.int
	name  string
	sends bool
	over  bool
}

// Turn says who sends.
type Turn int

// Who sends first, and after a Send().
const (
	Ours   Turn = C.TPSENDONLY
	Theirs Turn = C.TPRECVONLY
)

// Connect begins a conversation with a service; `first` sends first. Close() ends
// it, also after an error.
func (c *Client) Connect(ctx context.Context, svc string, in any, first Turn) (*Stream, error) {
	if err := c.check(ctx, svc); err != nil {
		return nil, err
	}
	ms, err := limit(ctx)
	if err != nil {
		return nil, expired(ctx, svc)
	}
	e, err := encodeFor(ctx, svc, in)
	if err != nil {
		return nil, err
	}
	defer e.release()
	s, err := c.begin(svc)
	if err != nil {
		return nil, err
	}
	o := &s.g.out
	if C.gow_connect(s.g, cname(svc), e.in(), ms, C.long(first)|C.TPNOTRAN, o) != 0 {
		err := failed(o, svc).because(ctx)
		s.end()
		return nil, err
	}
	return &Stream{s: s, cd: o.cd, name: svc, sends: first == Ours}, nil
}

// Close ends the conversation at once, if it has not ended: the other end is told.
func (t *Stream) Close() {
	if t == nil || t.s == nil {
		return
	}
	t.s.mu.Lock()
	if !t.over && !t.s.closed {
		C.gow_discon(t.s.g, t.cd, &t.s.g.out)
	}
	t.over = true
	t.s.mu.Unlock()
	t.s.end()
}

// check refuses a Stream that Connect() has not made, and no ctx.
func (t *Stream) check(ctx context.Context) error {
	if t == nil || t.s == nil {
		return unmade("", errors.New("onewake: the stream was not made: Connect() makes one"))
	}
	return checkCtx(ctx, t.name)
}

// MaySend says whose turn it is: this end's.
func (t *Stream) MaySend() bool {
	return t != nil && t.sends && !t.over
}

// Send sends a message; next: who sends then.
func (t *Stream) Send(ctx context.Context, v any, next Turn) error {
	if err := t.check(ctx); err != nil {
		return err
	}
	e, err := encode(v)
	if err != nil {
		return err
	}
	defer e.release()
	flags := C.long(C.TPNOBLOCK)
	if next == Theirs {
		flags |= C.TPRECVONLY
	}
	for nap := time.Millisecond; ; nap *= 2 {
		err := t.send(e, flags)
		if err == nil {
			t.sends = next == Ours
		}
		if !errors.Is(err, TPEBLOCK) {
			return err
		}
		if nap > 8*time.Millisecond {
			nap = 8 * time.Millisecond
		}
		select { // the other end has not fetched what it was sent
		case <-time.After(nap):
		case <-ctx.Done():
			return overtaken(ctx, t.name)
		}
	}
}

func (t *Stream) send(e *encoder, flags C.long) error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if t.s.closed || t.over {
		return isOver(t.name)
	}
	o := &t.s.g.out
	if C.gow_conv_send(t.s.g, t.cd, e.in(), flags, o) != 0 {
		t.over = o.event != 0
		return failed(o, t.name)
	}
	return nil
}

// Recv waits for a message, which goes to *to. io.EOF: the service has returned,
// and what it returned has gone to *to. Another error has the Event with which the
// conversation ended, if it has. Afterwards MaySend() says whose turn it is.
func (t *Stream) Recv(ctx context.Context, to any) error {
	if err := t.check(ctx); err != nil {
		return err
	}
	if t.over {
		return isOver(t.name)
	}
	var out C.struct_gow_out
	for {
		came, err := t.s.wait(ctx, 50, func() (bool, C.int) {
			var ms C.int
			r := C.gow_recv(t.s.g, t.cd, &out, &ms)
			return r != 1, ms
		})
		if err != nil {
			return overtakenOr(ctx, t.name, err)
		}
		if came {
			return t.received(&out, to)
		}
	}
}

func overtakenOr(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return overtaken(ctx, name)
	}
	return err
}

func (t *Stream) received(out *C.struct_gow_out, to any) error {
	a := answer{*out}
	defer a.release()
	if out.err == 0 {
		return decode(out, to)
	}
	switch out.event {
	case C.TPEV_SENDONLY:
		t.sends = true
		return decode(out, to)
	case C.TPEV_SVCSUCC:
		t.over = true
		if err := decode(out, to); err != nil {
			return err
		}
		return io.EOF
	}
	t.over = out.event != 0
	return failed(out, t.name)
}

// wait calls `try` until it says that something has come, sleeping in Go's poller
// in between; try says how many ms it may sleep. An error: the conn was closed, its
// domain was shut down (ms < 0: nothing will come), or ctx has ended. It looks whether
// ctx has ended when it does anything, `most` ms apart.
func (c *conn) wait(ctx context.Context, most C.int, try func() (bool, C.int)) (bool, error) {
	came, gone := false, false
	err := c.raw.Read(func(uintptr) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.closed {
			return true
		}
		var ms C.int
		came, ms = try()
		if came {
			return true
		}
		gone = ms < 0
		if ms <= 0 {
			return true
		}
		if ms > most {
			ms = most
		}
		c.rouse(time.Duration(ms) * time.Millisecond)
		return false
	})
	_ = c.file.SetReadDeadline(time.Time{})
	if came {
		return true, nil
	}
	if gone {
		var out C.struct_gow_out
		C.gow_gone(&out)
		return false, failed(&out, "")
	}
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return false, err
	}
	return false, ctx.Err()
}
