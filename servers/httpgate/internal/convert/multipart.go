// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"unicode/utf8"

	onewake "onewake.example/go"
)

// Parts of a form: more are refused.
const mostParts = 200

// InParts: the body is a form that is read as it comes: only the values that are wanted are kept.
func (c *Converter) InParts() bool { return c.R.Conv == "multipart" }

// multipart makes fields of a form: those that `fields` names, form.NAME=FIELD and
// file.NAME=FIELD; others are left out. The content of a file is bytes.
func (c *Converter) multipart(q *http.Request, who string, body io.Reader) (any, error) {
	kind, params, err := mime.ParseMediaType(q.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return nil, errors.New("give Content-Type: multipart/form-data")
	}
	query, err := c.query(q)
	if err != nil {
		return nil, err
	}
	lists := map[string][]any{}
	for i := range c.map_ {
		m := &c.map_[i]
		v := m.values(q, who, query)
		if err := m.check(v); err != nil {
			return nil, err
		}
		for _, s := range v {
			lists[m.field] = append(lists[m.field], s)
		}
	}
	err = eachPart(body, params["boundary"], (*multipart.Reader).NextRawPart,
		func(p *multipart.Part) error { return c.part(p, lists) })
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	for field, v := range lists {
		all[field] = v
	}
	// Do the values fit their fields? Nothing has been sent yet.
	b, err := onewake.NewBuffer(all)
	b.Free()
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "onewake: "))
	}
	return all, nil
}

// eachPart takes a form part by part, as next has them from its reader, and reads the body to its
// end. ErrCut: the body ended before.
func eachPart(body io.Reader, boundary string, next func(*multipart.Reader) (*multipart.Part, error),
	take func(*multipart.Part) error) error {
	whole := &ending{Reader: &cutting{body}}
	r := multipart.NewReader(whole, boundary)
	for n := 0; ; n++ {
		p, err := next(r)
		if err == io.EOF {
			break
		}
		if errors.Is(err, ErrCut) {
			return err
		}
		if err != nil || n == mostParts {
			return fmt.Errorf("a form of more than %d parts, or of no form", mostParts)
		}
		if err := take(p); err != nil {
			return err
		}
	}
	if _, err := io.Copy(io.Discard, whole); err != nil { // behind the form
		return err
	}
	// The reader takes a body that ends with the line before a part for a form that has ended.
	if bytes.HasSuffix(bytes.TrimRight(whole.last, " \t\r\n"), []byte("--"+boundary)) {
		return errEndsEarly
	}
	return nil
}

var errEndsEarly = errors.New("the form ends early")

// ending keeps the last bytes of a body: a boundary has 70 at most.
type ending struct {
	io.Reader
	last []byte
}

func (e *ending) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	e.last = append(e.last, p[max(0, n-128):n]...)
	e.last = e.last[max(0, len(e.last)-128):]
	return n, err
}

func (c *Converter) part(p *multipart.Part, lists map[string][]any) error {
	from := "form"
	if p.FileName() != "" {
		from = "file"
	}
	var b []byte
	var err error
	read := false
	for i := range c.map_ {
		m := &c.map_[i]
		if m.from != from || m.name != p.FormName() {
			continue
		}
		if !read {
			if b, err = io.ReadAll(p); err != nil {
				break
			}
			read = true
		}
		if from == "file" {
			lists[m.field] = append(lists[m.field], b)
			continue
		}
		if !utf8.Valid(b) || hasNUL(b) {
			return errText
		}
		if err := m.want.string(string(b)); err != nil {
			return fmt.Errorf("form %s: %s takes %w", m.name, m.field, err)
		}
		lists[m.field] = append(lists[m.field], string(b))
	}
	if err == nil {
		_, err = io.Copy(io.Discard, p) // of a part that nobody wants
	}
	if errors.Is(err, ErrCut) {
		return err
	}
	if err != nil {
		return errEndsEarly
	}
	return nil
}
