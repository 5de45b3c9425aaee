// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/config"
)

func converter(t testing.TB, r config.Route) *Converter {
	if r.Old.ErrText == "" {
		r.Old.ErrText, r.Old.ErrJSONMsg = "%d: %s", `"error_message":"%s"`
		r.Old.ErrJSONCode, r.Old.ErrJSONOnSucc = `"error_code":%d`, true
	}
	c, err := New(&r, &Limits{Depth: 32, Keys: 1000, Digits: 64})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestATextOfAnErrorStaysInItsQuotes(t *testing.T) {
	for _, errors := range []string{"json", "json2ubf", "problem"} {
		c := converter(t, config.Route{Conv: "json", Errors: errors})
		f := Of(11, false)
		f.Text = "a \"quote\", a \\ and\na line, %s %d </script>"
		a := c.Answer(f, nil)
		var m map[string]any
		if err := json.Unmarshal(a.Body, &m); err != nil {
			t.Fatalf("%s: %v: %s", errors, err, a.Body)
		}
		got := m["error_message"]
		if errors == "json2ubf" {
			got = m["EX_IF_EMSG"]
		} else if errors == "problem" {
			got = m["detail"]
		}
		if got != f.Text {
			t.Errorf("%s: %q", errors, got)
		}
	}
}

func TestMembersAreAppendedToAnyObject(t *testing.T) {
	for in, want := range map[string]string{
		`{}`: `{"a":1}`, ` { } `: `{"a":1}`, `{"b":2}`: `{"b":2,"a":1}`, "{\"b\":2 \n}\n": `{"b":2,"a":1}`,
		`[1]`: `{"a":1}`, ``: `{"a":1}`, `{"b":"}"}`: `{"b":"}","a":1}`,
	} {
		if got := string(appended([]byte(in), `"a":1`)); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestWhatARouteSaysOfFieldsAndStatusIsChecked(t *testing.T) {
	for _, r := range []config.Route{
		{Conv: "json2ubf", Fields: "path.id"}, {Conv: "json2ubf", Fields: "body.x=F"},
		{Conv: "json2ubf", Fields: "identity.x=F"}, {Conv: "json2ubf", Fields: "query=F"},
		{Conv: "text", Fields: "query.x=F"}, {Status: "6:99"}, {Status: "x:404"}, {Status: "6"},
	} {
		if _, err := New(&r, &Limits{}); err == nil {
			t.Errorf("%+v: accepted", r)
		}
	}
}

func TestAServiceCannotSetHeadersOfTheConnection(t *testing.T) {
	c := converter(t, config.Route{Conv: "ext", Errors: "ext"})
	a := c.ExtendedAnswer(Fields{
		"EX_IF_RSPHN": []any{"X-A", "Content-Length", "transfer-encoding", "X-B", "Content-Type"},
		"EX_IF_RSPHV": []any{"1", "0", "chunked", "a\r\nX-C: 1", "text/html"},
		"EX_NETRCODE": int64(201), "EX_IF_RSPDATA": []byte("x"),
		"EX_IF_RSPCN": "k", "EX_IF_RSPCV": "v\r\nX: y",
	}, nil)
	if a.Status != 201 || a.Kind != "text/html" || a.Header.Get("X-A") != "1" ||
		a.Header.Get("X-B") != "" || a.Header.Get("Transfer-Encoding") != "" || a.Header.Get("Content-Length") != "" {
		t.Errorf("%+v", a)
	}
	if k := a.Header.Get("Set-Cookie"); strings.ContainsAny(k, "\r\n") {
		t.Errorf("%q", k)
	}
}

// A service can return any code itself, so of a request that may have been begun no code
// says that nothing was done.
func TestACodeOfAServiceNeverMeansNotDone(t *testing.T) {
	for code := 1; code < 100; code++ {
		want := Unknown
		if code == svcFail {
			want = Failed
		}
		if f := Of(code, false); f.Work != want || f.Status < 422 || f.Status == 503 {
			t.Errorf("%d: %d %s", code, f.Status, f.Work)
		}
		if f := Of(code, true); f.Work != NotDone || f.Status == 422 || f.Status == 504 {
			t.Errorf("%d, not begun: %d %s", code, f.Status, f.Work)
		}
	}
}

// In each form of errors a header says what became of the work, also if what a service
// gave cannot be said.
func TestAFailureSaysWhatBecameOfTheWorkInEachForm(t *testing.T) {
	for _, errors := range []string{"http", "json", "json2ubf", "json2view", "text", "problem", "ext"} {
		c := converter(t, config.Route{Conv: "json2ubf", Errors: errors})
		f := Of(svcFail, false)
		f.Data = make(chan int)
		if a := c.Answer(f, nil); a.Header.Get(WorkHeader) != Failed {
			t.Errorf("%s: %v", errors, a.Header)
		}
	}
	c := converter(t, config.Route{Conv: "ext", Errors: "ext"})
	if a := c.ExtendedAnswer(Fields{"EX_NETRCODE": 503}, Of(13, false)); a.Status != 503 || a.Header.Get(WorkHeader) != Unknown {
		t.Errorf("%+v", a)
	}
	if a := c.ExtendedAnswer(Fields{"EX_NETRCODE": 503}, nil); a.Status != 503 || a.Header.Get(WorkHeader) != "" {
		t.Errorf("%+v", a)
	}
}

// Whatever the body is: an error, or something that says the same, and fields that
// are mapped win.
func FuzzConversions(f *testing.F) {
	for _, s := range samples {
		f.Add("a", "1", []byte(s))
	}
	f.Add("x", "y", []byte("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nv\r\n--b--"))
	f.Fuzz(func(t *testing.T, id, n string, body []byte) {
		for _, conv := range []string{"json2ubf", "json", "json2view", "text", "raw"} {
			r := config.Route{Conv: conv}
			if conv == "json2ubf" || conv == "json" {
				r.Fields = "path.id=A query.n=B"
			}
			c := converter(t, r)
			q := httptest.NewRequest("POST", "/", nil)
			q.SetPathValue("id", id)
			q.URL.RawQuery = "n=" + n
			v, err := c.Request(q, "", body)
			if err != nil {
				continue
			}
			text := ""
			switch x := v.(type) {
			case onewake.UBFOfJSON:
				text = string(x)
			case json.RawMessage:
				text = string(x)
			default:
				continue
			}
			var m map[string]any
			if json.Unmarshal([]byte(text), &m) != nil || m["A"] != strings.ToValidUTF8(id, "\ufffd") {
				t.Errorf("%s: %q of %q", conv, text, body)
			}
		}
	})
}

// What fields say becomes an answer that HTTP has, whatever they say.
func FuzzExtendedAnswer(f *testing.F) {
	f.Add("X-A", "1", "201", "k", "v", "/", []byte("x"))
	f.Add("Content-Length", "a\r\nb", "-1", "a b", "\x00", ";", []byte(nil))
	f.Fuzz(func(t *testing.T, name, value, status, cookie, text, path string, body []byte) {
		c := converter(t, config.Route{Conv: "ext", Errors: "ext"})
		for _, x := range []*Failure{nil, Of(10, false), Of(6, true)} {
			a := c.ExtendedAnswer(Fields{"EX_IF_RSPHN": []any{name}, "EX_IF_RSPHV": []any{value}, "EX_NETRCODE": status,
				"EX_IF_RSPCN": cookie, "EX_IF_RSPCV": text, "EX_IF_RSPCPATH": path, "EX_IF_RSPDATA": body}, x)
			if a.Status < 200 || a.Status > 599 {
				t.Errorf("status %d", a.Status)
			}
			for n, values := range a.Header {
				if notTheirs[n] || strings.ContainsAny(strings.Join(values, ""), "\r\n\x00") {
					t.Errorf("%q: %q", n, values)
				}
			}
			if x != nil && a.Header.Get(WorkHeader) != x.Work {
				t.Errorf("%q of %q", a.Header.Get(WorkHeader), x.Work)
			}
		}
	})
}

// A request of conv ext becomes fields, or is refused; and leaves no file.
func FuzzExtended(f *testing.F) {
	f.Add("a=1", "application/x-www-form-urlencoded", "k=v", []byte("a=1&b=%ff"))
	f.Add("", "multipart/form-data; boundary=b", "", []byte("--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"../x\"\r\n\r\nv\r\n--b--"))
	f.Fuzz(func(t *testing.T, query, kind, cookie string, body []byte) {
		r := config.Route{Conv: "ext", Errors: "ext", ParseHeaders: true}
		r.Old.ParseForm, r.Old.ParseCookies, r.Old.FileUpload, r.Old.TempDir = true, true, true, t.TempDir()
		q := httptest.NewRequest("POST", "/", nil)
		q.URL.RawQuery = query
		q.Header.Set("Content-Type", kind)
		q.Header.Set("Cookie", cookie)
		fields, remove, err := converter(t, r).Extended(q, body)
		if err == nil {
			remove(fields)
		}
		if left, _ := os.ReadDir(r.Old.TempDir); len(left) > 0 {
			t.Errorf("%q: %v is left", body, left)
		}
	})
}

func TestTextThatIsNoJSONCannotBeSaid(t *testing.T) {
	c := converter(t, config.Route{Conv: "json"})
	for text, want := range map[string]bool{"{": false, "{}": true, "null": true} {
		p := c.Reply()
		p.json.Text = []byte(text)
		if (c.Says(p) == nil) != want {
			t.Error(text)
		}
	}
}

func TestAReplyThatIsNoViewIsDoneAndCannotBeSaid(t *testing.T) {
	c := converter(t, config.Route{Conv: "json2view", Errors: "json2view", Old: config.Old{ErrViewCode: "code", ErrViewOnSucc: true}})
	p := c.Reply()
	p.json.Text = json.RawMessage(`{"T_ACCNUM":"ACC1"}`)
	if a := c.Answer(nil, p); a.Status == 200 || a.Header.Get(WorkHeader) != Done {
		t.Error(a.Status, a.Header)
	}
}

func TestAFormHasTextWhereFieldsAreText(t *testing.T) {
	folder := t.TempDir()
	c := converter(t, config.Route{Conv: "ext", Old: config.Old{FileUpload: true, TempDir: folder}})
	for part, fine := range map[string]bool{
		"name=a\r\n\r\nvalue":                                         true,
		"name=a\r\n\r\nval\x00ue":                                     false,
		"name*=UTF-8''a%00b\r\n\r\nvalue":                             false,
		"name=f; filename=a\r\n\r\n\x00":                              true,
		"name=f; filename*=UTF-8''a%00.jpg\r\n\r\nx":                  false,
		"name=f; filename=\"../../a\"\r\n\r\nx":                       true,
		"name=f; filename=\"..\"\r\n\r\nx":                            false,
		"name=f; filename=\"/\"\r\n\r\nx":                             false,
		"name=f; filename=\"../.\"\r\n\r\nx":                          false,
		"name=f; filename=a\r\nContent-Type: text/\x00plain\r\n\r\nx": false,
	} {
		q := httptest.NewRequest("POST", "/x", strings.NewReader("--b\r\nContent-Disposition: form-data; "+part+"\r\n--b--\r\n"))
		q.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		f, remove, err := c.Extended(q, nil)
		if (err == nil) != fine {
			t.Errorf("%q: %v", part, err)
		}
		if names, _ := f["EX_IF_REQFILENAME"].([]string); len(names) > 0 && names[0] != "a" {
			t.Error(names)
		}
		for _, path := range f.list("EX_IF_REQFILEDISK") {
			if s, err := os.Stat(path); err != nil || s.Mode().Perm() != 0o600 || filepath.Dir(path) != folder {
				t.Error(path, s, err)
			}
		}
		remove(f)
		if left, _ := os.ReadDir(folder); len(left) > 0 {
			t.Error(part, left)
		}
	}
}
