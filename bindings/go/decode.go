// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include "bridge.h"
#include <ubf.h>
*/
import "C"

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"unsafe"
)

// field is one occurrence, in the library's memory.
type field C.struct_Bfield

func fieldsOf(out *C.struct_gow_out) decoder {
	if out.n < 0 {
		all := C.gow_fields_of(out.buf)
		out.fields, out.n, out.room = all.fields, all.n, all.n
	}
	return decoder{unsafe.Slice((*field)(unsafe.Pointer(out.fields)),
		int(out.n))}
}

// decoder reads the fields of a buffer where they lie.
type decoder struct {
	f []field
}

func bytesOf(p *C.char, n C.long) []byte {
	if p == nil || n <= 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), int(n))
}

// decode copies what an outcome has to *to: nothing of C stays in it.
func decode(out *C.struct_gow_out, to any) error {
	if x, is := to.(*[]byte); is && x != nil && isText(out) { // the most frequent one
		*x = append([]byte(nil), bytesOf(out.buf, out.len)...)
		return nil
	}
	if err := isPlace(to); err != nil {
		return err
	}
	if out.unread != 0 && to != nil {
		return fmt.Errorf("onewake: the fields of the buffer cannot be read: %s", C.GoString(&out.text[0]))
	}
	if isNilPointer(to) {
		return fmt.Errorf("onewake: a reply cannot go to %T: it is nil", to)
	}
	switch x := to.(type) {
	case nil:
		return nil
	case *any:
		return decodeAny(out, x)
	case *Lent:
		return decodeAny(out, &x.Value)
	case *string:
		*x = ""
		if out.kind == C.GOW_NULL {
			return nil
		}
		if isText(out) {
			*x = string(bytesOf(out.buf, out.len))
			return nil
		}
	case *[]byte:
		*x = nil
		if isText(out) {
			*x = append(*x, bytesOf(out.buf, out.len)...)
			return nil
		}
	case *Reused:
		x.Bytes = x.Bytes[:0]
		if isText(out) {
			x.Bytes = append(x.Bytes, bytesOf(out.buf, out.len)...)
			return nil
		}
		to = new([]byte) // which other buffers do not go to, either
	case *json.RawMessage:
		return decodeJSON(out, x)
	case *AsJSON:
		return toJSON(out, x)
	}
	return decodeFields(out, to)
}

// isNilPointer: of those that decode() knows; reflection finds the others.
func isNilPointer(to any) bool {
	switch x := to.(type) {
	case *any:
		return x == nil
	case *string:
		return x == nil
	case *[]byte:
		return x == nil
	case *json.RawMessage:
		return x == nil
	case *Lent:
		return x == nil
	case *Reused:
		return x == nil
	case *AsJSON:
		return x == nil
	}
	return false
}

// isText: its bytes are its value.
func isText(out *C.struct_gow_out) bool {
	return out.kind < C.GOW_UBF
}

func decodeJSON(out *C.struct_gow_out, to *json.RawMessage) error {
	*to = nil
	switch out.kind {
	case C.GOW_NULL:
		return nil
	case C.GOW_JSON:
		*to = append(*to, bytesOf(out.buf, out.len)...)
		return nil
	}
	var v any
	if err := decodeAny(out, &v); err != nil {
		return err
	}
	b, err := json.Marshal(v)
	*to = b
	return err
}

func decodeAny(out *C.struct_gow_out, to *any) error {
	*to = nil
	switch out.kind {
	case C.GOW_NULL:
	case C.GOW_STRING:
		*to = string(bytesOf(out.buf, out.len))
	case C.GOW_JSON:
		*to = json.RawMessage(append([]byte(nil), bytesOf(out.buf, out.len)...))
	case C.GOW_UBF, C.GOW_VIEW:
		d := fieldsOf(out)
		m := map[string]any{}
		_, err := d.toMap(0, -1, reflect.ValueOf(m))
		*to = m
		return err
	default:
		*to = append([]byte(nil), bytesOf(out.buf, out.len)...)
	}
	return nil
}

