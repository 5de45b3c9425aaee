// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	onewake "onewake.example/go"
)

// Answer is what goes to the caller: made whole before its first byte is written.
type Answer struct {
	Status int
	Kind   string // Content-Type; "": there is no body
	Body   []byte
	Header http.Header // further ones; NULL: none
}

// Write writes it.
func (a *Answer) Write(w http.ResponseWriter, q *http.Request) {
	h := w.Header()
	for name, values := range a.Header {
		h[name] = values
	}
	if a.Kind != "" {
		h.Set("Content-Type", a.Kind)
		h.Set("X-Content-Type-Options", "nosniff")
	}
	if a.Status != http.StatusNoContent && a.Status != http.StatusNotModified {
		h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	}
	w.WriteHeader(a.Status)
	if q.Method != http.MethodHead {
		_, _ = w.Write(a.Body)
	}
}

const succeed = "SUCCEED"

// Code and text as restincl tells them.
func (f *Failure) told() (int, string) {
	if f == nil {
		return 0, succeed
	}
	if f.Code == 0 { // it came to no call
		return 4, f.Text // TPEINVAL
	}
	return f.Code, f.Text
}

// Answer is the answer with the reply p, or of a failure f; f NULL: success.
func (c *Converter) Answer(f *Failure, p *Reply) *Answer {
	body, kind, err := c.data(f, p)
	if err != nil && f == nil {
		// What it says cannot be said here: that is told, not an empty success.
		f = &Failure{Code: 12, Status: http.StatusBadGateway, Name: "TPESYSTEM", Source: 'R',
			Text: "the reply cannot be converted: " + err.Error(), Work: Done}
	}
	if err != nil {
		body = nil // of a failure: what it was is told without its data
	}
	return f.headers(c.form(f, body, kind))
}

func (c *Converter) form(f *Failure, body []byte, kind string) *Answer {
	switch c.R.Errors {
	case "http", "ext":
		return c.plain(f, body, kind)
	case "json":
		return c.withJSON(f, body, kind)
	case "json2ubf":
		return c.withUBF(f, body, kind)
	case "json2view":
		return c.withView(f, body, kind)
	case "text":
		if f == nil {
			return c.plain(nil, body, kind)
		}
		return &Answer{Status: c.okStatus(f), Kind: kindText, Body: []byte(c.errText(f))}
	}
	if f == nil {
		return c.plain(nil, body, kind)
	}
	return c.problem(f)
}

// Says is why the route cannot say a reply; nil: it can.
func (c *Converter) Says(p *Reply) error {
	_, _, err := c.data(nil, p)
	return err
}

// data is the reply, or what a service that failed gave, in the form of the route.
func (c *Converter) data(f *Failure, p *Reply) ([]byte, string, error) {
	if f == nil {
		b, kind, err := p.Body()
		if c.R.Conv == "json" && b != nil && !(json.Valid(b) && (c.R.Theirs || utf8.Valid(b))) {
			err = errors.New("it is no JSON")
		}
		return b, kind, err
	}
	if !c.speaksJSON() {
		return plainBody(f.Data, c.R.Conv == "raw")
	}
	switch x := f.Data.(type) {
	case nil:
		return nil, kindJSON, nil
	case json.RawMessage:
		return x, kindJSON, nil
	}
	b, err := json.Marshal(f.Data)
	return b, kindJSON, err
}

func (c *Converter) plain(f *Failure, body []byte, kind string) *Answer {
	a := &Answer{Status: c.Status(f), Kind: kind, Body: body}
	if body != nil {
		return a
	}
	if f == nil && c.R.Conv == "json2ubf" {
		a.Body = []byte("{}")
	} else if f == nil && a.Status == http.StatusOK && !c.R.Theirs {
		a.Status, a.Kind = http.StatusNoContent, ""
	} else {
		a.Kind = ""
	}
	return a
}

// okStatus: with errors in the body restincl answers 200; but not what came to no call.
func (c *Converter) okStatus(f *Failure) int {
	if f != nil && f.Code == 0 && f.Status != http.StatusBadRequest {
		return f.Status
	}
	if f != nil && (len(c.status.codes) > 0 || c.status.other != 0) {
		return c.Status(f)
	}
	return http.StatusOK
}

func (c *Converter) errText(f *Failure) string {
	code, text := f.told()
	return format(c.R.Old.ErrText, code, text)
}

// format puts code and text into %d and %s.
func format(how string, code int, text string) string {
	var b strings.Builder
	for i := 0; i < len(how); i++ {
		if how[i] != '%' || i+1 == len(how) {
			b.WriteByte(how[i])
			continue
		}
		switch i++; how[i] {
		case 'd':
			b.WriteString(strconv.Itoa(code))
		case 's':
			b.WriteString(text)
		case '%':
			b.WriteByte('%')
		default:
			b.WriteString(how[i-1 : i+1])
		}
	}
	return b.String()
}

