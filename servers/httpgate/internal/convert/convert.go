// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/config"
)

// Converter converts for a route. It does not change.
type Converter struct {
	R      *config.Route
	Limits *Limits
	Member Member // of views, for what is refused; NULL: they are not known
	map_   []mapping
	status statusMap
}

// New makes the converter of a route. An error: the route says what cannot be.
func New(r *config.Route, l *Limits) (*Converter, error) {
	c := &Converter{R: r, Limits: l}
	var err error
	if c.map_, err = mappings(r.Fields); err != nil {
		return nil, err
	}
	if c.status, err = statuses(r.Status); err != nil {
		return nil, err
	}
	if len(c.map_) > 0 && r.Conv != "json2ubf" && r.Conv != "multipart" && r.Conv != "json" && !r.Streamed {
		return nil, errors.New("fields: they go to json2ubf, json and multipart")
	}
	return c, nil
}

var (
	errText    = errors.New("the body is no text of UTF-8 without NUL")
	errNotUTF8 = errors.New("JSON: no text of UTF-8")
)

// Request makes of a request and its body what a service is sent.
func (c *Converter) Request(q *http.Request, who string, body []byte) (any, error) {
	if err := c.checkCharset(q, body); err != nil {
		return nil, err
	}
	switch c.R.Conv {
	case "json2ubf", "json":
		text, err := c.object(q, who, body)
		if err != nil {
			return nil, err
		}
		if c.R.Conv == "json" {
			return json.RawMessage(text), nil
		}
		return onewake.UBFOfJSON(text), nil
	case "json2view":
		if err := c.checkObject(body); err != nil {
			return nil, err
		}
		return onewake.ViewOfJSON(body), nil
	case "text":
		if !utf8.Valid(body) || hasNUL(body) {
			return nil, errText
		}
		return string(body), nil
	case "raw":
		return body, nil
	case "multipart":
		if body != nil { // it was read before
			return c.multipart(q, who, bytes.NewReader(body))
		}
		return c.multipart(q, who, q.Body)
	}
	return nil, errors.New("conv " + c.R.Conv + " sends nothing")
}

// checkCharset refuses a text of another charset than UTF-8, unless both have the same bytes for it.
func (c *Converter) checkCharset(q *http.Request, body []byte) error {
	if c.R.Theirs || c.R.Conv == "raw" || c.R.Conv == "multipart" || isASCII(body) {
		return nil
	}
	_, params, _ := mime.ParseMediaType(q.Header.Get("Content-Type"))
	switch charset := params["charset"]; strings.ToLower(charset) {
	case "", "utf-8", "utf8":
		return nil
	default:
		return fmt.Errorf("charset %.40q: send UTF-8", charset)
	}
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Beginning is what a service is sent before the pieces of a body: the fields of the request.
// nil: the route has none.
func (c *Converter) Beginning(q *http.Request, who string) (any, error) {
	extra, err := c.extra(q, who)
	if err != nil || len(extra) == 0 {
		return nil, err
	}
	text, err := json.Marshal(extra)
	return onewake.UBFOfJSON(text), err
}

func hasNUL(b []byte) bool {
	for _, c := range b {
		if c == 0 {
			return true
		}
	}
	return false
}

// object is the body with what else goes to fields: that wins over the body, which
// could name the same field.
func (c *Converter) object(q *http.Request, who string, body []byte) ([]byte, error) {
	extra, err := c.extra(q, who)
	if err != nil {
		return nil, err
	}
	if len(body) == 0 && (len(extra) > 0 || c.R.Conv == "json2ubf") {
		body = []byte("{}")
	}
	if err := c.checkObject(body); err != nil {
		return nil, err
	}
	if len(extra) == 0 {
		return body, nil
	}
	m := map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &m); err != nil || m == nil {
		return nil, errors.New("JSON: give an object")
	}
	if err := c.leaveOut(m, extra); err != nil {
		return nil, err
	}
	for key, value := range extra {
		m[key] = value
	}
	return json.Marshal(m)
}

