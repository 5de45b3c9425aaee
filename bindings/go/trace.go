// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include "bridge.h"
*/
import "C"

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"sync/atomic"
	"time"
	"unsafe"
)

// Trace is a W3C trace context: the trace of a request, and the span that what is asked
// for it gets as its parent. A zero ID: none.
type Trace struct {
	ID    [16]byte
	Span  [8]byte
	Flags byte
}

var errNoTrace = errors.New("onewake: it is no traceparent")

// ParseTrace reads a traceparent.
func ParseTrace(text string) (t Trace, err error) {
	var version [1]byte
	var flags [1]byte
	if len(text) < 55 || text[2] != '-' || text[35] != '-' || text[52] != '-' ||
		!lower(text[:55]) || !unhex(version[:], text[:2]) || !unhex(t.ID[:], text[3:35]) ||
		!unhex(t.Span[:], text[36:52]) || !unhex(flags[:], text[53:55]) ||
		version[0] == 0xff || version[0] == 0 && len(text) != 55 || len(text) > 55 && text[55] != '-' ||
		t.ID == [16]byte{} || t.Span == [8]byte{} {
		return Trace{}, errNoTrace
	}
	t.Flags = flags[0]
	return t, nil
}

func lower(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] >= 'A' && text[i] <= 'Z' {
			return false
		}
	}
	return true
}

func unhex(to []byte, text string) bool {
	n, err := hex.Decode(to, []byte(text))
	return err == nil && n == len(to)
}

// String is the traceparent.
func (t Trace) String() string {
	b := []byte("00-................................-................-..")
	hex.Encode(b[3:], t.ID[:])
	hex.Encode(b[36:], t.Span[:])
	hex.Encode(b[53:], []byte{t.Flags})
	return string(b)
}

// Child is a new span of the trace; of none, the first one of a new trace.
func (t Trace) Child() Trace {
	if t.ID == [16]byte{} {
		native.PutUint64(t.ID[:], nextID())
		native.PutUint64(t.ID[8:], nextID())
	}
	native.PutUint64(t.Span[:], nextID())
	return t
}

var lastID = func() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return native.Uint64(b[:])
}()

// nextID: ids are unique, and no secret. A counter in odd steps, of which all bits are
// mixed (splitmix64).
func nextID() uint64 {
	z := atomic.AddUint64(&lastID, 0x9e3779b97f4a7c15)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	if z ^= z >> 31; z == 0 {
		return 1
	}
	return z
}

type traceKey struct{}

// WithTrace makes the calls that get the result part of a trace.
func WithTrace(ctx context.Context, t Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceOf is the trace of which calls with ctx become part: in a handler, with its ctx,
// that of its request. Zero: each begins one.
func TraceOf(ctx context.Context) Trace {
	t, _ := ctx.Value(traceKey{}).(Trace)
	return t
}

func (t Trace) c() (c C.struct_tptrace) {
	c.trace_id = *(*[16]C.uchar)(unsafe.Pointer(&t.ID))
	c.span_id = *(*[8]C.uchar)(unsafe.Pointer(&t.Span))
	c.flags = C.uchar(t.Flags)
	return c
}

func traceFrom(c *C.struct_tptrace) (t Trace) {
	t.ID = *(*[16]byte)(unsafe.Pointer(&c.trace_id))
	t.Span = *(*[8]byte)(unsafe.Pointer(&c.span_id))
	t.Flags = byte(c.flags)
	return t
}

// The kinds of a Span.
const (
	HTTPServer = int(C.TPSPAN_HTTP_SERVER)
	HTTPClient = int(C.TPSPAN_HTTP_CLIENT)
)

// Span is a request by HTTP that has ended now, for a collector of traces.
type Span struct {
	Trace  Trace // its Span is that of this one
	Parent [8]byte
	Kind   int
	Method string
	Name   string // route, or host
	Status int    // 0: there was no answer
	Took   time.Duration
}

// Note notes it, while somebody reads spans (ndrxotel).
func (s *Span) Note() {
	parent := *(*[8]C.uchar)(unsafe.Pointer(&s.Parent))
	var method [16]C.char
	var name [64]C.char
	fill(method[:], s.Method)
	fill(name[:], s.Name)
	took := s.Took.Microseconds()
	if took < 0 {
		took = 0
	}
	C.gow_note(s.Trace.c(), &parent[0], C.int(s.Kind), C.int(s.Status), C.long(took), &method[0], &name[0])
}

// fill makes a text of C, cut off where there is no more room.
func fill(to []C.char, text string) {
	for i := 0; i < len(text) && i < len(to)-1; i++ {
		to[i] = C.char(text[i])
	}
}
