// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestPercentilesAreNear(t *testing.T) {
	r := NewStats().Route("GET", "/a")
	for i := 1; i <= 1000; i++ {
		r.Add(200, 0, time.Duration(i)*time.Millisecond)
	}
	for of, want := range map[int64]time.Duration{500: 500 * time.Millisecond, 990: 990 * time.Millisecond} {
		if got := r.Percentile(of); got < want || got > want*5/4+time.Millisecond {
			t.Errorf("%d: %v, want %v", of, got, want)
		}
	}
	for us := int64(0); us < 100000; us++ {
		i := bucketOf(time.Duration(us) * time.Microsecond)
		if uint64(us) < least(i) || uint64(us) >= least(i+1) {
			t.Fatalf("%d us is in %d, from %d to %d", us, i, least(i), least(i+1))
		}
	}
}

func TestFiguresAreWritten(t *testing.T) {
	s := NewStats()
	s.Route("POST", "/b").Add(504, 13, time.Second)
	s.Route("", "/c").Add(503, 0, 0)
	path := filepath.Join(t.TempDir(), "http.1")
	if err := s.Write(path); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(path)
	if !strings.HasPrefix(string(b), "POST\t/b\t1\t0\t0\t1\t0\t") || !strings.Contains(string(b), "any\t/c\t1\t0\t1\t0") {
		t.Errorf("%q", b)
	}
}

func TestTheLogBeginsAnewWhenItWasMoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l := NewLog(path)
	l.Write(&Line{Path: "/a\n\"x"})
	l.flush()
	os.Rename(path, path+".1")
	l.flush()
	l.Write(&Line{Path: "/b"})
	l.Close()
	a, _ := os.ReadFile(path + ".1")
	b, _ := os.ReadFile(path)
	if strings.Count(string(a), "\n") != 1 || !strings.Contains(string(b), "/b") {
		t.Errorf("%q %q", a, b)
	}
}
