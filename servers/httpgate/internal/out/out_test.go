// SPDX-License-Identifier: Apache-2.0

package out

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// read makes a Config of one service S with this JSON.
func read(t *testing.T, text string) *Config {
	t.Helper()
	c, err := Read(map[string]string{"service S": text, "workers": "3"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func endpoint(t *testing.T, text string) *Endpoint {
	t.Helper()
	p, err := NewPool(read(t, text))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p.Endpoint("S")
}

func serve(t *testing.T, fn http.HandlerFunc) string {
	s := httptest.NewServer(fn)
	t.Cleanup(s.Close)
	return s.URL
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

var data = &Message{Kind: "UBF", Body: []byte(`{"T_ACCNUM":"A/1"}`),
	Field: func(name string) (string, bool) { return "A/1", name == "T_ACCNUM" }}

func TestConfigHasRestoutsvsDefaults(t *testing.T) {
	c, err := Read(map[string]string{
		"defaults":  `{"urlbase":"http://h:1/api/","errors":"http","timeout":3}`,
		"service A": `{"url":"/a","timeout":4}`, "service B": `{"url":"http://other/b","errors":"text"}`,
		"gencore": "1", "debug": "x"})
	equal(t, err, nil)
	equal(t, c.Workers, 10)
	a, b := c.Services[0], c.Services[1]
	equal(t, []any{a.Name, a.URL, a.Timeout, a.Errors, a.Method}, []any{"A", "http://h:1/api/a", 4, "http", "POST"})
	equal(t, []any{b.URL, b.Timeout, b.Errors, b.ErrJSONCode}, []any{"http://other/b", 3, "text", "error_code"})
	equal(t, len(c.Warnings), 0)
}

func TestConfigNamesWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		`{"url":"/a"}`:                                 "no URL",
		`{"url":"ftp://h/a"}`:                          "no URL",
		`{"url":"http://{H}/a"}`:                       "host",
		`{"url":"http://h/a?x={F}"}`:                   "query",
		`{"url":"http://h","errors":"xml"}`:            "errors",
		`{"url":"http://h","errfmt_text":"(a"}`:        "errfmt_text",
		`{"url":"http://h","errfmt_text":"a"}`:         "two groups",
		`{"url":"http://h","errors_fmt_http_map":"2"}`: "errors_fmt_http_map",
		`{"url":"http://h","depends_on":"X"}`:          "depends_on",
		`{"url":`:                                      "service S",
	} {
		_, err := Read(map[string]string{"service S": text})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	c := read(t, `{"url":"http://h","timeuot":3}`)
	equal(t, len(c.Warnings), 1)
}

func TestRequestGoesAsItWasConfigured(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		fmt.Fprint(w, r.Method, " ", r.URL.EscapedPath(), "?", r.URL.RawQuery, " ",
			r.Header.Get("Content-Type"), " ", r.Header.Get("X-A"), " ", r.Header.Get("X-B"), " ", string(b))
	})
	e := endpoint(t, `{"url":"`+url+`/acc/{T_ACCNUM}","method":"put","headers":{"X-A":"n {T_ACCNUM}","X-B":"{T_NO}"},
		"query":{"q":"{T_ACCNUM}&x"}}`)
	r := e.Call(context.Background(), data)
	equal(t, string(r.Body), `PUT /acc/A%2F1?q=A%2F1%26x application/json n A/1  {"T_ACCNUM":"A/1"}`)
	r = e.Call(context.Background(), &Message{Kind: "NULL"})
	if r.Err == nil || r.Work != NotDone {
		t.Fatal(r)
	}
}

func TestRetryAfterIsSecondsOrADate(t *testing.T) {
	for after, want := range map[string]time.Duration{"": 0, "5": 5 * time.Second, "-5": 0, "soon": 0,
		time.Now().Add(time.Hour).UTC().Format(http.TimeFormat):  time.Hour - 2*time.Second,
		time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat): 0} {
		if p := pauseOf(0, http.Header{"Retry-After": {after}}); p < want || p > want+3*time.Second {
			t.Errorf("%q: %v", after, p)
		}
	}
}

