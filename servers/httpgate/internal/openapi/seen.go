// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"encoding/json"
	"os"
	"sort"
	"sync"
	"sync/atomic"
)

// Seen remembers which fields services take and give: names, types and occurrences of
// some of the requests and replies, never values.
type Seen struct {
	n    atomic.Uint64
	mu   sync.Mutex
	data map[string]map[string]*Sight // service, and request or reply; field
}

// Sight of a field.
type Sight struct {
	Type  string `json:"type"`
	Max   int    `json:"max"`   // occurrences
	Times int    `json:"times"` // in how many of those that were looked at
}

const (
	// Of the first of each service all are looked at, then one of so many.
	lookAtAll, oneOf = 20, 64
	namesMax         = 500
)

// NewSeen makes an empty one.
func NewSeen() *Seen {
	return &Seen{data: map[string]map[string]*Sight{}}
}

func seenKey(service, direction string) string { return service + " " + direction }

// Wants says whether to look at one more; nil wants nothing.
func (s *Seen) Wants(service, direction string) bool {
	if s == nil {
		return false
	}
	if s.n.Add(1)%oneOf == 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.data[seenKey(service, direction)]
	most := 0
	for _, f := range m {
		most = max(most, f.Times)
	}
	return most < lookAtAll
}

// Note looks at the fields of a request or reply.
func (s *Seen) Note(service, direction string, fields map[string]any) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := seenKey(service, direction)
	m := s.data[key]
	if m == nil {
		m = map[string]*Sight{}
		s.data[key] = m
	}
	for name, v := range fields {
		f := m[name]
		if f == nil {
			if len(m) >= namesMax {
				continue
			}
			f = &Sight{}
			m[name] = f
		}
		kind, n := typeOfValue(v)
		if n > 0 {
			f.Type = kind
		}
		f.Max, f.Times = max(f.Max, n), f.Times+1
	}
}

func typeOfValue(v any) (kind string, n int) {
	switch x := v.(type) {
	case []any:
		if len(x) == 0 {
			return "", 0
		}
		kind, _ = typeOfValue(x[0])
		return kind, len(x)
	case string:
		return "string", 1
	case []byte:
		return "carray", 1
	case map[string]any:
		return "ubf", 1
	case json.Number:
		if _, err := x.Int64(); err == nil {
			return "long", 1
		}
		return "double", 1
	case float64, float32:
		return "double", 1
	}
	return "long", 1
}

// Names of the fields that were seen.
func (s *Seen) Names(service, direction string) []string {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for name := range s.data[seenKey(service, direction)] {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Save writes it to a file, as a whole; Load reads it.
func (s *Seen) Save(path string) error {
	s.mu.Lock()
	b, err := json.Marshal(s.data)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", b, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Load reads what Save has written; no file is no error.
func (s *Seen) Load(path string) error {
	b, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return json.Unmarshal(b, &s.data)
}
