// SPDX-License-Identifier: Apache-2.0

// Package seen has what services were seen to take and give: names of fields, their
// types and occurrences, of some calls. No value is in it, and no name that is not one
// of a field table or a view: keys of other JSON may be values.
package seen

import (
	"bytes"
	"encoding/json"
	"sync"
	"time"
)

// Direction of a buffer.
type Direction int

// What a service takes, and gives when it succeeds.
const (
	Takes Direction = iota
	Gives
)

// Field is what was seen of a field.
type Field struct {
	Type        string
	Seen        int // in so many samples
	Least, Most int // occurrences, where it was seen
}

// Shape is what was seen of the buffers of a direction.
type Shape struct {
	Kind    string // UBF VIEW STRING CARRAY JSON NULL, or mixed
	Samples int
	Fields  map[string]*Field
}

// Service has its buffers.
type Service struct {
	Shapes [2]Shape
	next   time.Time // when a sample may be taken again
}

// Between two samples of a service; services, and fields of a shape, beyond which
// nothing is added.
const (
	pause        = 100 * time.Millisecond
	mostServices = 200
	mostFields   = 500
)

// Book has the services of a gate.
type Book struct {
	mu      sync.Mutex
	all     map[string]*Service
	typeOf  func(field string) (string, bool)
	version int
	written int // the version that is on disk
}

// New makes a book; typeOf says the type of a field, false: it is in no field table.
func New(typeOf func(field string) (string, bool)) *Book {
	return &Book{all: map[string]*Service{}, typeOf: typeOf}
}

// Due says whether a call of the service, which has been made, is a sample.
func (b *Book) Due(service string, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.all[service]
	if s == nil {
		if len(b.all) >= mostServices {
			return false
		}
		s = &Service{}
		b.all[service] = s
	}
	if now.Before(s.next) {
		return false
	}
	s.next = now.Add(pause)
	return true
}

// Note adds a buffer of a kind to a service that was due; text is that of UBF and VIEW,
// as JSON.
func (b *Book) Note(service string, d Direction, kind string, text []byte) {
	found := map[string]Field{}
	switch kind {
	case "UBF":
		b.ubf(text, found)
	case "VIEW":
		b.view(text, found)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.all[service]
	if s == nil {
		return
	}
	b.version++
	s.Shapes[d].add(kind, found)
}

func (s *Shape) add(kind string, found map[string]Field) {
	if s.Fields == nil {
		s.Kind, s.Fields = kind, map[string]*Field{}
	}
	if s.Kind != kind {
		s.Kind = "mixed"
	}
	s.Samples++
	for name, f := range found {
		old := s.Fields[name]
		if old == nil && len(s.Fields) >= mostFields {
			continue
		}
		if old == nil {
			old = &Field{Type: f.Type, Least: f.Least}
			s.Fields[name] = old
		}
		old.Seen++
		old.Least, old.Most = min(old.Least, f.Least), max(old.Most, f.Most)
	}
}

func (b *Book) ubf(text []byte, found map[string]Field) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return
	}
	for name, v := range fields {
		if t, ok := b.typeOf(name); ok {
			n := occurrences(v)
			found[name] = Field{Type: t, Least: n, Most: n}
		}
	}
}

// view: {"VIEW": {"MEMBER": ...}}; the library has refused names of no view.
func (b *Book) view(text []byte, found map[string]Field) {
	var views map[string]map[string]json.RawMessage
	if json.Unmarshal(text, &views) != nil {
		return
	}
	for view, members := range views {
		for name, v := range members {
			n := occurrences(v)
			found[view+"."+name] = Field{Type: "-", Least: n, Most: n}
		}
	}
}

func occurrences(v json.RawMessage) int {
	var all []json.RawMessage
	if v = bytes.TrimSpace(v); len(v) > 0 && v[0] == '[' && json.Unmarshal(v, &all) == nil {
		return len(all)
	}
	return 1
}

// Shape is a copy of what was seen of a service; false: nothing.
func (b *Book) Shape(service string, d Direction) (Shape, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.all[service]
	if s == nil || s.Shapes[d].Samples == 0 {
		return Shape{}, false
	}
	c := s.Shapes[d]
	c.Fields = make(map[string]*Field, len(c.Fields))
	for name, f := range s.Shapes[d].Fields {
		copied := *f
		c.Fields[name] = &copied
	}
	return c, true
}

// Version grows with each sample.
func (b *Book) Version() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.version
}