// bytesOf is the URL of a host that answers each request with these bytes, and keeps the connection.
func bytesOf(t *testing.T, answer string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	equal(t, err, nil)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
			go func() {
				if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
					_, _ = io.Copy(io.Discard, r.Body)
					_, _ = io.WriteString(c, answer)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

func TestAHostThatSwitchesToAnotherProtocolKeepsNobody(t *testing.T) {
	for _, more := range []string{"", "Connection: Upgrade\r\nUpgrade: x\r\n"} {
		e := endpoint(t, `{"url":"`+bytesOf(t, "HTTP/1.1 101 Switching Protocols\r\n"+more+"\r\n")+`","timeout":20}`)
		began := time.Now()
		r := e.Call(context.Background(), data)
		equal(t, []any{r.Work, errors.Is(r.Err, errSwitches), e.Service().Answer("UBF", &r).Code}, []any{Unknown, true, tpeSvcErr})
		if took := time.Since(began); took > 10*time.Second {
			t.Error(took)
		}
	}
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	peers := map[string]bool{}
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) { peers[r.RemoteAddr] = true })
	e := endpoint(t, `{"url":"`+url+`"}`)
	for i := 0; i < 20; i++ {
		equal(t, e.Call(context.Background(), data).Status, 200)
	}
	equal(t, len(peers), 1)
}

func TestOnlyWhatMayBeRepeatedIs(t *testing.T) {
	for _, c := range []struct {
		more string
		want int32
	}{
		{`"method":"GET","retries":2`, 3}, {`"method":"PUT","retries":1`, 2},
		{`"method":"POST","retries":2`, 1}, {`"method":"PATCH","retries":2`, 1},
		{`"method":"GET"`, 1}, {`"method":"POST","retries":2,"idempotency_key":true`, 3},
		{`"method":"GET","retries":10,"retry_budget":0,"breaker":{"failures":0}`, 11},
	} {
		var n atomic.Int32
		keys := map[string]bool{}
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			n.Add(1)
			keys[r.Header.Get("Idempotency-Key")] = true
			w.WriteHeader(503)
		})
		e := endpoint(t, `{"url":"`+url+`",`+c.more+`}`)
		r := e.Call(context.Background(), data)
		equal(t, []any{c.more, r.Status, n.Load(), len(keys)}, []any{c.more, 503, c.want, 1})
	}
}

func TestBudgetOfRepetitionsEnds(t *testing.T) {
	var n atomic.Int32
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { n.Add(1); w.WriteHeader(503) })
	e := endpoint(t, `{"url":"`+url+`","method":"GET","retries":1,"retry_budget":0,"breaker":{"failures":0}}`)
	for i := 0; i < 15; i++ {
		e.Call(context.Background(), data)
	}
	equal(t, n.Load(), 15+burst)
	equal(t, e.host.state().Retried, burst)
}

func TestNoRepetitionThatWouldComeTooLate(t *testing.T) {
	var n atomic.Int32
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n.Add(1)
		w.Header().Set("Retry-After", "5")
		w.WriteHeader(429)
	})
	e := endpoint(t, `{"url":"`+url+`","method":"GET","retries":3}`)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	began := time.Now()
	equal(t, e.Call(ctx, data).Status, 429)
	equal(t, n.Load(), 1)
	if time.Since(began) > time.Second {
		t.Error("it has waited")
	}
}

func TestHostThatFailsIsLeftAlone(t *testing.T) {
	var n atomic.Int32
	var good atomic.Bool
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n.Add(1)
		if !good.Load() {
			w.WriteHeader(502)
		}
	})
	e := endpoint(t, `{"url":"`+url+`","breaker":{"failures":3,"open_for":0.2}}`)
	for i := 0; i < 10; i++ {
		e.Call(context.Background(), data)
	}
	equal(t, n.Load(), 3)
	r := e.Call(context.Background(), data)
	equal(t, []any{errors.Is(r.Err, errLeftAlone), r.Work}, []any{true, "not done"})
	equal(t, e.host.state().Breaker, "open")
	good.Store(true)
	for r.Err != nil {
		time.Sleep(10 * time.Millisecond)
		r = e.Call(context.Background(), data)
	}
	equal(t, []any{e.host.state().Breaker, n.Load()}, []any{"closed", 4})
}

