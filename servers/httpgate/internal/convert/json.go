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
// `field` gives, and its value goes into that field as it is; a buffer inside is such an
// object, too. The library would leave out a value of another name, and cut off what does
// not fit, in silence.
func (l *Limits) CheckFields(b []byte, field func(name string) (int32, error), member Member) error {
	return l.check(scanner{b: b, l: l, whole: true, field: field, member: member})
}

// CheckView is the same of {"VIEW": {...}}.
func (l *Limits) CheckView(b []byte, member Member) error {
	return l.check(scanner{b: b, l: l, whole: true, member: member})
}

func (l *Limits) check(s scanner) error {
	s.blank()
	w := whatever
	if s.field != nil {
		w = object
	} else if s.member != nil {
		w = views
	}
	if err := s.value(0, w); err != nil {
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
	field  func(name string) (int32, error)
	member Member // NULL: members of views are not looked at
	view   string
	name   string // of the last field or member
	whole  bool   // texts of whole characters
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

// value reads one, which is for w.
func (s *scanner) value(depth int, w want) error {
	from := s.i
	switch c := s.next(); {
	case c == '{':
		return s.list(depth+1, '}', w.inside())
	case c == '[':
		return s.list(depth+1, ']', w)
	case c == '"':
		if err := s.text(); err != nil {
			return err
		}
		return s.fits(w.text(s.b[from:s.i]))
	case c == '-' || c >= '0' && c <= '9':
		if err := s.number(); err != nil || w < ofType {
			return err
		}
		return s.fits(w.number(string(s.b[from:s.i])))
	}
	for _, word := range []string{"true", "false", "null"} {
		if len(s.b)-s.i >= len(word) && string(s.b[s.i:s.i+len(word)]) == word {
			s.i += len(word)
			return nil
		}
	}
	return s.fail("no value")
}

// fits: the value that was read is not what its field takes.
func (s *scanner) fits(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("JSON: %.60q takes %w, up to byte %d", s.name, err, s.i)
}

// list reads an object or array. w: what an array is for; object: the names of an object are
// those of fields.
func (s *scanner) list(depth int, end byte, w want) error {
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
		inside := w
		if end == '}' {
			var err error
			if inside, err = s.key(w); err != nil {
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

// key reads a name: what is its value for?
func (s *scanner) key(w want) (inside want, err error) {
	from := s.i
	if s.next() != '"' {
		return whatever, s.fail("no name")
	}
	if err = s.text(); err != nil {
		return whatever, err
	}
	switch w {
	case object:
		inside, err = s.isField(s.b[from:s.i])
	case views:
		s.view, inside = plain(s.b[from:s.i]), members
	case members:
		inside, err = s.isMember(plain(s.b[from:s.i]))
	}
	if err != nil {
		return whatever, err
	}
	s.blank()
	if s.next() != ':' {
		return whatever, s.fail("no colon")
	}
	s.i++
	s.blank()
	return inside, nil
}

// The name of a field that has none (Bfprint()).
var numbered = regexp.MustCompile(`^\(\(BFLDID32\)([0-9]{1,9})\)$`)

// isField refuses a name, with its quotes, that no field has; inside: what the field takes.
func (s *scanner) isField(quoted []byte) (inside want, err error) {
	name := plain(quoted)
	var id int32
	if n := numbered.FindStringSubmatch(name); n != nil {
		x, _ := strconv.Atoi(n[1])
		id = int32(x)
	} else if id, err = s.field(name); err != nil {
		return whatever, fmt.Errorf("JSON: no field table has %.60q", name)
	}
	s.name = name
	return wantOf(id), nil
}

// isMember refuses a name that no member of the view has.
func (s *scanner) isMember(name string) (want, error) {
	if s.member == nil {
		return whatever, nil
	}
	kind, ok := s.member(s.view, name)
	if !ok {
		return whatever, fmt.Errorf("JSON: view %.40q has no member %.60q", s.view, name)
	}
	if s.name = name; kind < 0 {
		return whatever, nil
	}
	return ofType + want(kind), nil
}

// plain is a text without its quotes.
func plain(quoted []byte) string {
	text := string(quoted[1 : len(quoted)-1])
	if strings.IndexByte(text, '\\') >= 0 {
		_ = json.Unmarshal(quoted, &text)
	}
	return text
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
			return s.pair()
		}
	}
	return s.fail("no character")
}

// pair reads the digits of \u, and the other half if it is half a character: for a half alone
// the library has "?". A service that reads JSON itself may make of it what it likes.
func (s *scanner) pair() error {
	unit := func(i int) uint64 {
		n, _ := strconv.ParseUint(string(s.b[i:i+4]), 16, 32)
		return n
	}
	x := unit(s.i + 1)
	s.i += 4
	if !s.whole || x < 0xd800 || x > 0xdfff {
		return nil
	}
	if x < 0xdc00 && s.i+6 < len(s.b) && s.b[s.i+1] == '\\' && s.b[s.i+2] == 'u' {
		if low := unit(s.i + 3); low >= 0xdc00 && low <= 0xdfff {
			s.i += 6
			return nil
		}
	}
	return s.fail("half a character")
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
