// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include <stdlib.h>
#include "bridge.h"
#include <ubf.h>
*/
import "C"

import (
	"bytes"
	"context"
	"encoding"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"sort"
	"strings"
	"sync"
	"unsafe"
)

// encoder makes records of values (bridge.h): one piece of C's memory, which any
// goroutine may hand to C, beside those of others.
type encoder struct {
	kind  C.int
	start unsafe.Pointer // of `size` bytes
	size  int
	buf   []byte // of them, those in use
	n     int32
	depth int   // of embedded buffers
	view  *plan // of a VIEW
	trace Trace // of the request
	// Many bytes of the caller, which are not copied: they stay where they are until
	// release(). nil: there are none.
	far []byte
	pin pinner
	can bool // release() will follow: not in a service, whose reply is sent when Go has returned
}

// So many bytes are worth the pin.
const many = 16 << 10

// An encoder that had a larger message does not keep its memory.
const mostKept = 1 << 20

const deepest = 500

var encoders = sync.Pool{New: func() any {
	e := new(encoder)
	runtime.SetFinalizer(e, (*encoder).free)
	return e
}}

func (e *encoder) free() {
	C.free(e.start)
}

// need makes room for n more bytes, which follow the others.
func (e *encoder) need(n int) []byte {
	at := len(e.buf)
	if at+n > e.size {
		size := 2*(at+n) + 256
		if at+n > mostKept { // it grows once, or seldom
			size = at + n + mostKept
		}
		p := C.realloc(e.start, C.size_t(size))
		if p == nil {
			panic("onewake: no memory")
		}
		e.start, e.size = p, size
	}
	e.buf = unsafe.Slice((*byte)(e.start), e.size)[:at+n]
	return e.buf[at:]
}

var native = binary.LittleEndian

// begin forgets what there was.
func (e *encoder) begin() {
	e.kind, e.buf, e.n, e.depth, e.view = C.GOW_NULL, e.buf[:0], 0, 0, nil
	e.trace = Trace{}
}

// encodeFor makes what is sent to a service, queue or event with ctx. release() follows.
func encodeFor(ctx context.Context, name string, v any) (*encoder, error) {
	e, err := encode(v)
	if err != nil {
		return nil, unmade(name, err)
	}
	e.trace = TraceOf(ctx)
	return e, nil
}

// encode makes what is sent of a value. release() follows.
func encode(v any) (*encoder, error) {
	e := encoders.Get().(*encoder)
	e.begin()
	e.can = true
	if err := e.value(v); err != nil {
		e.release()
		return nil, err
	}
	return e, nil
}

func (e *encoder) release() {
	if e.far != nil {
		e.pin.Unpin()
		e.far = nil
	}
	if e.size > mostKept {
		e.free()
		e.start, e.size, e.buf = nil, 0, nil
	}
	encoders.Put(e)
}

// in is what C gets: an argument, made anew for each call.
func (e *encoder) in() C.struct_gow_in {
	in := C.struct_gow_in{kind: e.kind, n: C.int(e.n)}
	if e.view != nil {
		in.view = C.uintptr_t(uintptr(unsafe.Pointer(e.view.view)))
		in.names = C.uintptr_t(uintptr(unsafe.Pointer(e.view.names)))
	} else if e.kind != C.GOW_UBF {
		in.len = C.long(len(e.buf))
	}
	if e.kind > C.GOW_OTHER {
		in.len-- // the NUL
	}
	in.data = C.uintptr_t(uintptr(e.start))
	if e.far != nil {
		in.data = C.uintptr_t(uintptr(unsafe.Pointer(&e.far[0])))
		in.len = C.long(len(e.far))
	}
	in.trace = e.trace.c()
	return in
}

func (e *encoder) text(kind C.int, s string) error {
	e.kind = kind
	copy(e.need(len(s)), s)
	return whole(s)
}

var errNUL = errors.New("onewake: a NUL inside text: send []byte")

// whole: text ends at a NUL, so what has one would be cut off.
func whole(s string) error {
	if strings.IndexByte(s, 0) >= 0 {
		return errNUL
	}
	return nil
}

