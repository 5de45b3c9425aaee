// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include "bridge.h"
#include <atmi.h>
*/
import "C"

import (
	"context"
	"runtime"
	"sync"
)

// Event is what was posted, or an unsolicited message.
type Event struct {
	a answer
}

// Decode copies the data of the event to *to, as that of a reply.
func (e *Event) Decode(to any) error {
	defer runtime.KeepAlive(e)
	return decode(&e.a.out, to)
}

// Subscription has the events to which it subscribes in C, which is closed with it, and
// when the domain was shut down: the next one does not know of it.
type Subscription struct {
	C    <-chan *Event
	s    *session
	stop context.CancelFunc
	gone sync.WaitGroup
}

// Subscribe subscribes to events whose names match a regular expression; filter: of
// their data, "" for all. Events that come while C is full wait, 256 at most, and
// then their posters do.
func (c *Client) Subscribe(expression, filter string) (*Subscription, error) {
	if err := c.check(context.Background(), expression); err != nil {
		return nil, err
	}
	s, err := c.begin(expression)
	if err != nil {
		return nil, err
	}
	f := (*C.char)(nil)
	if filter != "" {
		f = cname(filter)
	}
	if C.gow_subscribe(s.g, cname(expression), f, &s.g.out) != 0 {
		err := failed(&s.g.out, expression)
		s.end()
		return nil, err
	}
	events := make(chan *Event, 64)
	ctx, stop := context.WithCancel(context.Background())
	b := &Subscription{C: events, s: s, stop: stop}
	b.gone.Add(1)
	go b.receive(ctx, events)
	return b, nil
}

// Close ends the subscription.
func (b *Subscription) Close() {
	if b == nil || b.s == nil {
		return
	}
	b.stop()
	b.s.file.Close()
	b.gone.Wait()
	b.s.end()
}

func (b *Subscription) receive(ctx context.Context, to chan<- *Event) {
	defer b.gone.Done()
	defer close(to)
	for ctx.Err() == nil {
		var out C.struct_gow_out
		came, err := b.s.wait(ctx, 1000, func() (bool, C.int) {
			var ms C.int
			return C.gow_unsol(b.s.g, &out, &ms) == 0, ms
		})
		if err != nil {
			return
		}
		if !came {
			continue
		}
		e := &Event{answer{out}}
		runtime.SetFinalizer(e, func(e *Event) { e.a.release() })
		select {
		case to <- e:
		case <-ctx.Done():
			return
		}
	}
}

// Post posts an event, also as a part of the transaction of Do().
func (c *Client) Post(ctx context.Context, event string, v any) error {
	if err := c.check(ctx, event); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return expired(ctx, event)
	}
	e, err := encodeFor(ctx, event, v)
	if err != nil {
		return err
	}
	defer e.release()
	return c.with(ctx, event, func(k *conn, _ bool) error {
		if C.gow_post(k.g, cname(event), e.in(), &k.g.out) != 0 {
			return failed(&k.g.out, event)
		}
		return nil
	})
}