// isPlace: may something come to it? Asked before anything is sent for it.
func isPlace(to any) error {
	switch x := to.(type) { // without reflection
	case nil:
		return nil
	case *[]byte:
		if x != nil {
			return nil
		}
	case *string:
		if x != nil {
			return nil
		}
	}
	if v := reflect.ValueOf(to); v.Kind() != reflect.Pointer || v.IsNil() {
		return fmt.Errorf("onewake: a reply cannot go to %T: give a pointer", to)
	}
	return nil
}

func decodeFields(out *C.struct_gow_out, to any) error {
	v := reflect.ValueOf(to).Elem()
	if out.kind == C.GOW_JSON && (v.Kind() == reflect.Struct || v.Kind() == reflect.Map) {
		v.Set(reflect.Zero(v.Type())) // nothing stays of an earlier reply
		return json.Unmarshal(bytesOf(out.buf, out.len), to)
	}
	if out.kind == C.GOW_NULL {
		v.Set(reflect.Zero(v.Type()))
		return nil
	}
	if out.kind != C.GOW_UBF && out.kind != C.GOW_VIEW {
		return fmt.Errorf("onewake: the reply is no UBF or VIEW buffer, and does not go to %T", to)
	}
	d := fieldsOf(out)
	var err error
	switch {
	case v.Kind() == reflect.Struct && out.kind == C.GOW_VIEW:
		err = d.toView(C.GoString(&out.view[0]), v)
	case v.Kind() == reflect.Struct:
		_, err = d.toStruct(0, -1, v)
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		v.Set(reflect.MakeMap(v.Type()))
		_, err = d.toMap(0, -1, v)
	default:
		err = fmt.Errorf("onewake: UBF does not go to %T", to)
	}
	return err
}

// after is the first field behind field i and what is embedded in it.
func (d decoder) after(i int) int {
	k := i + 1
	for k < len(d.f) && int(d.f[k].parent) >= i {
		k++
	}
	return k
}

// reach is the member of a struct, also in one that it points to, which is made.
func reach(v reflect.Value, index []int) reflect.Value {
	for i, x := range index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v
}

// clearFields makes the members zero that a reply fills.
func clearFields(p *plan, v reflect.Value) {
	for _, f := range p.fields {
		if fv, err := v.FieldByIndexErr(f.index); err == nil {
			fv.Set(reflect.Zero(fv.Type()))
		}
	}
}

// toView fills a struct with the members of a view.
func (d decoder) toView(view string, v reflect.Value) error {
	p, err := planOf(v.Type())
	if err != nil {
		return err
	}
	if p.view == nil || C.GoString(p.view) != view {
		return fmt.Errorf("onewake: view %s does not go to %s", view, v.Type())
	}
	clearFields(p, v)
	for i := range d.f {
		k, ok := p.byName[C.GoString(d.f[i].name)]
		if !ok || (d.f[i].data == nil && int(d.f[i].occ) == 0 && !d.isRepeated(i)) {
			continue
		}
		if err := d.set(i, reach(v, p.fields[k].index)); err != nil {
			return fmt.Errorf("%s: %w", p.fields[k].name, err)
		}
	}
	return nil
}

// isRepeated: element i of a view is the first of several of its member.
func (d decoder) isRepeated(i int) bool {
	return i+1 < len(d.f) && d.f[i+1].occ > 0
}

// toStruct fills a struct with the fields from `i` on that lie in `parent`.
func (d decoder) toStruct(i, parent int, v reflect.Value) (int, error) {
	p, err := planOf(v.Type())
	if err != nil {
		return i, err
	}
	if p.view != nil {
		return i, fmt.Errorf("onewake: UBF does not go to %s, a view", v.Type())
	}
	if p.text {
		return i, fmt.Errorf("onewake: UBF does not go to %s, which is a text", v.Type())
	}
	clearFields(p, v)
	for i < len(d.f) && int(d.f[i].parent) == parent {
		if k, ok := p.byID[int32(d.f[i].id)]; ok {
			if err := d.set(i, reach(v, p.fields[k].index)); err != nil {
				return i, fmt.Errorf("%s: %w", p.fields[k].name, err)
			}
		}
		i = d.after(i)
	}
	return i, nil
}

