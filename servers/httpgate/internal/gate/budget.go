// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"onewake.example/httpgate/internal/convert"
)

// Memory of the bodies of all requests in hand.
const bodies = 256 << 20

// budget is memory for bodies that are read: beyond it requests are refused.
type budget struct {
	left atomic.Int64
}

func (b *budget) take(n int64) bool {
	if b.left.Add(-n) >= 0 {
		return true
	}
	b.left.Add(n)
	return false
}

func (b *budget) give(n int64) { b.left.Add(n) }

var errNoMemory = errors.New("no memory for the body now")

// whole is a body that has been read, for who comes next: the bytes once, not twice.
type whole struct {
	*bytes.Reader
	bytes []byte
}

func (*whole) Close() error { return nil }

// charged is a body that takes memory of the budget as it comes, whoever reads it:
// what was announced and does not come costs nothing. give() follows.
type charged struct {
	io.ReadCloser
	b    *budget
	took int64
}

func (c *charged) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if !c.b.take(int64(n)) {
		return 0, errNoMemory
	}
	c.took += int64(n)
	return n, err
}

func (c *charged) give() { c.b.give(c.took) }

// Files of an upload go to disk: restincl, which has no limit, has this one.
const uploadMax = 64 << 20

// bodyMax is the limit of the route.
func (v *served) bodyMax() int64 {
	if v.r.BodyMax > 0 {
		return int64(v.r.BodyMax)
	}
	if v.r.Old.FileUpload {
		return max(int64(v.s.cfg.BodyMax), uploadMax)
	}
	return int64(v.s.cfg.BodyMax)
}

// passed is a body that is not kept in memory. Each piece of it has the body_time.
type passed struct {
	io.ReadCloser
	control *http.ResponseController
	limit   time.Duration
	left    int // of the piece
}

// passes gives the body of a request that is not kept in memory, up to the limit of the route.
func (v *served) passes(w *answering, r *http.Request) io.ReadCloser {
	return &passed{ReadCloser: http.MaxBytesReader(w.ResponseWriter, r.Body, v.bodyMax()),
		control: http.NewResponseController(w), limit: v.s.cfg.BodyTime}
}

func (b *passed) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.left = piece
		_ = b.control.SetReadDeadline(time.Now().Add(b.limit))
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// body reads the body, up to the limit of the route.
func (v *served) body(w *answering, r *http.Request) ([]byte, *convert.Failure) {
	if had, ok := r.Body.(*whole); ok {
		return had.bytes, nil
	}
	most := v.bodyMax()
	if coding := r.Header.Get("Content-Encoding"); !v.r.Theirs && coding != "" && coding != "identity" {
		return nil, convert.Refuse(http.StatusUnsupportedMediaType, "Content-Encoding: send the body as it is")
	}
	if f := v.tooLong(w, r); f != nil {
		return nil, f
	}
	b, err := io.ReadAll(http.MaxBytesReader(w.ResponseWriter, r.Body, most))
	if err != nil {
		return nil, v.cut(w, err)
	}
	return b, nil
}

// tooLong refuses a body that is announced as too long, before it comes.
func (v *served) tooLong(w *answering, r *http.Request) *convert.Failure {
	if r.ContentLength <= v.bodyMax() {
		return nil
	}
	w.Header().Set("Connection", "close")
	return v.tooLarge()
}

// cut is why a body has not come whole.
func (v *served) cut(w *answering, err error) *convert.Failure {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return v.tooLarge()
	}
	w.Header().Set("Connection", "close")
	var late net.Error
	switch {
	case errors.Is(err, errNoMemory):
		return convert.Refuse(http.StatusServiceUnavailable, err.Error())
	case errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &late):
		return convert.Refuse(http.StatusRequestTimeout, "the body did not come")
	}
	return convert.Refuse(http.StatusBadRequest, "the body is not of its form")
}

// tooLarge says also why there is a limit.
func (v *served) tooLarge() *convert.Failure {
	text := "more than " + strconv.FormatInt(v.bodyMax(), 10) + " bytes: body_max of this route"
	if !v.r.Streamed && !v.r.Old.FileUpload {
		text += ", whose bodies are one message"
	}
	return convert.Refuse(http.StatusRequestEntityTooLarge, text)
}
