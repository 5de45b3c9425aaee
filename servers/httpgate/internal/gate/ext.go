// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"net/http"
	"strings"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/convert"
)

func names(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// extended serves a route of conv ext: the whole request in fields, filters before and
// behind the service, and the whole answer in fields.
func (v *served) extended(w *answering, r *http.Request) {
	ctx, cancel, f := v.until(r)
	if f != nil {
		v.refuse(w, r, f)
		return
	}
	defer cancel()
	body, f := v.body(w, r)
	if f != nil {
		v.refuse(w, r, f)
		return
	}
	in, remove, err := v.c.Extended(r, body)
	if err != nil {
		v.refuse(w, r, convert.Refuse(http.StatusBadRequest, err.Error()))
		return
	}
	out := in
	defer func() { remove(out) }()
	leave, f := v.place(ctx)
	if f != nil {
		v.refuse(w, r, f)
		return
	}
	defer leave()
	client, done, err := v.g.client(w.who)
	if err != nil {
		v.tell(w, r, unsent(err), nil, nil)
		return
	}
	defer done()
	out, f = v.filtered(ctx, client, in)
	if f != nil {
		f.Trace, w.code, w.work = w.trace, f.Code, f.Work
	}
	v.write(w, r, v.c.ExtendedAnswer(out, f))
}

// filtered makes the calls, each with what the one before has given.
func (v *served) filtered(ctx context.Context, client *onewake.Client, in convert.Fields) (convert.Fields, *convert.Failure) {
	o := &v.r.Old
	out, f := chainOf(ctx, client, v.r.FiltersIn, in, 'F')
	if f == nil {
		out = optional(ctx, client, names(o.FinOpt), out)
	} else {
		out.Blame(f)
		return optional(ctx, client, names(o.FinErr), out), f
	}
	out, f = chainOf(ctx, client, []string{v.r.Service}, out, 'S')
	if f == nil {
		out, f = chainOf(ctx, client, v.r.FiltersOut, out, 'F')
		if f != nil {
			f.Work = convert.Done
		}
	}
	if f == nil {
		return optional(ctx, client, names(o.FoutOpt), out), nil
	}
	out.Blame(f)
	return optional(ctx, client, names(o.FoutErr), out), f
}

func chainOf(ctx context.Context, client *onewake.Client, list []string, in convert.Fields, whose byte) (convert.Fields, *convert.Failure) {
	for _, name := range list {
		var out map[string]any
		err := client.Call(ctx, name, map[string]any(in), &out)
		if err != nil {
			f := convert.FailureOf(err)
			f.Source = whose
			if m, ok := f.Data.(map[string]any); ok {
				in = m
			}
			return in, f
		}
		in = out
		if in == nil {
			in = convert.Fields{}
		}
	}
	return in, nil
}

// optional makes calls whose failures do not matter.
func optional(ctx context.Context, client *onewake.Client, list []string, in convert.Fields) convert.Fields {
	for _, name := range list {
		var out map[string]any
		if err := client.Call(ctx, name, map[string]any(in), &out); err != nil {
			onewake.Logf("filter %s: %v", name, err)
		} else if out != nil {
			in = out
		}
	}
	return in
}
