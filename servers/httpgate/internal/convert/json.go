// SPDX-License-Identifier: Apache-2.0

// Package convert makes of the body of a request what a service is sent, and of its
// reply the body of an answer.
package convert

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Limits of JSON that is let in.
type Limits struct {
	Depth, Keys, Digits int
}

// Check reads JSON without making anything of it: is it one value of correct form, and
// within the limits? Nothing is allocated, so a bomb costs its bytes only.
func (l *Limits) Check(b []byte) error {
	return l.check(scanner{b: b, l: l})
}

// CheckFields is the same of an object of fields: each name is that of a field, whose id
// `field` gives; a buffer inside is such an object, too. A value of another name would be
// left out by the library, in silence.
func (l *Limits) CheckFields(b []byte, field func(name string) (int32, error)) error {
	return l.check(scanner{b: b, l: l, field: field})
}

func (l *Limits) check(s scanner) error {
	s.blank()
	if err := s.value(0, s.field != nil); err != nil {
		return err
	}
	s.blank()
	if s.i != len(s.b) {
		return s.fail("more than one value")
	}
	return nil
}

type scanner struct {
	b    []byte
	i    int
	keys int
	l    *Limits
	// field: the id of a field; NULL: names are not those of fields
	field func(name string) (int32, error)
}

func (s *scanner) fail(why string) error {
	return fmt.Errorf("JSON: %s at byte %d", why, s.i)
}

func (s *scanner) blank() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

func (s *scanner) next() byte {
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

// value reads one; fields: names of its objects are those of fields.
func (s *scanner) value(depth int, fields bool) error {
	switch c := s.next(); {
	case c == '{':
		return s.list(depth+1, '}', fields)
	case c == '[':
		return s.list(depth+1, ']', fields)
	case c == '"':
		return s.text()
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	}
	for _, word := range []string{"true", "false", "null"} {
		if len(s.b)-s.i >= len(word) && string(s.b[s.i:s.i+len(word)]) == word {
			s.i += len(word)
			return nil
		}
	}
	return s.fail("no value")
}

// list reads an object or array.
func (s *scanner) list(depth int, end byte, fields bool) error {
	if depth > s.l.Depth {
		return s.fail(fmt.Sprintf("deeper than %d", s.l.Depth))
	}
	s.i++
	s.blank()
	if s.next() == end {
		s.i++
		return nil
	}
	for {
		if s.keys++; s.keys > s.l.Keys {
			return s.fail(fmt.Sprintf("more than %d keys and elements", s.l.Keys))
		}
		inside := fields
		if end == '}' {
			var err error
			if inside, err = s.key(fields); err != nil {
				return err
			}
		}
		if err := s.value(depth, inside); err != nil {
			return err
		}
		s.blank()
		c := s.next()
		if c != ',' && c != end {
			return s.fail("neither a comma nor an end")
		}
		s.i++
		if c == end {
			return nil
		}
		s.blank()
	}
}

// key reads a name: has its value such names, too?
func (s *scanner) key(fields bool) (inside bool, err error) {
	from := s.i
	if s.next() != '"' {
		return false, s.fail("no name")
	}
	if err = s.text(); err != nil {
		return false, err
	}
	if fields {
		if inside, err = s.isField(s.b[from:s.i]); err != nil {
			return false, err
		}
	}
	s.blank()
	if s.next() != ':' {
		return false, s.fail("no colon")
	}
	s.i++
	s.blank()
	return inside, nil
}

// The name of a field that has none (Bfprint()).
var numbered = regexp.MustCompile(`^\(\(BFLDID32\)([0-9]{1,9})\)$`)

const ofBuffers = 10 // BFLD_UBF

// isField refuses a name, with its quotes, that no field has; inside: it is one of buffers.
func (s *scanner) isField(quoted []byte) (inside bool, err error) {
	name := string(quoted[1 : len(quoted)-1])
	if strings.IndexByte(name, '\\') >= 0 {
		_ = json.Unmarshal(quoted, &name)
	}
	var id int32
	if n := numbered.FindStringSubmatch(name); n != nil {
		x, _ := strconv.Atoi(n[1])
		id = int32(x)
	} else if id, err = s.field(name); err != nil {
		return false, fmt.Errorf("JSON: no field table has %.60q", name)
	}
	return id>>25 == ofBuffers, nil
}

func (s *scanner) text() error {
	for s.i++; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			return nil
		case c < ' ':
			return s.fail("a control character")
		case c == '\\':
			s.i++
			if err := s.escape(); err != nil {
				return err
			}
		}
	}
	return s.fail("a text without end")
}

func (s *scanner) escape() error {
	switch s.next() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return nil
	case 'u':
		if s.i+4 < len(s.b) {
			for _, c := range s.b[s.i+1 : s.i+5] {
				if !(c >= '0' && c <= '9' || c|32 >= 'a' && c|32 <= 'f') {
					return s.fail("no character")
				}
			}
			s.i += 4
			return nil
		}
	}
	return s.fail("no character")
}

func (s *scanner) digits() int {
	from := s.i
	for s.next() >= '0' && s.next() <= '9' {
		s.i++
	}
	return s.i - from
}

func (s *scanner) number() error {
	from := s.i
	if s.next() == '-' {
		s.i++
	}
	zero := s.next() == '0'
	n := s.digits()
	if n == 0 || zero && n > 1 {
		return s.fail("no number")
	}
	if s.next() == '.' {
		s.i++
		if s.digits() == 0 {
			return s.fail("no number")
		}
	}
	if s.next()|32 == 'e' {
		s.i++
		if c := s.next(); c == '+' || c == '-' {
			s.i++
		}
		if s.digits() == 0 {
			return s.fail("no number")
		}
	}
	if s.i-from > s.l.Digits {
		return s.fail(fmt.Sprintf("a number of more than %d characters", s.l.Digits))
	}
	return nil
}
