// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include "bridge.h"
*/
import "C"

// Lent is the place of a reply whose bytes need not be copied. Value is as *any would get
// it; but many bytes (CARRAY) are the library's own until Free(), which follows in any case.
// Where a reply cannot be lent, in a transaction for instance, it is a copy.
type Lent struct {
	Value any
	buf   *C.char
}

// Free gives the memory back: bytes of Value must not be read any more.
func (l *Lent) Free() {
	if l != nil && l.buf != nil {
		C.gow_release(l.buf, nil)
		l.Value, l.buf = nil, nil
	}
}

// Reused is the place of bytes that nobody reads any more when the next ones come: as *[]byte,
// but the bytes of the next message go where those of the one before were.
type Reused struct {
	Bytes []byte
}

// lend puts an outcome into *to, which takes the buffer over: nobody else frees it. False:
// that is not possible, or not worth it.
func lend(out *C.struct_gow_out, to any) bool {
	l, is := to.(*Lent)
	if !is || l == nil {
		return false
	}
	l.Free() // of an earlier reply
	if out.kind != C.GOW_CARRAY || out.len < many || out.buf == nil {
		return false
	}
	l.Value, l.buf = bytesOf(out.buf, out.len), out.buf
	out.buf = nil
	return true
}