func (e *encoder) bytes(kind C.int, b []byte) {
	e.kind = kind
	if len(b) >= many && e.can && e.pin.try(&b[0]) {
		e.far = b
		return
	}
	copy(e.need(len(b)), b)
}

func (e *encoder) value(v any) error {
	switch x := v.(type) {
	case nil:
		e.kind = C.GOW_NULL
		return nil
	case string:
		return e.text(C.GOW_STRING, x)
	case json.RawMessage:
		if bytes.IndexByte(x, 0) >= 0 {
			return errNUL
		}
		e.bytes(C.GOW_JSON, x)
		return nil
	case UBFOfJSON:
		err := e.text(C.GOW_UBF_OF_JSON, string(x))
		e.need(1)[0] = 0
		return err
	case ViewOfJSON:
		err := e.text(C.GOW_VIEW_OF_JSON, string(x))
		e.need(1)[0] = 0
		return err
	case []byte:
		e.bytes(C.GOW_CARRAY, x)
		return nil
	}
	rv := reflect.ValueOf(v)
	for rv.Kind() == reflect.Pointer && !rv.IsNil() {
		rv = rv.Elem()
	}
	e.kind = C.GOW_UBF
	switch rv.Kind() {
	case reflect.Struct:
		return e.structure(rv, -1)
	case reflect.Map:
		return e.mapping(rv, -1)
	}
	return fmt.Errorf("onewake: %T cannot be sent: give nil, string, []byte, json.RawMessage, a struct or a map", v)
}

// record adds the head of a record and room for its value.
func (e *encoder) record(id, kind, parent, size int32) []byte {
	padded := int(size+8) &^ 7
	p := e.need(16 + padded)
	native.PutUint32(p, uint32(id))
	native.PutUint32(p[4:], uint32(kind))
	native.PutUint32(p[8:], uint32(parent))
	native.PutUint32(p[12:], uint32(size))
	native.PutUint64(p[8+padded:], 0) // the NUL of a string
	e.n++
	return p[16:]
}

func (e *encoder) integer(id, parent int32, x int64) {
	native.PutUint64(e.record(id, C.BFLD_LONG, parent, 8), uint64(x))
}

func (e *encoder) number(id, parent int32, x float64) {
	native.PutUint64(e.record(id, C.BFLD_DOUBLE, parent, 8),
		math.Float64bits(x))
}

