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
	"fmt"
	"strings"
	"time"
)

// Code is tperrno. It is an error, so that errors.Is(err, onewake.TPENOENT) says
// whether a call failed for that reason.
type Code int

// What the functions of the library fail with.
const (
	TPEABORT      Code = C.TPEABORT
	TPEBADDESC    Code = C.TPEBADDESC
	TPEBLOCK      Code = C.TPEBLOCK
	TPEINVAL      Code = C.TPEINVAL
	TPELIMIT      Code = C.TPELIMIT
	TPENOENT      Code = C.TPENOENT
	TPEOS         Code = C.TPEOS
	TPEPERM       Code = C.TPEPERM
	TPEPROTO      Code = C.TPEPROTO
	TPESVCERR     Code = C.TPESVCERR
	TPESVCFAIL    Code = C.TPESVCFAIL
	TPESYSTEM     Code = C.TPESYSTEM
	TPETIME       Code = C.TPETIME
	TPETRAN       Code = C.TPETRAN
	TPGOTSIG      Code = C.TPGOTSIG
	TPEITYPE      Code = C.TPEITYPE
	TPEOTYPE      Code = C.TPEOTYPE
	TPEEVENT      Code = C.TPEEVENT
	TPEMATCH      Code = C.TPEMATCH
	TPEDIAGNOSTIC Code = C.TPEDIAGNOSTIC
)

// EventServiceFailed is the Event of a conversation whose service returned TPFAIL.
const EventServiceFailed = C.TPEV_SVCFAIL

func (c Code) Error() string {
	return C.GoString(C.tpecodestr(C.int(c)))
}

// Error is what a call has failed with.
type Error struct {
	Code    Code
	Text    string // what the library says of it
	Service string // or queue, or event
	Urcode  int64  // what a service that failed gave to tpreturn()
	Data    any    // what a service that failed has returned: as into *any
	Event   int64  // of a conversation that has ended: TPEV_...
	NotDone bool   // no server has begun the request, for sure; false: perhaps
	cause   error  // what ended the call, if that is an error itself
}

func (e *Error) Error() string {
	if e.Service == "" {
		return e.Text
	}
	return e.Service + ": " + e.Text
}

// Is makes errors.Is(err, code) true.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && code == e.Code
}

// Unwrap gives context.Canceled, context.DeadlineExceeded or ErrClosed if that ended
// the call, or why a value cannot be sent.
func (e *Error) Unwrap() error {
	return e.cause
}

// isFull: the queue of the service has no room. A service that returned TPEBLOCK has
// had the request, which must not be sent again.
func isFull(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == TPEBLOCK && e.NotDone
}

// because says that the deadline of ctx ended the call, if it did: the library
// looks at its own clock, and may be first.
func (e *Error) because(ctx context.Context) *Error {
	at, ok := ctx.Deadline()
	if e.Code == TPETIME && ok && !time.Now().Before(at) {
		e.cause = context.DeadlineExceeded
	}
	return e
}

// ErrClosed is inside the error of an operation of a client that is closed, or has been
// closed meanwhile: errors.Is(err, onewake.ErrClosed).
var ErrClosed = errors.New("onewake: the client is closed")

// notBegun is the error of an operation of a client that is closed.
func notBegun(name string) error {
	return &Error{Code: TPEPROTO, Service: name, cause: ErrClosed, NotDone: true,
		Text: "the client is closed: not done"}
}

// givenUp is the error of a call that was out when its client was closed.
func givenUp(name string) error {
	return &Error{Code: TPESYSTEM, Service: name, cause: ErrClosed,
		Text: "the client was closed: what became of the call is not known"}
}

// unwatched is the error of a call that was sent, and for whose reply there is no descriptor.
func unwatched(name string, why error) error {
	return &Error{Code: TPEOS, Service: name, cause: why,
		Text: fmt.Sprintf("%v: given up, what became of it is not known", why)}
}

// unmade is the error of an operation whose value cannot be sent, or whose reply has no
// place: nothing was sent.
func unmade(name string, why error) error {
	return &Error{Code: TPEINVAL, Service: name, cause: why, NotDone: true,
		Text: strings.TrimPrefix(why.Error(), "onewake: ")}
}

// afterwards is the error of an operation with the ctx of a transaction that is over.
func afterwards(name string) error {
	return &Error{Code: TPEPROTO, Service: name, NotDone: true,
		Text: "the transaction is over: not done"}
}

// isOver is the error of what a conversation cannot do any more.
func isOver(name string) error {
	return &Error{Code: TPEPROTO, Service: name, Text: "the conversation is over"}
}

// overtaken is the error of a call whose ctx has ended.
func overtaken(ctx context.Context, name string) error {
	e := &Error{Code: TPETIME, Service: name, cause: ctx.Err()}
	if ctx.Err() == context.Canceled {
		e.Code = TPEBLOCK
	}
	e.Text = fmt.Sprintf("%v: given up, what became of it is not known",
		ctx.Err())
	return e
}

// expired is the error of a call that is not made, as its ctx has ended before.
func expired(ctx context.Context, name string) error {
	e := overtaken(ctx, name).(*Error)
	e.NotDone = true
	e.Text = fmt.Sprintf("%v: not sent", ctx.Err())
	return e
}

// failed makes an error of an outcome, whose buffer stays with the caller.
func failed(out *C.struct_gow_out, name string) *Error {
	e := &Error{
		Code:    Code(out.err),
		Text:    C.GoString(&out.text[0]),
		Service: name,
		Event:   int64(out.event),
		NotDone: out.unbegun != 0,
	}
	// Of any other error it is that of an earlier reply.
	if e.Code == TPESVCFAIL || e.Code == TPEEVENT {
		e.Urcode = int64(out.urcode)
	}
	if out.kind != C.GOW_NULL {
		_ = decode(out, &e.Data)
	}
	return e
}