// set puts field i into a variable: its next element if it is a slice, that of its
// occurrence if it is an array; of others the first occurrence counts.
func (d decoder) set(i int, to reflect.Value) error {
	if to.Kind() == reflect.Slice && to.Type().Elem().Kind() != reflect.Uint8 && !isTextual(to.Type()) {
		e := reflect.New(to.Type().Elem()).Elem()
		if err := d.one(i, e); err != nil {
			return err
		}
		to.Set(reflect.Append(to, e))
		return nil
	}
	occ := int(d.f[i].occ)
	if to.Kind() == reflect.Array && !isTextual(to.Type()) {
		if occ >= to.Len() {
			return fmt.Errorf("onewake: %s has no place for occurrence %d", to.Type(), occ)
		}
		return d.one(i, to.Index(occ))
	}
	if occ > 0 {
		return nil
	}
	return d.one(i, to)
}

// one puts field i into a variable that takes one. A null element of a view leaves
// it as it is.
func (d decoder) one(i int, to reflect.Value) error {
	if d.f[i].isNull() {
		return nil
	}
	switch to.Kind() {
	case reflect.Pointer:
		if to.IsNil() {
			to.Set(reflect.New(to.Type().Elem()))
		}
		return d.one(i, to.Elem())
	case reflect.Interface:
		x, err := d.natural(i)
		if err == nil && x != nil {
			to.Set(reflect.ValueOf(x))
		}
		return err
	}
	return d.scalar(i, to)
}

func (d decoder) scalar(i int, to reflect.Value) error {
	f := &d.f[i]
	if f._type == C.BFLD_VIEW && (to.Kind() == reflect.Struct || to.Kind() == reflect.Map) {
		return f.ofView(func(out *C.struct_gow_out) error {
			return decodeFields(out, to.Addr().Interface())
		})
	}
	kind := to.Kind()
	if (kind == reflect.Struct || kind == reflect.Array || kind == reflect.Slice) && f._type != C.BFLD_UBF &&
		isTextual(to.Type()) {
		return to.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(f.text()))
	}
	switch kind {
	case reflect.Struct:
		if f._type != C.BFLD_UBF {
			return fmt.Errorf("onewake: not an embedded buffer")
		}
		_, err := d.toStruct(i+1, i, to)
		return err
	case reflect.Map:
		if f._type != C.BFLD_UBF {
			return fmt.Errorf("onewake: not an embedded buffer")
		}
		to.Set(reflect.MakeMap(to.Type()))
		_, err := d.toMap(i+1, i, to)
		return err
	case reflect.String:
		to.SetString(f.text())
	case reflect.Slice:
		to.SetBytes(append([]byte(nil), f.bytes()...))
	case reflect.Float32, reflect.Float64:
		x, err := f.float()
		if to.OverflowFloat(x) {
			return fmt.Errorf("onewake: %g does not fit %s", x, to.Type())
		}
		to.SetFloat(x)
		return err
	case reflect.Bool:
		x, err := f.integer()
		to.SetBool(x != 0)
		return err
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		x, err := f.integer()
		if to.OverflowInt(x) {
			return fmt.Errorf("onewake: %d does not fit %s", x, to.Type())
		}
		to.SetInt(x)
		return err
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		x, err := f.integer()
		if x < 0 || to.OverflowUint(uint64(x)) {
			return fmt.Errorf("onewake: %d does not fit %s", x, to.Type())
		}
		to.SetUint(uint64(x))
		return err
	default:
		return fmt.Errorf("onewake: a field does not go to %s", to.Type())
	}
	return nil
}