// field adds all occurrences of a field.
func (e *encoder) field(id, parent int32, v reflect.Value) error {
	switch v.Kind() {
	case reflect.String:
		s := v.String()
		copy(e.record(id, C.BFLD_STRING, parent, int32(len(s))), s)
		return whole(s)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.integer(id, parent, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if v.Uint() > math.MaxInt64 {
			return fmt.Errorf("onewake: %d does not fit a field", v.Uint())
		}
		e.integer(id, parent, int64(v.Uint()))
	case reflect.Float32, reflect.Float64:
		e.number(id, parent, v.Float())
	case reflect.Bool:
		n := int64(0)
		if v.Bool() {
			n = 1
		}
		e.integer(id, parent, n)
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return e.field(id, parent, v.Elem())
	case reflect.Slice, reflect.Array:
		if isTextual(v.Type()) {
			return e.marshalled(id, parent, v)
		}
		return e.occurrences(id, parent, v)
	case reflect.Struct:
		if _, is := viewOf(v.Type()); is {
			return e.viewInside(id, parent, v)
		}
		if isTextual(v.Type()) {
			return e.marshalled(id, parent, v)
		}
		at, err := e.enter(id, parent)
		if err == nil {
			err = e.structure(v, at)
			e.depth--
		}
		return err
	case reflect.Map:
		at, err := e.enter(id, parent)
		if err == nil {
			err = e.mapping(v, at)
			e.depth--
		}
		return err
	default:
		return fmt.Errorf("onewake: a field cannot be a %s", v.Type())
	}
	return nil
}

// marshalled adds a value that says itself what text it is.
func (e *encoder) marshalled(id, parent int32, v reflect.Value) error {
	b, err := v.Interface().(encoding.TextMarshaler).MarshalText()
	if err != nil {
		return err
	}
	return e.field(id, parent, reflect.ValueOf(string(b)))
}

// enter begins an embedded buffer: its number.
func (e *encoder) enter(id, parent int32) (int32, error) {
	if e.depth++; e.depth > deepest {
		return 0, fmt.Errorf("onewake: more than %d buffers inside each other: does the value hold itself?", deepest)
	}
	at := e.n
	e.record(id, C.BFLD_UBF, parent, 0)
	return at, nil
}

func (e *encoder) occurrences(id, parent int32, v reflect.Value) error {
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		b := v.Bytes()
		copy(e.record(id, C.BFLD_CARRAY, parent, int32(len(b))), b)
		return nil
	}
	for i := 0; i < v.Len(); i++ {
		if err := e.field(id, parent, v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) structure(v reflect.Value, parent int32) error {
	p, err := planOf(v.Type())
	if err != nil {
		return err
	}
	if p.view != nil {
		return e.members(p, v)
	}
	if p.text {
		return fmt.Errorf("onewake: %s is no buffer: give it as a field", v.Type())
	}
	for i := range p.fields {
		f := &p.fields[i]
		fv, err := v.FieldByIndexErr(f.index)
		if err != nil || f.omitempty && fv.IsZero() {
			continue // in a struct that is not there
		}
		if err := e.field(f.id, parent, fv); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

func (e *encoder) mapping(v reflect.Value, parent int32) error {
	if v.Type().Key().Kind() != reflect.String {
		return fmt.Errorf("onewake: %s: keys are names of fields", v.Type())
	}
	keys := v.MapKeys()
	sort.Slice(keys, func(i, k int) bool {
		return keys[i].String() < keys[k].String()
	})
	for _, k := range keys {
		id, err := FieldID(k.String())
		if err != nil {
			return err
		}
		if err := e.field(id, parent, v.MapIndex(k)); err != nil {
			return fmt.Errorf("%s: %w", k, err)
		}
	}
	return nil
}

// viewInside adds a field whose value is a view: its structure, which C makes.
func (e *encoder) viewInside(id, parent int32, v reflect.Value) error {
	in, err := encode(v.Interface())
	if err != nil {
		return err
	}
	defer in.release()
	var data *C.char
	var text [C.GOW_TEXT]C.char
	r := C.gow_make(&data, in.in(), &text[0])
	defer func() { C.gow_release(data, nil) }()
	if r != 0 {
		return errors.New(C.GoString(&text[0]))
	}
	size := C.Bvsizeof(in.view.view)
	to := e.record(id, C.BFLD_VIEW, parent, C.GOW_VIEW_NAME+int32(size))
	n := copy(to[:C.GOW_VIEW_NAME-1], C.GoString(in.view.view))
	to[n] = 0
	copy(to[C.GOW_VIEW_NAME:], bytesOf(data, size))
	return nil
}

// members adds the members of a view.
func (e *encoder) members(p *plan, v reflect.Value) error {
	e.kind, e.view = C.GOW_VIEW, p
	for i := range p.fields {
		f := &p.fields[i]
		fv, err := v.FieldByIndexErr(f.index)
		if err != nil {
			continue
		}
		if err := e.member(int32(i), fv, f.omitempty); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

func (e *encoder) member(number int32, v reflect.Value, omitempty bool) error {
	if omitempty && v.IsZero() {
		return nil
	}
	n, at := 1, func(int) reflect.Value { return v }
	if (v.Kind() == reflect.Slice || v.Kind() == reflect.Array) &&
		v.Type().Elem().Kind() != reflect.Uint8 && !isTextual(v.Type()) {
		n, at = v.Len(), v.Index
	}
	for i := 0; i < n; i++ {
		x := at(i)
		if x.Kind() == reflect.Struct && !isTextual(x.Type()) || x.Kind() == reflect.Map {
			return fmt.Errorf("onewake: a member of a view cannot be a %s", x.Type())
		}
		if err := e.field(number, int32(i), x); err != nil {
			return err
		}
	}
	return nil
}
