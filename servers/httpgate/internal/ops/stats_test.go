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
	s := NewStats()
	r := s.Route("GET", "/a")
	for i := 1; i <= 1000; i++ {
		r.Enter()
		r.Add(&End{Method: "GET", Status: 200, Took: time.Duration(i) * time.Millisecond})
	}
	a := r.recent(time.Now(), s.from)
	for _, c := range []struct{ got, want time.Duration }{
		{a.P50, 500 * time.Millisecond}, {a.P99, 990 * time.Millisecond}} {
		if c.got < c.want || c.got > c.want*5/4+time.Millisecond {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
	for us := int64(0); us < 100000; us++ {
		d := time.Duration(us) * time.Microsecond
		i, p := bucketOf(d), powerOf(d)
		if uint64(us) < least(i) || uint64(us) >= least(i+1) {
			t.Fatalf("%d us is in %d, from %d to %d", us, i, least(i), least(i+1))
		}
		if p > 0 && us < 1<<p || us >= 2<<p {
			t.Fatalf("%d us is in power %d", us, p)
		}
	}
}

func TestOldRequestsAreNotRecent(t *testing.T) {
	s, now := NewStats(), time.Now()
	r := s.Route("GET", "/a")
	for i := 0; i < 50; i++ {
		r.Enter()
		r.Add(&End{Method: "GET", Status: 200, Took: time.Second})
	}
	for i := 1; i <= 10; i++ {
		if a := r.recent(now.Add(time.Duration(i)*time.Second), now); a.Rate <= 0 || a.P50 < time.Second {
			t.Fatalf("after %d s: %v", i, a)
		}
	}
	for i := 11; i <= 20; i++ {
		r.recent(now.Add(time.Duration(i)*time.Second), now)
	}
	if a := r.recent(now.Add(40*time.Second), now); a != (Recent{}) {
		t.Errorf("after 40 s: %v", a)
	}
}

func TestFiguresAreWritten(t *testing.T) {
	s := NewStats()
	b := s.Route("POST", "/b\tx")
	b.Enter()
	b.Add(&End{Method: "POST", Status: 504, Work: "unknown", Took: 3 * time.Microsecond})
	c := s.Route("", "/c")
	c.Enter()
	c.Add(&End{Method: "BREW", Status: 503, Work: "not done"})
	c.Enter()
	s.InForce(map[*Route]Target{c: {Kind: "static"}})
	path := filepath.Join(t.TempDir(), "http.1")
	if err := s.Write(path, &About{Address: "127.0.0.1:80", Expires: time.Unix(7, 0)}); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	for _, want := range []string{"\t7\t-\t127.0.0.1:80\n", "route\tPOST\t/b x\tremoved\t-\t0\t0\t1\t",
		"ended\tPOST\t504\t3\t0\t1\t0\t", "\t0\t1\t0\t0\t1\n", "route\tany\t/c\tstatic\t-\t1\t1\t1\t",
		"ended\t_OTHER\t503\t0\t1\t0\t", "\t0\t0\t1\t1\t0\n", "route\tany\t-\tnone\t-\t1\t0\t0\t"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
}

// A reload gives a method a route of its own: what its path had is not there twice.
func TestAPathIsCountedOnceWhateverItsRoutes(t *testing.T) {
	s := NewStats()
	for _, method := range []string{"", "GET"} {
		r := s.Route(method, "/a")
		r.Enter()
		r.Add(&End{Method: "GET", Status: 200})
	}
	path := filepath.Join(t.TempDir(), "http.1")
	if err := s.Write(path, &About{}); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	if strings.Count(string(text), "ended\tGET\t200\t0\t2\t") != 1 || strings.Count(string(text), "ended") != 1 {
		t.Errorf("%q", text)
	}
}

func TestACountedRequestAllocatesNothing(t *testing.T) {
	r, e := NewStats().Route("GET", "/a"), &End{Method: "GET", Status: 200, Took: time.Millisecond}
	n := testing.AllocsPerRun(100, func() {
		r.Enter()
		r.Add(e)
	})
	if n != 0 {
		t.Errorf("%v", n)
	}
}

func TestStatusesThatAServiceMakesUpAreBounded(t *testing.T) {
	r := NewStats().Route("GET", "/a")
	for i := 0; i < 1000; i++ {
		r.Enter()
		r.Add(&End{Method: "GET", Status: 100 + i%500})
	}
	all := *r.ends.all.Load()
	if last := all[len(all)-1]; len(all) != mostSeries || last.status != 0 || last.times[0].Load() < 800 {
		t.Errorf("%d series", len(all))
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