// toMap fills a map: one occurrence is a value, several are a []any.
func (d decoder) toMap(i, parent int, m reflect.Value) (int, error) {
	for i < len(d.f) && int(d.f[i].parent) == parent {
		key := reflect.ValueOf(d.f[i].key()).Convert(m.Type().Key())
		e := reflect.New(m.Type().Elem()).Elem()
		if e.Kind() != reflect.Interface {
			if had := m.MapIndex(key); had.IsValid() {
				e.Set(had)
			}
			if err := d.set(i, e); err != nil {
				return i, fmt.Errorf("%s: %w", d.f[i].key(), err)
			}
			m.SetMapIndex(key, e)
			i = d.after(i)
			continue
		}
		x, err := d.natural(i)
		if err != nil {
			return i, err
		}
		if d.f[i].occ > 0 {
			had := m.MapIndex(key).Interface()
			list, ok := had.([]any)
			if !ok || d.f[i].occ == 1 {
				list = []any{had}
			}
			x = append(list, x)
		}
		m.SetMapIndex(key, reflect.ValueOf(&x).Elem())
		i = d.after(i)
	}
	return i, nil
}

// key is its name in a map.
func (f *field) key() string {
	if f.name != nil && f._type != C.BFLD_VIEW {
		return C.GoString(f.name)
	}
	return FieldName(int32(f.id))
}

// natural is a field as Go would have it: int64, float64, string, []byte, a map.
func (d decoder) natural(i int) (any, error) {
	f := &d.f[i]
	if f.isNull() {
		return nil, nil
	}
	switch f._type {
	case C.BFLD_SHORT, C.BFLD_LONG, C.BFLD_INT:
		return f.integer()
	case C.BFLD_FLOAT, C.BFLD_DOUBLE:
		return f.float()
	case C.BFLD_STRING, C.BFLD_CHAR:
		return f.text(), nil
	case C.BFLD_UBF:
		m := map[string]any{}
		_, err := d.toMap(i+1, i, reflect.ValueOf(m))
		return m, err
	case C.BFLD_VIEW:
		var m any
		err := f.ofView(func(out *C.struct_gow_out) error { return decodeAny(out, &m) })
		return m, err
	}
	return append([]byte(nil), f.bytes()...), nil
}

// ofView looks at the members of the view that is its value.
func (f *field) ofView(decode func(out *C.struct_gow_out) error) error {
	var out C.struct_gow_out
	C.gow_look_view(f.data, f.name, &out)
	defer C.gow_release(nil, out.fields)
	return decode(&out)
}

// isNull: an element of a view without a value.
func (f *field) isNull() bool {
	return f.name != nil && f.data == nil
}

func (f *field) bytes() []byte {
	return bytesOf(f.data, f.len)
}

func (f *field) text() string {
	switch f._type {
	case C.BFLD_SHORT, C.BFLD_LONG, C.BFLD_INT:
		x, _ := f.integer()
		return strconv.FormatInt(x, 10)
	case C.BFLD_FLOAT, C.BFLD_DOUBLE:
		x, _ := f.float()
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return string(f.bytes())
}

func (f *field) integer() (int64, error) {
	b := f.bytes()
	switch f._type {
	case C.BFLD_SHORT:
		return int64(int16(native.Uint16(b))), nil
	case C.BFLD_INT:
		return int64(int32(native.Uint32(b))), nil
	case C.BFLD_LONG:
		return int64(native.Uint64(b)), nil
	case C.BFLD_FLOAT, C.BFLD_DOUBLE:
		x, err := f.float()
		if !(x >= math.MinInt64 && x < math.MaxInt64) {
			return 0, fmt.Errorf("onewake: %g does not fit an integer", x)
		}
		return int64(x), err
	}
	return strconv.ParseInt(string(b), 10, 64)
}

func (f *field) float() (float64, error) {
	b := f.bytes()
	switch f._type {
	case C.BFLD_FLOAT:
		return float64(math.Float32frombits(native.Uint32(b))), nil
	case C.BFLD_DOUBLE:
		return math.Float64frombits(native.Uint64(b)), nil
	case C.BFLD_SHORT, C.BFLD_INT, C.BFLD_LONG:
		x, err := f.integer()
		return float64(x), err
	}
	return strconv.ParseFloat(string(b), 64)
}
