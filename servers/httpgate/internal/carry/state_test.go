// SPDX-License-Identifier: Apache-2.0

package carry

import (
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAStateIsFoundByItsTraceInAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	gate, out := open(t, dir), open(t, dir)
	one, same := [16]byte{1, 15: 7}, [16]byte{1, 5: 9, 15: 7} // at the same place
	if out.Get(one) != "" {
		t.Error("there is one")
	}
	gate.Put(one, http.Header{"Tracestate": {"a=1", "b=2"}})
	if got := out.Get(one); got != "a=1,b=2" {
		t.Error(got)
	}
	if got := out.Get(same); got != "" {
		t.Error(got)
	}
	gate.Put(same, http.Header{"Tracestate": {"c=3"}})
	if out.Get(one) != "" || out.Get(same) != "c=3" {
		t.Error("the later one counts")
	}
	gate.place(same)[head]++
	if got := out.Get(same); got != "" {
		t.Error("half a state: ", got)
	}
}

func TestWhatIsNoStateIsNotPassedOn(t *testing.T) {
	s := open(t, t.TempDir())
	for text, fine := range map[string]bool{
		"": false, "a": false, "a=": false, "=1": false, "a=1": true, "a=1,b=2": true, "a=1, ,b=2": true, "a=1\r\nX: y": false, "a=\x7f": false,
		"a=é": false, "a=" + strings.Repeat("x", most): false, strings.Repeat("a=1,", 40): false,
	} {
		s.Put([16]byte{1}, http.Header{"Tracestate": {"z=0"}})
		s.Put([16]byte{1}, http.Header{"Tracestate": {text}})
		if got := s.Get([16]byte{1}) == text; got != fine {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestWithoutAStoreNothingIsKept(t *testing.T) {
	var s *Store
	s.Put([16]byte{1}, http.Header{"Tracestate": {"a=1"}})
	if s.Get([16]byte{1}) != "" {
		t.Error("from where?")
	}
}

func TestTheDiskOfTheFileIsReserved(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	var s syscall.Stat_t
	if err := syscall.Stat(filepath.Join(dir, "tracestate"), &s); err != nil || s.Blocks*512 < places*room {
		t.Error(err, s.Blocks)
	}
}