// checkObject refuses a body that is not of the form of the route.
func (c *Converter) checkObject(body []byte) error {
	switch {
	case c.R.Unknown != "refuse":
	case c.R.Conv == "json2ubf":
		return c.Limits.CheckFields(body, onewake.FieldID, c.Member)
	case c.R.Conv == "json2view":
		return c.Limits.CheckView(body, c.Member)
	}
	if !c.R.Theirs && !utf8.Valid(body) {
		return errNotUTF8
	}
	return c.Limits.Check(body)
}

// leaveOut takes out of a body whatever could be taken for a field that the request
// itself has, in each of its occurrences. ((BFLDID32)NUMBER) is a field by its number,
// so no such name is let in. A service that reads JSON may take Name for name.
func (c *Converter) leaveOut(body, extra map[string]json.RawMessage) error {
	for key := range body {
		if strings.HasPrefix(key, "(") {
			return errors.New("JSON: name the fields: this route takes none by its number")
		}
		if c.R.Conv != "json" {
			continue
		}
		for field := range extra {
			if strings.EqualFold(key, field) {
				delete(body, key)
			}
		}
	}
	return nil
}

// Reply is where the reply of a call goes.
type Reply struct {
	json  onewake.AsJSON
	plain any
	lent  onewake.Lent
	c     *Converter
}

// Reply makes a place for one.
func (c *Converter) Reply() *Reply {
	return &Reply{c: c, json: onewake.AsJSON{NotNull: c.R.Old.ViewNotNull}}
}

func (c *Converter) speaksJSON() bool {
	switch c.R.Conv {
	case "json2ubf", "json2view", "json", "multipart":
		return true
	}
	return false
}

// Into is what Call() is given. lends: many bytes are not copied, Free() follows.
func (p *Reply) Into(lends bool) any {
	if p.c.speaksJSON() {
		return &p.json
	}
	if lends && p.c.R.Conv == "raw" {
		return &p.lent
	}
	return &p.plain
}

// Free frees what was lent: the body of the answer is not read any more. p may be nil.
func (p *Reply) Free() {
	if p != nil {
		p.lent.Free()
	}
}

// value is what came.
func (p *Reply) value() any {
	if p.lent.Value != nil {
		return p.lent.Value
	}
	return p.plain
}

// Next is the reply as the request of the next service.
func (p *Reply) Next() any {
	switch p.c.R.Conv {
	case "json2ubf", "multipart":
		return onewake.UBFOfJSON(p.json.Text)
	case "json2view":
		return onewake.ViewOfJSON(p.json.Text)
	case "json":
		return p.json.Text
	}
	return p.value()
}

// What bodies are.
const (
	kindJSON = "application/json"
	kindText = "text/plain; charset=utf-8"
	kindRaw  = "application/octet-stream"
)

// Body is the body of an answer, and its type; nil: the service gave nothing.
func (p *Reply) Body() ([]byte, string, error) {
	if p.c.speaksJSON() {
		text := p.json.Text
		if len(text) == 0 || string(text) == "null" {
			return nil, kindJSON, nil
		}
		return text, kindJSON, nil
	}
	return plainBody(p.value(), p.c.R.Conv == "raw")
}

// plainBody is a reply for a route of text or bytes.
func plainBody(v any, raw bool) ([]byte, string, error) {
	kind := kindText
	if raw {
		kind = kindRaw
	}
	switch x := v.(type) {
	case nil:
		return nil, kind, nil
	case string:
		return []byte(x), kind, nil
	case []byte:
		if !raw && !utf8.Valid(x) {
			kind = kindRaw
		}
		return x, kind, nil
	case json.RawMessage:
		return x, kindJSON, nil
	}
	b, err := json.Marshal(v)
	return b, kindJSON, err
}

// Whole is a reply that has come in pieces, and is one of bytes.
func (c *Converter) Whole(body []byte) *Reply {
	p := c.Reply()
	if body != nil {
		p.plain = body
	}
	return p
}

// Echo is a body as if it were a reply.
func (c *Converter) Echo(body []byte) (*Reply, error) {
	p := c.Reply()
	if c.speaksJSON() {
		if err := c.Limits.Check(body); err != nil {
			return nil, err
		}
		p.json.Text = body
		return p, nil
	}
	if c.R.Conv == "text" && (!utf8.Valid(body) || hasNUL(body)) {
		return nil, errText
	}
	p.plain = body
	return p, nil
}
