// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"onewake.example/httpgate/internal/config"
)

// Fields of a request of conv ext, by name.
type Fields map[string]any

// ErrCut is in the error of a body that did not come whole, beside the reason.
var ErrCut = errors.New("the form ends early")

var errNUL = errors.New("a form with a NUL in a name or value: send it as a file")

// What the values of a form, which are no files, have together.
const formMax = 1 << 20

// Uploads: the files of the request go to disk as they come, and the body is not read before.
func (c *Converter) Uploads(q *http.Request) bool {
	kind, _, _ := mime.ParseMediaType(q.Header.Get("Content-Type"))
	return c.R.Conv == "ext" && c.R.Old.FileUpload && kind == "multipart/form-data"
}

// Extended makes the fields of a request as restincl has them. remove() takes away the
// files of an upload, but those that the reply says to keep.
func (c *Converter) Extended(q *http.Request, body []byte) (f Fields, remove func(Fields), err error) {
	o := &c.R.Old
	f = Fields{"EX_IF_METHOD": q.Method, "EX_IF_URL": q.URL.Path}
	remove = func(Fields) {}
	if strings.ContainsRune(q.URL.Path, 0) {
		return f, remove, errors.New("a NUL in the path") // a field of text would have what is before it
	}
	if c.R.ParseHeaders {
		n, v := headers(q.Header)
		f.pairs("EX_IF_REQHN", "EX_IF_REQHV", n, v)
	}
	if o.ParseCookies {
		var n, v []string
		for _, k := range q.Cookies() {
			n, v = append(n, k.Name), append(v, k.Value)
		}
		f.pairs("EX_IF_REQCN", "EX_IF_REQCV", n, v)
	}
	kind, params, _ := mime.ParseMediaType(q.Header.Get("Content-Type"))
	switch {
	case c.Uploads(q):
		remove, err = f.upload(q.Body, params["boundary"], o)
	case o.ParseForm && kind == "application/x-www-form-urlencoded":
		var form url.Values
		if form, err = url.ParseQuery(string(body)); err == nil {
			err = f.values("EX_IF_REQFORMN", "EX_IF_REQFORMV", form)
		}
	default:
		f["EX_IF_REQDATA"] = body
	}
	if err == nil && o.ParseForm {
		err = f.values("EX_IF_REQQUERYN", "EX_IF_REQQUERYV", q.URL.Query())
	}
	if err != nil {
		remove(f)
	}
	return f, remove, err
}

func (f Fields) pairs(name, value string, names, values []string) {
	if len(names) > 0 {
		f[name], f[value] = names, values
	}
}

func (f Fields) values(name, value string, all url.Values) error {
	var names, values []string
	for n, list := range all {
		m := mapping{from: "parameter", name: n}
		if err := m.check(append([]string{n}, list...)); err != nil {
			return err
		}
		for _, v := range list {
			names, values = append(names, n), append(values, v)
		}
	}
	if len(names) > mostParts {
		return fmt.Errorf("more than %d parameters", mostParts)
	}
	f.pairs(name, value, names, values)
	return nil
}

// upload stores the files of a form: under names of our own.
func (f Fields) upload(body io.Reader, boundary string, o *config.Old) (func(Fields), error) {
	var names, kinds, forms, fn, fv []string
	stored := files{folder: o.TempDir}
	remove := func(reply Fields) {
		if s, _ := reply["EX_IF_RSPFILEACTION"].(string); !strings.HasPrefix(s, "K") {
			stored.remove()
		}
	}
	values := 0
	err := eachPart(body, boundary, (*multipart.Reader).NextPart, func(p *multipart.Part) error {
		if p.FileName() == "" {
			b, err := io.ReadAll(io.LimitReader(p, formMax+1))
			if err != nil {
				return err
			}
			if values += len(b); values > formMax {
				return fmt.Errorf("values of a form of more than %d bytes: send files", formMax)
			}
			fn, fv = append(fn, p.FormName()), append(fv, string(b))
			if hasNUL(b) || strings.ContainsRune(p.FormName(), 0) {
				return errNUL // a field of text would have what is before it
			}
			return nil
		}
		name, kind := p.FileName(), p.Header.Get("Content-Type")
		if strings.ContainsRune(name+kind+p.FormName(), 0) {
			return errNUL
		}
		if name == "." || name == ".." || name == "/" {
			return fmt.Errorf("a file that is called %s", name)
		}
		err := stored.store(p)
		if err == io.ErrUnexpectedEOF {
			err = errors.New("the form ends in the middle of a file")
		}
		if err != nil {
			return err
		}
		names = append(names, name) // without folders
		kinds = append(kinds, kind)
		forms = append(forms, p.FormName())
		return nil
	})
	if err != nil {
		return remove, err
	}
	disk, err := stored.name()
	if err != nil {
		return remove, err
	}
	f.pairs("EX_IF_REQFILEDISK", "EX_IF_REQFILENAME", disk, names)
	f.pairs("EX_IF_REQFILEMIME", "EX_IF_REQFILEFORM", kinds, forms)
	f.pairs("EX_IF_REQFORMN", "EX_IF_REQFORMV", fn, fv)
	return remove, nil
}

