// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include "bridge.h"
*/
import "C"

import "errors"

// Buffer is a typed buffer in C, made of what could be sent, and read as a reply is.
// It is for other functions of C, and for tests. One goroutine at a time may use it.
type Buffer struct {
	kind C.int
	buf  *C.char
	len  C.long
}

// NewBuffer makes a buffer of what could be sent. Free() follows.
func NewBuffer(v any) (*Buffer, error) {
	b := &Buffer{}
	return b, b.Set(v)
}

// Set makes the buffer anew, in its memory where it fits.
func (b *Buffer) Set(v any) error {
	e, err := encode(v)
	if err != nil {
		return err
	}
	defer e.release()
	if b.buf != nil && b.kind != e.kind {
		b.Free()
	}
	var text [C.GOW_TEXT]C.char
	in := e.in()
	b.kind, b.len = e.kind, in.len
	if C.gow_make(&b.buf, in, &text[0]) != 0 {
		return errors.New(C.GoString(&text[0]))
	}
	return nil
}

// Decode copies what it has to *to, as that of a reply.
func (b *Buffer) Decode(to any) error {
	var out C.struct_gow_out
	C.gow_look(b.buf, b.len, &out)
	defer C.gow_release(nil, out.fields)
	return decode(&out, to)
}

// Free frees it.
func (b *Buffer) Free() {
	C.gow_release(b.buf, nil)
	b.buf = nil
}
