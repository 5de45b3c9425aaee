// SPDX-License-Identifier: Apache-2.0

// storm sends requests whose bodies say whose they are, of many goroutines at once. It takes
// some back, cuts some off and reads some answers slowly. Each answer must be that of its own
// request, with its trace. storm URL SECONDS CALLERS
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// question is a request, and what its answer has to be.
type question struct {
	path string
	kind string
	send []byte
	want []byte // nil: looks() says
	text string
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// letters are n letters that no other question has.
func letters(id uint64, n int) []byte {
	b := []byte(fmt.Sprintf("%d-%d:", id, n))
	from := rand.NewPCG(id, uint64(n))
	for len(b) < n {
		for i, x := 0, from.Uint64(); i < 12; i, x = i+1, x>>5 {
			b = append(b, 'A'+byte(x&15))
		}
	}
	return b[:max(n, 0)]
}

var sizes = []int{0, 1, 30, 500, 4000, 5000, 10000, 16383, 16384, 20000, 65535, 65536, 66047, 66048, 70000, 200000, 264192, 300000, 1000000}

var paths = []string{"/raw", "/raw", "/chain", "/text", "/json", "/ubf", "/ubf-chain", "/form", "/echo", "/kept", "/late"}

func ask(id uint64) *question {
	q := &question{path: paths[rand.IntN(len(paths))]}
	n := sizes[rand.IntN(len(sizes))]
	if n > 10000 && rand.IntN(4) > 0 {
		n = rand.IntN(10000)
	}
	b := letters(id, n)
	q.send, q.want, q.text = b, b, string(b)
	switch q.path {
	case "/json", "/ubf", "/ubf-chain":
		q.send, _ = json.Marshal(map[string]string{"F_NAME": q.text})
		q.want = nil
	case "/late":
		q.send = []byte(strconv.Itoa(rand.IntN(40)))
		q.want = q.send
	case "/form":
		var out bytes.Buffer
		w := multipart.NewWriter(&out)
		_ = w.WriteField("unwanted", "x")
		_ = w.WriteField("name", q.text)
		f, _ := w.CreateFormFile("up", "file")
		_, _ = f.Write(b)
		_ = w.Close()
		q.send, q.kind, q.want = out.Bytes(), w.FormDataContentType(), nil
	}
	return q
}

// fits says whether an answer is that of the question.
func (q *question) fits(got []byte) bool {
	if q.want != nil {
		return bytes.Equal(got, q.want)
	}
	var m struct {
		Name  string `json:"F_NAME"`
		Bytes []byte `json:"F_BYTES"`
	}
	return json.Unmarshal(got, &m) == nil && m.Name == q.text && (q.path != "/form" || string(m.Bytes) == q.text)
}

type counts struct {
	right, failed, takenBack, wrong, broken atomic.Int64
}

var (
	all  counts
	base string
	last atomic.Uint64
)

func wrong(format string, args ...any) {
	if all.wrong.Add(1) < 20 {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
}

var errCut = errors.New("cut")

// cutting is a body that ends in the middle.
type cutting struct{ io.Reader }

func (c *cutting) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	if err == io.EOF {
		err = errCut
	}
	return n, err
}

// slowly reads with pauses.
func slowly(from io.Reader) ([]byte, error) {
	var all []byte
	b := make([]byte, 40000)
	for {
		n, err := from.Read(b)
		all = append(all, b[:n]...)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond)
	}
}

func one(c *http.Client) {
	id := last.Add(1)
	q := ask(id)
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	how := rand.IntN(20)
	var body io.Reader = bytes.NewReader(q.send)
	switch {
	case how < 3: // taken back: while it is sent, called or answered
		time.AfterFunc(time.Duration(rand.IntN(4000))*time.Microsecond, cancel)
	case how == 3 && len(q.send) > 10:
		body = &cutting{bytes.NewReader(q.send[:rand.IntN(len(q.send))])}
	}
	r, err := http.NewRequestWithContext(ctx, "POST", base+q.path, body)
	check(err)
	trace := fmt.Sprintf("%032x", id+1<<40)
	r.Header.Set("Traceparent", "00-"+trace+"-00f067aa0ba902b7-01")
	if how == 3 {
		r.ContentLength = int64(len(q.send))
	}
	if q.kind != "" {
		r.Header.Set("Content-Type", q.kind)
	}
	if q.path == "/kept" {
		r.Header.Set("Idempotency-Key", fmt.Sprint(id))
	}
	a, err := c.Do(r)
	var got []byte
	if err == nil {
		defer a.Body.Close()
		if how == 5 {
			got, err = slowly(a.Body)
		} else {
			got, err = io.ReadAll(a.Body)
		}
	}
	switch {
	case err != nil && how <= 3:
		all.takenBack.Add(1)
	case err != nil:
		if all.broken.Add(1) < 5 {
			fmt.Fprintln(os.Stderr, "broken:", q.path, len(q.send), err)
		}
	case a.Header.Get("Trace-Id") != trace:
		wrong("%s: trace %s, sent %s", q.path, a.Header.Get("Trace-Id"), trace)
	case a.StatusCode >= 500:
		all.failed.Add(1)
		var p struct{ Work, Trace string }
		if json.Unmarshal(got, &p) != nil || p.Work != a.Header.Get("Onewake-Work") || a.Header.Get("Onewake-Work") == "" {
			wrong("%s: %d without its work: %.300s", q.path, a.StatusCode, got)
		} else if p.Trace != trace {
			wrong("%s: %d with trace %s, sent %s", q.path, a.StatusCode, p.Trace, trace)
		}
	case how == 3 && len(q.send) > 10:
		wrong("%s: a body that was cut has %d", q.path, a.StatusCode)
	case a.StatusCode == 204 && len(q.want) == 0 && q.want != nil:
		all.right.Add(1)
	case a.StatusCode != 200 || !q.fits(got):
		wrong("%s: %d, sent %d bytes %.40q, got %d %.400q", q.path, a.StatusCode, len(q.send), q.send, len(got), got)
	default:
		all.right.Add(1)
	}
}

func main() {
	base = os.Args[1]
	seconds, err := strconv.Atoi(os.Args[2])
	check(err)
	callers, err := strconv.Atoi(os.Args[3])
	check(err)
	until := time.Now().Add(time.Duration(seconds) * time.Second)
	var wait sync.WaitGroup
	var c *http.Client
	for i := 0; i < callers; i++ {
		if i%4 == 0 { // four callers share a connection of HTTP/2
			c = &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 4,
				TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
		}
		wait.Add(1)
		go func(c *http.Client) {
			defer wait.Done()
			for time.Now().Before(until) {
				one(c)
			}
		}(c)
	}
	wait.Wait()
	fmt.Printf(`{"right":%d,"failed":%d,"taken_back":%d,"wrong":%d,"broken":%d}`+"\n", all.right.Load(), all.failed.Load(),
		all.takenBack.Load(), all.wrong.Load(), all.broken.Load())
}