// cutting marks the errors of a body, which are not those of its form.
type cutting struct {
	io.Reader
}

func (c *cutting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%w: %w", ErrCut, err)
	}
	return n, err
}

// Blame says in fields why a call failed, and whose: F, R or S.
func (f Fields) Blame(x *Failure) {
	f["EX_IF_ECODE"], f["EX_IF_EMSG"] = x.Code, x.Text
	f["EX_IF_ERRSRC"], f["EX_IF_TPURCODE"] = string(x.Source), x.Urcode
}

func (f Fields) list(name string) (all []string) {
	switch x := f[name].(type) {
	case []any:
		for _, v := range x {
			all = append(all, fmt.Sprint(v))
		}
	case []string:
		return x
	case nil:
	default:
		all = []string{fmt.Sprint(x)}
	}
	return all
}

// Of the connection, not of a service.
var notTheirs = map[string]bool{"Content-Length": true, "Transfer-Encoding": true, "Connection": true,
	"Keep-Alive": true, "Upgrade": true, "Trailer": true, "Te": true, "Proxy-Connection": true}

// ExtendedAnswer is the answer that the fields say.
func (c *Converter) ExtendedAnswer(f Fields, x *Failure) *Answer {
	if x != nil && c.R.Errors != "ext" {
		return c.Answer(x, nil)
	}
	return x.headers(f.answer(x != nil))
}

func (f Fields) answer(failed bool) *Answer {
	a := &Answer{Status: http.StatusOK, Header: http.Header{}}
	status, err := strconv.Atoi(fmt.Sprint(f["EX_NETRCODE"]))
	given := err == nil && status >= 200 && status <= 599
	if given {
		a.Status = status
	} else if failed {
		return &Answer{Status: http.StatusInternalServerError}
	}
	switch b := f["EX_IF_RSPDATA"].(type) {
	case []byte:
		a.Body = b
	case string:
		a.Body = []byte(b)
	}
	names, values := f.list("EX_IF_RSPHN"), f.list("EX_IF_RSPHV")
	for i, name := range names {
		name = http.CanonicalHeaderKey(name)
		if i >= len(values) || notTheirs[name] || strings.ContainsAny(values[i], "\r\n\x00") {
			continue
		}
		if name == "Content-Type" {
			a.Kind = values[i]
		} else {
			a.Header.Add(name, values[i])
		}
	}
	f.cookies(a.Header)
	if a.Kind == "" && len(a.Body) > 0 {
		a.Kind = kindRaw
	}
	return a
}

// cookies adds the cookies that the fields say.
func (f Fields) cookies(h http.Header) {
	at := func(name string, i int) string {
		if l := f.list(name); i < len(l) {
			return l[i]
		}
		return ""
	}
	values := f.list("EX_IF_RSPCV")
	for i, name := range f.list("EX_IF_RSPCN") {
		if i >= len(values) {
			break
		}
		k := http.Cookie{Name: name, Value: values[i], Path: at("EX_IF_RSPCPATH", i),
			Domain: at("EX_IF_RSPCDOMAIN", i), Secure: at("EX_IF_RSPCSECURE", i) == "true",
			HttpOnly: at("EX_IF_RSPCHTTPONLY", i) == "true"}
		k.MaxAge, _ = strconv.Atoi(at("EX_IF_RSPCMAXAGE", i))
		k.Expires, _ = time.Parse(time.RFC1123, at("EX_IF_RSPCEXPIRES", i))
		if s := k.String(); s != "" {
			h.Add("Set-Cookie", s)
		}
	}
}
