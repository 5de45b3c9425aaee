// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include "bridge.h"
#include <atmi.h>
*/
import "C"

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"
)

// ErrEmpty: the queue has no message.
var ErrEmpty = errors.New("onewake: the queue is empty")

// with lends a context to fn: that of the transaction in which ctx is, or one of
// the quick ones.
func (c *Client) with(ctx context.Context, name string, fn func(k *conn, tran bool) error) error {
	if s := sessionOf(ctx, c); s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.closed {
			return afterwards(name)
		}
		return fn(s.conn, true)
	}
	q, home, err := c.lend(ctx)
	if err != nil {
		return expired(ctx, name)
	}
	if q == nil {
		return notBegun(name)
	}
	q.mu.Lock()
	defer func() {
		q.mu.Unlock()
		home.put(q)
	}()
	if q.closed {
		return notBegun(name)
	}
	return fn(q, false)
}

// lend gives a context for an operation that is no call, and where it goes afterwards. The
// quick ones may have calls out for long, which no other operation waits for. nil: the
// client is closed.
func (c *Client) lend(ctx context.Context) (*conn, *pool, error) {
	for _, p := range []*pool{&c.quick, &c.others} {
		if q := p.try(); q != nil {
			return q, p, nil
		}
	}
	home := &c.others
	q, none := c.another()
	if q != nil {
		return q, home, nil
	}
	if none {
		home = &c.quick
	}
	q, err := home.get(ctx)
	return q, home, err
}

// another makes a context for others; nil: there are enough, or, none, there is none.
func (c *Client) another() (k *conn, none bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed && c.made < c.most {
		if k, err := open(c.as); err == nil {
			c.made++
			c.all = append(c.all, k)
			return k, false
		}
	}
	return nil, c.made == 0
}

func tranFlag(tran bool) C.long {
	if tran {
		return 0
	}
	return C.TPNOTRAN
}

func messageID(o *C.struct_gow_out) string {
	return hex.EncodeToString(unsafe.Slice((*byte)(unsafe.Pointer(&o.id[0])),
		C.TMMSGIDLEN))
}

// Enqueue puts a message into a durable queue. When it returns without an error the
// message is on disk, or will be with the transaction of Do(). The result is the
// id of the message.
func (c *Client) Enqueue(ctx context.Context, space, queue string, v any) (id string, err error) {
	if err := c.check(ctx, queue); err != nil {
		return "", err
	}
	ms, err := limit(ctx)
	if err != nil {
		return "", expired(ctx, queue)
	}
	e, err := encodeFor(ctx, queue, v)
	if err != nil {
		return "", err
	}
	defer e.release()
	err = c.with(ctx, queue, func(k *conn, tran bool) error {
		o := &k.g.out
		if C.gow_enqueue(k.g, cname(space), cname(queue), e.in(), ms, tranFlag(tran), o) != 0 {
			return failed(o, queue).because(ctx)
		}
		id = messageID(o)
		return nil
	})
	return id, err
}

// A MessageError tells of a message of a durable queue that does not fit what it should
// go to. In a transaction of Do() it is in its queue again when that is rolled back.
// Outside of one it has been taken.
type MessageError struct {
	ID      string // that it had
	PutBack bool   // it is at the end of its queue, with another id
	Err     error  // why it does not fit; if it was not put back, why not, too
}

func (e *MessageError) Error() string {
	text := "message " + e.ID + ": " + strings.TrimPrefix(e.Err.Error(), "onewake: ")
	if e.PutBack {
		text += "; it is at the end of its queue"
	}
	return text
}

func (e *MessageError) Unwrap() error {
	return e.Err
}

// misfit puts a message back that does not fit.
func (k *conn) misfit(space, queue, id string, taken *C.struct_gow_out, err error) error {
	var o C.struct_gow_out
	if C.gow_put_back(k.g, cname(space), cname(queue), &k.g.taken, taken, limitOfPutBack, &o) != 0 {
		return &MessageError{ID: id, Err: fmt.Errorf("%w; it is lost, it cannot be put back: %v", err, failed(&o, queue))}
	}
	return &MessageError{ID: id, PutBack: true, Err: err}
}