func TestErrorsSayWhatIsKnownOfTheWork(t *testing.T) {
	hang := make(chan bool)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/hang":
			<-hang
		case "/drop":
			c, _, _ := w.(http.Hijacker).Hijack()
			c.Close()
		case "/large":
			w.Write(make([]byte, 2000))
		case "/largefail":
			w.WriteHeader(500)
			w.Write(make([]byte, 2000))
		}
	})
	defer close(hang)
	closed := httptest.NewServer(nil)
	closed.Close()
	for _, c := range []struct {
		url       string
		code, net int
		work      Work
	}{
		{url + "/hang", tpeTime, netTimeout, Unknown},
		{url + "/drop", tpeSvcErr, netNoConn, Unknown},
		{url + "/large", tpeSvcErr, netLimit, Done},
		{url + "/largefail", tpeSvcErr, netLimit, Unknown},
		{closed.URL, tpeSvcFail, netNoConn, NotDone},
	} {
		e := endpoint(t, `{"url":"`+c.url+`","max_reply":1000}`)
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		r := e.Call(ctx, data)
		cancel()
		a := e.s.Answer("UBF", &r)
		equal(t, []any{c.url, a.Code, a.Net, a.Work}, []any{c.url, c.code, c.net, c.work})
		if !strings.HasSuffix(a.Message, "("+c.work.String()+")") {
			t.Error(a.Message)
		}
	}
}

// What an attempt has begun no later one takes back: neither a host that has gone
// meanwhile, nor one that is left alone.
func TestALaterAttemptDoesNotUnsayAnEarlierOne(t *testing.T) {
	for _, c := range []struct {
		first, more string
		net         int
	}{
		{"drop", `"breaker":{"failures":0}`, netNoConn},
		{"503", `"breaker":{"failures":0}`, netNoConn},
		{"drop", `"breaker":{"failures":1,"open_for":60}`, netLimit},
		{"503", `"breaker":{"failures":1,"open_for":60}`, netLimit},
	} {
		var n atomic.Int32
		var s *httptest.Server
		s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n.Add(1)
			_ = s.Listener.Close() // nobody takes the next one
			w.Header().Set("Connection", "close")
			if c.first == "503" {
				w.WriteHeader(503)
				return
			}
			k, _, _ := w.(http.Hijacker).Hijack()
			k.Close()
		}))
		e := endpoint(t, `{"url":"`+s.URL+`","method":"PUT","retries":1,`+c.more+`}`)
		r := e.Call(context.Background(), data)
		a := e.s.Answer("UBF", &r)
		equal(t, []any{c.first, c.more, n.Load(), a.Code, a.Net, a.Work},
			[]any{c.first, c.more, 1, tpeSvcErr, c.net, "unknown"})
		s.Close()
	}
}

func TestErrorsAreFoundWhereTheModeSays(t *testing.T) {
	for _, c := range []struct {
		config string
		kind   string
		status int
		body   string
		code   int
		text   string
		reply  string
	}{
		{`"errors":"http"`, "UBF", 200, `{}`, 0, "", "UBF"},
		{`"errors":"http"`, "UBF", 404, `{}`, 6, "404 Not Found", "NULL"},
		{`"errors":"http"`, "UBF", 504, `{}`, 13, "504 Gateway Timeout", "NULL"},
		{`"errors":"http"`, "UBF", 500, `{}`, 11, "500 Internal Server Error", "NULL"},
		{`"errors":"http"`, "UBF", 201, `{}`, 0, "", "UBF"},
		{`"errors":"http","errors_fmt_http_map":"200:0,201:4,*:12"`, "UBF", 201, `{}`, 4, "201 Created", "NULL"},
		{`"errors":"http","parseonerror":true`, "JSON", 500, `{}`, 11, "500 Internal Server Error", "JSON"},
		{`"errors":"json"`, "JSON", 200, `{"error_code":0,"error_message":"SUCCEED","x":1}`, 0, "SUCCEED", "JSON"},
		{`"errors":"json"`, "JSON", 200, `{"error_code":11,"error_message":"no money"}`, 11, "no money", "NULL"},
		{`"errors":"json"`, "JSON", 500, `{"error_code":"6","error_message":"x"}`, 6, "x", "NULL"},
		{`"errors":"json"`, "JSON", 200, `{"x":1}`, 10, "the answer has no error_code", "NULL"},
		{`"errors":"json","errfmt_json_onsucc":false`, "JSON", 200, `{"x":1}`, 0, "", "JSON"},
		{`"errors":"json","errfmt_json_code":"rc","errfmt_json_msg":"m"`, "JSON", 200, `{"rc":4,"m":"t"}`, 4, "t", "NULL"},
		{`"errors":"json"`, "JSON", 502, `<html>`, 11, "502 Bad Gateway", "NULL"},
		{`"errors":"json2ubf"`, "UBF", 200, `{"EX_IF_ECODE":[13],"EX_IF_EMSG":["late"]}`, 13, "late", "NULL"},
		{`"errors":"json2ubf"`, "UBF", 200, `{"T":1}`, 0, "", "UBF"},
		{`"errors":"json2ubf"`, "UBF", 200, `{"EX_IF_ECODE":0}`, 0, "", "UBF"},
		{`"errors":"json2ubf"`, "UBF", 200, `<html>`, 10, "", "NULL"},
		{`"errors":"json2ubf"`, "UBF", 200, ``, 0, "", "NULL"},
		{`"errors":"json2view","errfmt_view_code":"rc","errfmt_view_msg":"msg"`, "VIEW", 200,
			`{"RSP":{"rc":11,"msg":"bad"}}`, 11, "bad", "NULL"},
		{`"errors":"text"`, "STRING", 200, `11:no money`, 11, "no money", "NULL"},
		{`"errors":"text"`, "STRING", 200, `hello`, 0, "", "STRING"},
		{`"errors":"text"`, "STRING", 200, `999:hello`, 11, "hello", "NULL"},
		{`"errors":"text","reply":"raw"`, "STRING", 200, `hello`, 0, "", "CARRAY"},
		{`"errors":"http","reply":"ubf"`, "STRING", 200, `hello`, 10, "the answer is no JSON", "NULL"},
		{`"errors":"http"`, "UBF", 302, ``, 11, "302 Found", "NULL"},
	} {
		s := read(t, `{"url":"http://h",`+c.config+`}`).Services[0]
		a := s.Answer(c.kind, &Result{Status: c.status, Body: []byte(c.body)})
		if a.Code != c.code || a.Kind != c.reply || c.text != "" && a.Message != c.text {
			t.Errorf("%s %d %s: %d %q %s", c.config, c.status, c.body, a.Code, a.Message, a.Kind)
		}
	}
}

