// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"net/http"
	"strings"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/convert"
)

func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// extended serves a route of conv ext: the whole request in fields, filters before and
// behind the service, and the whole answer in fields.
func (v *served) extended(w *answering, r *http.Request) {
	var out convert.Fields
	remove := func(convert.Fields) {}
	h, f := v.takes(w, r, func(body []byte) (any, error) {
		in, gone, err := v.c.Extended(r, body)
		if err == nil {
			out, remove = in, gone
		}
		return in, err
	})
	defer h.end()
	defer func() { remove(out) }()
	if f == nil {
		f = v.joins(h, w)
	}
	if f != nil {
		v.refuse(w, r, f)
		return
	}
	out, f = v.filtered(h.begun(), h.client, out)
	w.left(r)
	if f != nil {
		w.failed(f)
	}
	v.write(w, r, v.c.ExtendedAnswer(out, f))
}

// filtered makes the calls, each with what the one before has given.
func (v *served) filtered(ctx context.Context, client *onewake.Client, in convert.Fields) (convert.Fields, *convert.Failure) {
	o := &v.r.Old
	before := len(v.r.FiltersIn)
	names := append(append(append([]string{}, v.r.FiltersIn...), v.r.Service), v.r.FiltersOut...)
	out := in
	for i, name := range names {
		if i == before {
			out = optional(ctx, client, words(o.FinOpt), out)
		}
		next, f := fields(ctx, client, name, out)
		if f == nil {
			out = next
			continue
		}
		if next != nil {
			out = next
		}
		f = v.inChain(i, f)
		out.Blame(f)
		if i < before {
			return optional(ctx, client, words(o.FinErr), out), f
		}
		return optional(ctx, client, words(o.FoutErr), out), f
	}
	return optional(ctx, client, words(o.FoutOpt), out), nil
}

// fields makes one call. Of a failure: what the service gave, if it gave any.
func fields(ctx context.Context, client *onewake.Client, name string, in convert.Fields) (convert.Fields, *convert.Failure) {
	var out map[string]any
	if err := client.Call(ctx, name, map[string]any(in), &out); err != nil {
		f := convert.FailureOf(err)
		given, _ := f.Data.(map[string]any)
		return given, f
	}
	if out == nil {
		out = map[string]any{}
	}
	return out, nil
}

// optional makes calls whose failures do not matter.
func optional(ctx context.Context, client *onewake.Client, list []string, in convert.Fields) convert.Fields {
	for _, name := range list {
		var out map[string]any
		if err := client.Call(ctx, name, map[string]any(in), &out); err != nil {
			onewake.Warnf("filter %s: %v", name, err)
		} else if out != nil {
			in = out
		}
	}
	return in
}
