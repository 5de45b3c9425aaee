// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// mapping says what of a request goes to which field: path.id=T_ID.
type mapping struct {
	from, name, field string
	want              want // what the field takes
}

var froms = map[string]bool{"path": true, "query": true, "header": true, "cookie": true,
	"form": true, "file": true, "identity": true, "method": true, "url": true}

func mappings(text string) (all []mapping, err error) {
	for _, word := range strings.Fields(text) {
		left, field, ok := strings.Cut(word, "=")
		from, name, named := strings.Cut(left, ".")
		whole := from == "identity" || from == "method" || from == "url"
		if !ok || field == "" || !froms[from] || named == whole || named && name == "" {
			return nil, fmt.Errorf("fields: %q: give path.NAME=FIELD, with query, header, cookie, "+
				"form or file in place of path; or identity=FIELD, method=FIELD, url=FIELD", word)
		}
		if field[0] == '(' {
			return nil, fmt.Errorf("fields: %q: give the name of the field, not its number", word)
		}
		all = append(all, mapping{from: from, name: name, field: field})
	}
	return all, alone(all)
}

// alone: a field of the identity has no other source, which would fill it when nobody
// was asked, or another occurrence.
func alone(all []mapping) error {
	for i := range all {
		for k := range all {
			if i != k && all[i].from == "identity" && all[k].field == all[i].field {
				return fmt.Errorf("fields: %s has the identity, and nothing else", all[i].field)
			}
		}
	}
	return nil
}

// Fields looks up the fields that `fields` names: id gives that of one. An error: there is none,
// and what goes there, an identity for instance, would be left out in silence.
func (c *Converter) Fields(id func(name string) (int32, error)) error {
	if c.R.Conv == "json" {
		return nil // members of an object
	}
	for i := range c.map_ {
		m := &c.map_[i]
		n, err := id(m.field)
		if err != nil {
			return fmt.Errorf("fields: no field table has %s (%w)", m.field, err)
		}
		m.want = wantOf(n)
	}
	return nil
}

// MostValues is how often a parameter of the query or a header may be there.
const MostValues = 100

// query has the parameters of a request. What cannot be read of it is an error: left out it would
// be a parameter that was not sent.
func (c *Converter) query(q *http.Request) (url.Values, error) {
	for i := range c.map_ {
		if c.map_[i].from != "query" {
			continue
		}
		v, err := url.ParseQuery(q.URL.RawQuery)
		if err != nil && !c.R.Theirs {
			return nil, errors.New("the query is not of its form: % and ; are %25 and %3B")
		}
		return v, nil
	}
	return nil, nil
}

// values are those of a mapping in a request with these parameters.
func (m *mapping) values(q *http.Request, who string, query url.Values) (v []string) {
	switch m.from {
	case "path":
		v = []string{q.PathValue(m.name)}
	case "query":
		v = query[m.name]
	case "header":
		v = q.Header.Values(m.name)
	case "cookie":
		if c, err := q.Cookie(m.name); err == nil {
			v = []string{c.Value}
		}
	case "identity":
		if who != "" {
			v = []string{who}
		}
	case "method":
		v = []string{q.Method}
	case "url":
		v = []string{q.URL.Path}
	}
	return v
}

// Headers of the way that a request takes, which another attempt has other ones of.
var ofTheWay = map[string]bool{"Accept-Encoding": true, "Connection": true, "Content-Length": true, "Date": true,
	"Expect": true, "Forwarded": true, "Idempotency-Key": true, "Request-Timeout": true, "Traceparent": true,
	"Tracestate": true, "Via": true, "X-Forwarded-For": true, "X-Forwarded-Host": true, "X-Forwarded-Port": true,
	"X-Forwarded-Proto": true, "X-Real-Ip": true, "X-Request-Id": true}

// Taken is what a service is sent of the headers of a request, by `fields`, parseheaders and
// parsecookies; with parseheaders without those of the way.
func (c *Converter) Taken(q *http.Request) (all []string) {
	if c.R.Old.ParseCookies {
		for _, k := range q.Cookies() {
			all = append(all, "parsecookies", k.Name, k.Value)
		}
	}
	if c.R.ParseHeaders {
		names := make([]string, 0, len(q.Header))
		for name := range q.Header {
			if !ofTheWay[name] {
				names = append(names, name)
			}
		}
		sort.Strings(names)
		for _, name := range names {
			v := q.Header[name]
			all = append(append(all, "parseheaders", name, strconv.Itoa(len(v))), v...)
		}
	}
	for i := range c.map_ {
		if m := &c.map_[i]; m.from == "header" || m.from == "cookie" {
			v := m.values(q, "", nil)
			all = append(append(all, m.from, m.name, strconv.Itoa(len(v))), v...)
		}
	}
	return all
}

func (m *mapping) check(values []string) error {
	if len(values) > MostValues {
		return fmt.Errorf("%s %s is there more than %d times", m.from, m.name, MostValues)
	}
	for _, v := range values {
		if !utf8.ValidString(v) || strings.ContainsRune(v, 0) {
			return fmt.Errorf("%s %s is no text of UTF-8 without NUL", m.from, m.name)
		}
		if err := m.want.string(v); err != nil {
			return fmt.Errorf("%s %s: %s takes %w", m.from, m.name, m.field, err)
		}
	}
	return nil
}

// extra has what goes to fields beside the body, as JSON: several values are a list. A field that
// is mapped and not in the request is absent, also when the body names it.
func (c *Converter) extra(q *http.Request, who string) (map[string]json.RawMessage, error) {
	url := c.R.Theirs && c.R.Old.Format != "" && c.R.Conv == "json2ubf"
	if len(c.map_) == 0 && !c.R.ParseHeaders && !url && !c.R.Old.ParseCookies {
		return nil, nil
	}
	lists := map[string][]string{}
	if url {
		lists[c.R.Old.URLField] = []string{q.URL.Path}
	}
	if c.R.Old.ParseCookies {
		for _, k := range q.Cookies() {
			lists["EX_IF_REQCN"] = append(lists["EX_IF_REQCN"], k.Name)
			lists["EX_IF_REQCV"] = append(lists["EX_IF_REQCV"], k.Value)
		}
	}
	query, err := c.query(q)
	if err != nil {
		return nil, err
	}
	for i := range c.map_ {
		m := &c.map_[i]
		v := m.values(q, who, query)
		if err := m.check(v); err != nil {
			return nil, err
		}
		lists[m.field] = append(lists[m.field], v...)
	}
	if c.R.ParseHeaders {
		lists["EX_IF_REQHN"], lists["EX_IF_REQHV"] = headers(q.Header)
	}
	extra := map[string]json.RawMessage{}
	for field, v := range lists {
		var err error
		switch len(v) {
		case 0:
			extra[field] = json.RawMessage("[]")
		case 1:
			extra[field], err = json.Marshal(v[0])
		default:
			extra[field], err = json.Marshal(v)
		}
		if err != nil {
			return nil, err
		}
	}
	return extra, nil
}

// headers are names and values, in pairs.
func headers(h http.Header) (names, values []string) {
	for name, list := range h {
		for _, v := range list {
			if utf8.ValidString(v) {
				names, values = append(names, name), append(values, v)
			}
		}
	}
	return names, values
}