func TestTokensAreKeptAndRefreshed(t *testing.T) {
	var tokens, refuse atomic.Int32
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			id, secret, _ := r.BasicAuth()
			_ = r.ParseForm()
			if id != "me" || secret != "secret" || r.Form.Get("grant_type") != "client_credentials" ||
				r.Form.Get("scope") != "pay read" {
				w.WriteHeader(401)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"access_token":"t%d","token_type":"bearer","expires_in":3600}`, tokens.Add(1))
			return
		}
		if refuse.Load() > 0 {
			refuse.Add(-1)
			w.WriteHeader(401)
		}
		fmt.Fprint(w, r.Header.Get("Authorization"))
	})
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := endpoint(t, `{"url":"`+url+`","auth":{"type":"oauth2","token_url":"`+url+
		`/token","client_id":"me","secret_file":"`+file+`","scopes":["pay","read"],"auth_in_header":true}}`)
	for i := 0; i < 3; i++ {
		equal(t, string(e.Call(context.Background(), data).Body), "Bearer t1")
	}
	refuse.Store(1) // a token that the host does not want is forgotten
	equal(t, e.Call(context.Background(), data).Status, 401)
	equal(t, string(e.Call(context.Background(), data).Body), "Bearer t2")
	e.sign.fresh = time.Now() // its last fifth: the old one serves meanwhile
	equal(t, string(e.Call(context.Background(), data).Body), "Bearer t2")
	for end := time.Now().Add(5 * time.Second); string(e.Call(context.Background(), data).Body) != "Bearer t3"; {
		if time.Now().After(end) {
			t.Fatal("it was not refreshed")
		}
	}
	if err := os.WriteFile(file, []byte("wrong"), 0o600); err != nil {
		t.Fatal(err)
	}
	e.sign.token = nil
	r := e.Call(context.Background(), data)
	if r.Work != NotDone || r.Err == nil || strings.Contains(r.Err.Error(), "wrong") {
		t.Fatal(r.Err)
	}
}

func TestProbeSaysWhetherAHostIsUp(t *testing.T) {
	p := &Probe{e: endpoint(t, `{"url":"http://h","echo":true,"echo_min_ok":2,"echo_max_fail":2}`)}
	up := []bool{}
	for _, good := range []bool{true, true, false, true, false, false, true, true} {
		p.note(good)
		up = append(up, p.up)
	}
	equal(t, up, []bool{false, true, true, true, true, false, false, true})
}
