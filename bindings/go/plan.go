// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
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
// Fields without a tag are left alone. A struct is that of a view, if it says so:
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

func planOf(t reflect.Type) (*plan, error) {
	if p, ok := plans.Load(t); ok {
		return p.(*plan), nil
	}
	if name, ok := viewOf(t); ok {
		return planOfView(t, name)
	}
	p := &plan{byID: map[int32]int{}}
	for _, f := range reflect.VisibleFields(t) {
		tag, ok := f.Tag.Lookup("ubf")
		if !ok || tag == "-" {
			continue
		}
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
	if len(p.fields) == 0 && t.NumField() > 0 {
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
	for _, f := range reflect.VisibleFields(t) {
		tag, ok := f.Tag.Lookup("view")
		if !ok || tag == "-" || f.Name == "_" {
			continue
		}
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
