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

// bodyMax is the limit of the route.
func (v *served) bodyMax() int64 {
	if v.r.BodyMax > 0 {
		return int64(v.r.BodyMax)
	}
	return int64(v.s.cfg.BodyMax)
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
	if r.ContentLength > most {
		w.Header().Set("Connection", "close")
		return nil, tooLarge(most)
	}
	b, err := io.ReadAll(http.MaxBytesReader(w.ResponseWriter, r.Body, most))
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return b, nil
	case errors.As(err, &large):
		return nil, tooLarge(most)
	}
	w.Header().Set("Connection", "close")
	var late net.Error
	switch {
	case errors.Is(err, errNoMemory):
		return nil, convert.Refuse(http.StatusServiceUnavailable, err.Error())
	case errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &late):
		return nil, convert.Refuse(http.StatusRequestTimeout, "the body did not come")
	}
	return nil, convert.Refuse(http.StatusBadRequest, "the body is not of its form")
}

func tooLarge(most int64) *convert.Failure {
	return convert.Refuse(http.StatusRequestEntityTooLarge,
		"more than "+strconv.FormatInt(most, 10)+" bytes")
}
