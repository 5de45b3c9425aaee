// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/convert"
	"onewake.example/httpgate/internal/route"
)

// served is a route in a state.
type served struct {
	g *Gate
	s *state
	r *config.Route
}

func (g *Gate) serve(s *state, e *route.Entry) (http.Handler, error) {
	v := &served{g: g, s: s, r: e.Route}
	return http.HandlerFunc(v.call), nil
}

// body reads the body, up to the limit of the route. A problem: what the caller is told.
func (v *served) body(w http.ResponseWriter, r *http.Request) ([]byte, *convert.Problem) {
	most := int64(v.s.cfg.BodyMax)
	if v.r.BodyMax > 0 {
		most = int64(v.r.BodyMax)
	}
	if r.ContentLength > most {
		w.Header().Set("Connection", "close")
		return nil, tooLarge(most)
	}
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, tooLarge(most)
	case err != nil:
		return nil, &convert.Problem{Status: http.StatusRequestTimeout,
			Detail: "the body did not come", Work: "not done"}
	}
	return b, nil
}

func tooLarge(most int64) *convert.Problem {
	return &convert.Problem{Status: http.StatusRequestEntityTooLarge, Work: "not done",
		Detail: "more than " + strconv.FormatInt(most, 10) + " bytes"}
}

// until is the deadline of a call: that of the route, or what the caller asks for, if
// the route lets it.
func (v *served) until(r *http.Request) (context.Context, context.CancelFunc, error) {
	d := v.r.Timeout
	if text := r.Header.Get("Request-Timeout"); text != "" {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x > 0) || x > 1e6 {
			return nil, nil, errors.New("Request-Timeout: give seconds")
		}
		asked := time.Duration(x * float64(time.Second))
		if most := v.r.TimeoutMax; most == 0 || asked < most {
			d = asked
		} else {
			d = most
		}
	}
	if d <= 0 {
		return r.Context(), func() {}, nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), d)
	return ctx, cancel, nil
}

func (v *served) call(w http.ResponseWriter, r *http.Request) {
	body, p := v.body(w, r)
	if p != nil {
		p.Write(w)
		return
	}
	in, err := convert.Request(v.r, body, &v.s.limits)
	if err != nil {
		(&convert.Problem{Status: http.StatusBadRequest, Work: "not done", Detail: err.Error()}).Write(w)
		return
	}
	ctx, cancel, err := v.until(r)
	if err != nil {
		(&convert.Problem{Status: http.StatusBadRequest, Work: "not done", Detail: err.Error()}).Write(w)
		return
	}
	defer cancel()
	var reply convert.Reply
	if err := v.g.client.Call(ctx, v.r.Service, in, reply.Into(v.r)); err != nil {
		v.problem(err).Write(w)
		return
	}
	out, kind, err := reply.Body(v.r)
	if err != nil {
		(&convert.Problem{Status: http.StatusBadGateway, Work: "done", Detail: err.Error()}).Write(w)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	_, _ = w.Write(out)
}

// problem is what a caller is told of a call that has failed.
func (v *served) problem(err error) *convert.Problem {
	var e *onewake.Error
	if !errors.As(err, &e) {
		return &convert.Problem{Status: http.StatusBadRequest, Work: "not done", Detail: err.Error()}
	}
	status, work := convert.Status(int(e.Code))
	return &convert.Problem{Status: status, Work: work, Detail: e.Text, Service: e.Service,
		Code: int(e.Code), Name: e.Code.Error(), Urcode: e.Urcode, Data: e.Data}
}
