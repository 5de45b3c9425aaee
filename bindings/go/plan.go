// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unsafe"
)

// plan says which fields of a struct are which fields of UBF:
//
//	type Account struct {
//		Number  string   `ubf:"T_ACCNUM"`
//		Balance *float64 `ubf:"T_AMTAVL"`           // nil: absent
//		Notes   []string `ubf:"T_NOTE,omitempty"`   // occurrences
//		Owner   Person   `ubf:"T_PERSON"`           // an embedded buffer, or a view
//	}
//
// Fields without a tag are left alone. Struct types without tags that have MarshalText() and
// UnmarshalText(), such as time.Time, are text. A struct is that of a view, if it says so:
//
//	type Account struct {
//		_       struct{} `view:"ACCOUNT"`
//		Number  string   `view:"number"`
//		Limits  []int    `view:"limits"`
//	}
type plan struct {
	fields []planned
	byID   map[int32]int
	view   *C.char // its name, of a view; then:
	names  **C.char
	byName map[string]int
	text   bool // it has no tags, and is text in a field, as time.Time is
}

type planned struct {
	index     []int
	name      string
	id        int32
	omitempty bool
}

var (
	plans sync.Map // reflect.Type -> *plan
	ids   sync.Map // string -> int32
	names sync.Map // int32 -> string
)

// FieldID is the id of a field in the field tables (FLDTBLDIR, FIELDTBLS).
func FieldID(name string) (int32, error) {
	if id, ok := ids.Load(name); ok {
		return id.(int32), nil
	}
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	var text [C.GOW_TEXT]C.char
	id := int32(C.gow_field_id(c, &text[0]))
	if id == 0 {
		return 0, fmt.Errorf("onewake: field %s: %s", name,
			C.GoString(&text[0]))
	}
	ids.Store(name, id)
	return id, nil
}

// FieldName is the name of a field, or its id in digits if no table has it.
func FieldName(id int32) string {
	if name, ok := names.Load(id); ok {
		return name.(string)
	}
	name := fmt.Sprint(id)
	if c := C.gow_field_name(C.int32_t(id)); c != nil {
		name = C.GoString(c)
	}
	names.Store(id, name)
	return name
}

// isWithin: a member of a struct that t has by an unexported pointer cannot be filled.
func isWithin(t reflect.Type, index []int) bool {
	for _, i := range index[:len(index)-1] {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		f := t.Field(i)
		if t = f.Type; t.Kind() == reflect.Pointer && !f.IsExported() {
			return true
		}
	}
	return false
}

// checkTag refuses a member with a tag that no value can go to.
func checkTag(t reflect.Type, f reflect.StructField) error {
	if !f.IsExported() {
		return fmt.Errorf("onewake: %s.%s has a tag and is not exported", t, f.Name)
	}
	if isWithin(t, f.Index) {
		return fmt.Errorf("onewake: %s.%s has a tag, in a struct that is not exported and by a pointer", t, f.Name)
	}
	return nil
}

// tagged are the members that have a tag. Those of an embedded struct are members of t, too;
// but of one that has a tag itself they are its own, or, "-", left out with it.
func tagged(t reflect.Type, key string) (all []reflect.StructField) {
	var apart [][]int // structs whose members are not those of t
	for _, f := range reflect.VisibleFields(t) {
		tag, ok := f.Tag.Lookup(key)
		if !ok || f.Name == "_" || isPartOf(f.Index, apart) {
			continue
		}
		if f.Anonymous {
			apart = append(apart, f.Index)
		}
		if tag != "-" {
			all = append(all, f)
		}
	}
	return all
}

var (
	toText   = reflect.TypeOf((*encoding.TextMarshaler)(nil)).Elem()
	fromText = reflect.TypeOf((*encoding.TextUnmarshaler)(nil)).Elem()
)

func isOfText(t reflect.Type) bool {
	return t.Implements(toText) && reflect.PointerTo(t).Implements(fromText)
}

var textual sync.Map // reflect.Type -> bool, of arrays and slices

// isTextual: a value of the type is text in a field, though it is a struct, an array or a
// slice, as net.IP is.
func isTextual(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		p, err := planOf(t)
		return err == nil && p.text
	case reflect.Array, reflect.Slice:
		if t.Name() == "" { // it has no methods
			return false
		}
		is, known := textual.Load(t)
		if !known {
			is = isOfText(t)
			textual.Store(t, is)
		}
		return is.(bool)
	}
	return false
}

func isPartOf(index []int, structs [][]int) bool {
	for _, s := range structs {
		if len(index) > len(s) && reflect.DeepEqual(index[:len(s)], s) {
			return true
		}
	}
	return false
}

func planOf(t reflect.Type) (*plan, error) {
	if p, ok := plans.Load(t); ok {
		return p.(*plan), nil
	}
	if name, ok := viewOf(t); ok {
		return planOfView(t, name)
	}
	p := &plan{byID: map[int32]int{}}
	for _, f := range tagged(t, "ubf") {
		tag := f.Tag.Get("ubf")
		if err := checkTag(t, f); err != nil {
			return nil, err
		}
		words := strings.Split(tag, ",")
		id, err := FieldID(words[0])
		if err != nil {
			return nil, err
		}
		if _, twice := p.byID[id]; twice {
			return nil, fmt.Errorf("onewake: %s has %s twice", t, words[0])
		}
		p.byID[id] = len(p.fields)
		p.fields = append(p.fields, planned{
			index: f.Index, name: words[0], id: id,
			omitempty: len(words) > 1 && words[1] == "omitempty",
		})
	}
	p.text = len(p.fields) == 0 && isOfText(t)
	if len(p.fields) == 0 && t.NumField() > 0 && !p.text {
		return nil, fmt.Errorf("onewake: %s: no member has a tag `ubf:\"FIELD\"`", t)
	}
	plans.Store(t, p)
	return p, nil
}

func viewOf(t reflect.Type) (string, bool) {
	if t.Kind() == reflect.Struct {
		for i := 0; i < t.NumField(); i++ {
			if f := t.Field(i); f.Name == "_" {
				return f.Tag.Lookup("view")
			}
		}
	}
	return "", false
}

func planOfView(t reflect.Type, name string) (*plan, error) {
	p := &plan{view: cname(name), byName: map[string]int{}}
	for _, f := range tagged(t, "view") {
		tag := f.Tag.Get("view")
		if err := checkTag(t, f); err != nil {
			return nil, err
		}
		words := strings.Split(tag, ",")
		if _, twice := p.byName[words[0]]; twice {
			return nil, fmt.Errorf("onewake: %s has %s twice", t, words[0])
		}
		p.byName[words[0]] = len(p.fields)
		p.fields = append(p.fields, planned{
			index: f.Index, name: words[0],
			omitempty: len(words) > 1 && words[1] == "omitempty",
		})
	}
	n := len(p.fields)
	p.names = (**C.char)(C.calloc(C.size_t(n+1), C.size_t(unsafe.Sizeof(p.view))))
	for i, at := range p.fields {
		unsafe.Slice(p.names, n)[i] = cname(at.name)
	}
	had, twice := plans.LoadOrStore(t, p)
	if twice {
		C.free(unsafe.Pointer(p.names))
	}
	return had.(*plan), nil
}
