// SPDX-License-Identifier: Apache-2.0

package outgoing

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/carry"
	"onewake.example/httpgate/internal/convert"
	"onewake.example/httpgate/internal/out"
)

// handler serves one service.
type handler struct {
	e *out.Endpoint
}

func (h *handler) serve(ctx context.Context, r *onewake.Request) (any, error) {
	m, err := h.message(r)
	if err != nil {
		return nil, err
	}
	trace := onewake.TraceOf(ctx)
	m.Span, m.State = spans(trace), carry.Domain().Get(trace.ID)
	result := h.e.Call(ctx, m)
	a := h.e.Service().Answer(m.Kind, &result)
	if err := fits(h.e.Service(), a); err != nil {
		a.Code, a.Message, a.Kind, a.Body = int(onewake.TPESVCERR), "the answer cannot be kept: "+err.Error(), "NULL", nil
	}
	if a.Code == 0 {
		return onewake.Reply{Urcode: int64(a.Status), Data: reply(a.Kind, a.Body)}, nil
	}
	onewake.Warnf("%s: tperrno %d: %s", r.Service, a.Code, a.Message)
	f := &onewake.Fail{Urcode: int64(a.Status), Data: explain(m.Kind, a)}
	if a.Code != int(onewake.TPESVCFAIL) {
		f.Code = onewake.Code(a.Code)
	}
	return nil, f
}

// Of an answer its size is limited.
var limits = convert.Limits{Depth: 1000, Keys: 1 << 30, Digits: 1 << 20}

// fits is why an answer cannot become a buffer as it is: the library would cut off a value that does
// not fit its field, in silence. The work is done then, and its result is lost. Names that are no
// fields are left out: a host may say more than the caller wants to know.
func fits(s *out.Service, a *out.Answer) error {
	if !s.Fits || a.Kind != "UBF" {
		return nil
	}
	return limits.CheckFields(a.Body, func(name string) (int32, error) {
		if id, err := onewake.FieldID(name); err == nil {
			return id, nil
		}
		return convert.NoField, nil
	}, nil)
}

// spans makes each attempt a span of the trace of the request.
func spans(of onewake.Trace) func(method, host string) (string, func(status int)) {
	return func(method, host string) (string, func(status int)) {
		began, s := time.Now(), onewake.Span{Trace: of.Child(), Parent: of.Span,
			Kind: onewake.HTTPClient, Method: method, Name: host}
		return s.Trace.String(), func(status int) {
			s.Status, s.Took = status, time.Since(began)
			s.Note()
		}
	}
}

// message is the request as it is sent on.
func (h *handler) message(r *onewake.Request) (*out.Message, error) {
	m := &out.Message{Kind: r.Kind()}
	switch m.Kind {
	case "NULL":
		return m, nil
	case "STRING", "CARRAY":
		return m, r.Decode(&m.Body)
	}
	j := onewake.AsJSON{NotNull: h.e.Service().ViewNotNull}
	if err := r.Decode(&j); err != nil {
		return nil, err
	}
	m.Body = j.Text
	if !h.e.NeedsFields() {
		return m, nil
	}
	fields := map[string]any{}
	if m.Kind == "UBF" {
		if err := r.Decode(&fields); err != nil {
			return nil, err
		}
	} else {
		_ = json.Unmarshal(j.Text, &fields)
	}
	m.Field = func(name string) (string, bool) { return text(fields[name]) }
	return m, nil
}

// text is the first occurrence of a field.
func text(v any) (string, bool) {
	switch x := v.(type) {
	case nil:
		return "", false
	case []any:
		if len(x) == 0 {
			return "", false
		}
		return text(x[0])
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64), true
	case []byte:
		return string(x), true
	}
	return fmt.Sprint(v), true
}

func reply(kind string, body []byte) any {
	switch kind {
	case "UBF":
		return onewake.UBFOfJSON(body)
	case "VIEW":
		return onewake.ViewOfJSON(body)
	case "JSON":
		return json.RawMessage(body)
	case "STRING":
		return string(body)
	case "CARRAY":
		return body
	}
	return nil
}

// explain is what a caller gets with an error: the body where the configuration wants
// it, else what has happened, in the type of the request.
func explain(kind string, a *out.Answer) any {
	if a.Kind != "NULL" {
		return reply(a.Kind, a.Body)
	}
	switch kind {
	case "UBF":
		fields := map[string]any{}
		for name, v := range map[string]any{"EX_NETRCODE": a.Status, "EX_NERROR_CODE": a.Net,
			"EX_NERROR_MSG": a.Message, "EX_IF_RSPDATA": a.Raw} {
			if _, err := onewake.FieldID(name); err == nil {
				fields[name] = v
			}
		}
		return fields
	case "JSON":
		b, _ := json.Marshal(map[string]any{"status": a.Status, "error": a.Message,
			"network": a.Net, "body": string(a.Raw)})
		return json.RawMessage(b)
	case "STRING":
		return fmt.Sprintf("%d %s", a.Status, a.Message)
	}
	return nil
}
