// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include "bridge.h"
#include <atmi.h>
*/
import "C"

// Conversation is the service's end of a conversation, in the hands of its handler.
// Its request has what Connect() was given. It waits in the thread of the handler.
type Conversation struct {
	*Request
	cd    C.int
	s     *C.struct_gow_served
	e     *encoder
	out   C.struct_gow_out
	sends bool
}

func newConversation(r *Request, info *C.TPSVCINFO, s *C.struct_gow_served, e *encoder) *Conversation {
	return &Conversation{Request: r, cd: info.cd, s: s, e: e,
		sends: info.flags&C.TPSENDONLY != 0}
}

// MaySend says whose turn it is: this end's.
func (c *Conversation) MaySend() bool {
	return c.sends
}

// Send sends a message; next: who sends then. It waits while the other end has not
// fetched what it was sent. An error whose Event is not 0: the other end is gone.
func (c *Conversation) Send(v any, next Turn) error {
	if c.Request.out.Load() == nil {
		return isOver(c.Service)
	}
	c.e.begin()
	if err := c.e.value(v); err != nil {
		return err
	}
	c.s.in = c.e.in()
	flags := C.long(0)
	if next == Theirs {
		flags = C.TPRECVONLY
	}
	if C.gow_serve_send(c.cd, c.s, flags, &c.out) != 0 {
		return failed(&c.out, c.Service)
	}
	c.sends = next == Ours
	return nil
}

// Recv waits for a message, which goes to *to. Afterwards MaySend() says whose turn
// it is. An error whose Event is not 0: the other end is gone.
func (c *Conversation) Recv(to any) error {
	if c.Request.out.Load() == nil {
		return isOver(c.Service)
	}
	C.gow_serve_recv(c.cd, &c.out)
	defer C.gow_release(c.out.buf, c.out.fields)
	if c.out.event == C.TPEV_SENDONLY {
		c.sends = true
	} else if c.out.err != 0 {
		return failed(&c.out, c.Service)
	}
	return decode(&c.out, to)
}