// quoted is a text inside quotes of JSON.
func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

func isObject(b []byte) bool {
	t := strings.TrimSpace(string(b))
	return strings.HasPrefix(t, "{") && strings.HasSuffix(t, "}")
}

// appended is an object with further members.
func appended(object []byte, members string) []byte {
	t := strings.TrimSpace(string(object))
	if !isObject(object) {
		return []byte("{" + members + "}")
	}
	head := strings.TrimRight(t[:len(t)-1], " \t\r\n")
	if head != "{" {
		head += ","
	}
	return []byte(head + members + "}")
}

func (c *Converter) withJSON(f *Failure, body []byte, kind string) *Answer {
	code, text := f.told()
	members := format(c.R.Old.ErrJSONCode, code, text) + "," +
		format(c.R.Old.ErrJSONMsg, code, quoted(text))
	if f == nil && (!c.R.Old.ErrJSONOnSucc || body != nil && !isObject(body)) {
		return c.plain(nil, body, kind)
	}
	return &Answer{Status: c.okStatus(f), Kind: kindJSON, Body: appended(body, members)}
}

func (c *Converter) withUBF(f *Failure, body []byte, kind string) *Answer {
	code, text := f.told()
	if f == nil && body != nil && !isObject(body) {
		return c.plain(nil, body, kind)
	}
	members := `"EX_IF_ECODE":` + strconv.Itoa(code) + `,"EX_IF_EMSG":"` + quoted(text) + `"`
	return &Answer{Status: c.okStatus(f), Kind: kindJSON, Body: appended(body, members)}
}

// withView sets two members of the view that is answered, or answers with one for
// errors: errfmt_view_rsp.
func (c *Converter) withView(f *Failure, body []byte, kind string) *Answer {
	o := &c.R.Old
	if f == nil && (c.R.Conv != "json2view" || !o.ErrViewOnSucc || o.ErrViewCode == "" || body == nil && o.ErrViewRsp == "") {
		return c.plain(nil, body, kind)
	}
	view := map[string]map[string]any{}
	if f != nil && o.ErrViewFirst || json.Unmarshal(body, &view) != nil || len(view) != 1 {
		view = map[string]map[string]any{o.ErrViewRsp: {}}
	}
	code, text := f.told()
	for name, members := range view {
		if name == "" { // no view to say it with
			if f == nil { // the reply is none: the service has done its work
				f = Of(4, false)
				f.Work = Done
			}
			return f.headers(c.plain(f, nil, kind))
		}
		if members == nil {
			members = map[string]any{}
			view[name] = members
		}
		if o.ErrViewCode != "" {
			members[o.ErrViewCode] = code
		}
		if o.ErrViewMsg != "" {
			members[o.ErrViewMsg] = text
		}
	}
	b, _ := json.Marshal(view)
	return &Answer{Status: c.okStatus(f), Kind: kindJSON, Body: b}
}

func (c *Converter) problem(f *Failure) *Answer {
	return f.Problem(c.Status(f))
}

// Problem is the failure as problem+json.
func (f *Failure) Problem(status int) *Answer {
	p := &Problem{Type: "about:blank", Status: status,
		Detail: f.Text, Service: f.Service, Code: f.Code, Name: f.Name, Urcode: f.Urcode,
		Work: f.Work, Data: f.Data, Trace: f.Trace}
	return f.headers(&Answer{Status: status, Kind: KindProblem, Body: p.Body()})
}

// headers are those that a failure has in any form.
func (f *Failure) headers(a *Answer) *Answer {
	if f == nil {
		return a
	}
	if a.Header == nil {
		a.Header = http.Header{}
	}
	if f.Work != "" {
		a.Header.Set(WorkHeader, f.Work)
	}
	if f.Retry > 0 {
		a.Header.Set("Retry-After", strconv.Itoa(f.Retry))
	}
	if f.Challenge != "" {
		a.Header.Set("WWW-Authenticate", f.Challenge)
	}
	return a
}

// FailureOf makes a failure of the error of a call. What is no error of the library
// came after the reply, which could not be read.
func FailureOf(err error) *Failure {
	var e *onewake.Error
	if !errors.As(err, &e) {
		return &Failure{Code: 12, Status: http.StatusBadGateway, Name: "TPESYSTEM", Source: 'R',
			Text: strings.TrimPrefix(err.Error(), "onewake: "), Work: Unknown}
	}
	f := Of(int(e.Code), e.NotDone)
	f.Name, f.Text, f.Service, f.Urcode, f.Data = e.Code.Error(), e.Text, e.Service, e.Urcode, e.Data
	return f
}