const limitOfPutBack = 10000 // ms

var (
	errNoMessage = errors.New("onewake: the Message has none: Dequeue() puts one there")
	errIsBack    = errors.New("onewake: the message is back in its queue")
)

// A Message, as the place of a message of a durable queue, is that as it is, for who does
// not know yet whether it can be used.
type Message struct {
	*message
}

type message struct {
	a            answer
	ctl          C.TPQCTL
	space, queue string
	isBack       atomic.Bool // in its queue again
}

// keep makes the message that of an outcome, which goes with it.
func (m *Message) keep(a answer, ctl C.TPQCTL, space, queue string) {
	m.message = &message{a: a, ctl: ctl, space: space, queue: queue}
	runtime.SetFinalizer(m.message, func(m *message) { m.a.release() })
}

// Decode copies the message to *to, as Dequeue() does.
func (m *Message) Decode(to any) error {
	if m == nil || m.message == nil {
		return errNoMessage
	}
	defer runtime.KeepAlive(m.message)
	return decode(&m.a.out, to)
}

// PutBack puts a message that was taken outside of a transaction to the end of its queue,
// as it was, with another id. A Message that is back is refused: it would be there twice.
func (c *Client) PutBack(ctx context.Context, m *Message) error {
	if m == nil || m.message == nil {
		return unmade("", errNoMessage)
	}
	if err := c.check(ctx, m.queue); err != nil {
		return err
	}
	ms, err := limit(ctx)
	if err != nil {
		return expired(ctx, m.queue)
	}
	defer runtime.KeepAlive(m.message)
	if m.isBack.Swap(true) {
		return unmade(m.queue, errIsBack)
	}
	err = c.with(ctx, m.queue, func(k *conn, _ bool) error {
		o := &k.g.out
		if C.gow_put_back(k.g, cname(m.space), cname(m.queue), &m.ctl, &m.a.out, ms, o) != 0 {
			return failed(o, m.queue).because(ctx)
		}
		return nil
	})
	if err != nil {
		m.isBack.Store(false)
	}
	return err
}

// Dequeue takes the first message of a durable queue, which goes to *to. ErrEmpty:
// there is none; MessageError: it does not fit. The result is the id of the message.
func (c *Client) Dequeue(ctx context.Context, space, queue string, to any) (id string, err error) {
	if err := c.check(ctx, queue); err != nil {
		return "", err
	}
	ms, err := limit(ctx)
	if err != nil {
		return "", expired(ctx, queue)
	}
	if err := isPlace(to); err != nil {
		return "", unmade(queue, err)
	}
	err = c.with(ctx, queue, func(k *conn, tran bool) error {
		o := &k.g.out
		r := C.gow_dequeue(k.g, cname(space), cname(queue), 0, ms, tranFlag(tran), o)
		a := answer{*o}
		if m, kept := to.(*Message); kept && r == 0 {
			id = messageID(o)
			m.keep(a, k.g.taken, space, queue)
			return nil
		}
		defer a.release()
		if r == 1 {
			return ErrEmpty
		}
		if r != 0 {
			return failed(o, queue).because(ctx)
		}
		id = messageID(o)
		if err := decode(o, to); err != nil {
			if tran {
				return &MessageError{ID: id, Err: err}
			}
			return k.misfit(space, queue, id, o, err)
		}
		return nil
	})
	return id, err
}

// DequeueWait waits until there is a message, or ctx ends. It looks again and
// again, at most 50 ms apart: no thread waits, and what it takes is never lost.
func (c *Client) DequeueWait(ctx context.Context, space, queue string, to any) (string, error) {
	for nap := time.Millisecond; ; nap *= 2 {
		id, err := c.Dequeue(ctx, space, queue, to)
		if !errors.Is(err, ErrEmpty) {
			return id, err
		}
		if nap > 50*time.Millisecond {
			nap = 50 * time.Millisecond
		}
		select {
		case <-time.After(nap):
		case <-ctx.Done():
			return "", overtaken(ctx, queue)
		}
	}
}
