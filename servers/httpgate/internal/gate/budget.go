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

// Memory of the bodies of all requests in hand, and disk of their uploads.
const (
	bodies  = 256 << 20
	uploads = 4 << 30
)

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

var (
	errNoMemory = errors.New("no memory for the body now")
	errNoDisk   = errors.New("no room for further uploads now")
)

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
	full error // there is no more
	took int64
}

func (c *charged) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if !c.b.take(int64(n)) {
		return 0, c.full
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
	// There is no more: the server watches whether the caller goes, and takes the end of a time
	// for that.
	over bool
	many bool // HTTP/2: a time that ends breaks off the stream also while nobody reads
}

// passes gives the body of a request that is not kept in memory, up to the limit of the route.
func (v *served) passes(w *answering, r *http.Request) *passed {
	return &passed{ReadCloser: http.MaxBytesReader(w.ResponseWriter, r.Body, v.bodyMax()), over: r.Body == http.NoBody,
		many: r.ProtoMajor > 1, control: http.NewResponseController(w), limit: v.s.cfg.BodyTime}
}

func (b *passed) Read(p []byte) (int, error) {
	if b.left <= 0 && !b.over {
		b.left = piece
		b.begins()
	}
	if !b.over {
		p = p[:min(len(p), b.left)]
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= n
	b.over = b.over || err != nil
	return n, err
}

// begins begins the time of a piece, or of what the server reads of a body that is not wanted.
func (b *passed) begins() {
	if !b.over {
		_ = b.control.SetReadDeadline(time.Now().Add(b.limit))
	}
}

// rests: nobody waits for the body for a while, so its caller is not late meanwhile.
func (b *passed) rests() {
	if b.left = 0; b.many && !b.over {
		_ = b.control.SetReadDeadline(time.Time{})
	}
}

// body reads the body, up to the limit of the route.
func (v *served) body(w *answering, r *http.Request) ([]byte, *convert.Failure) {
	if had, ok := r.Body.(*whole); ok {
		return had.bytes, nil
	}
	if f := v.isCoded(r); f != nil {
		return nil, f
	}
	if f := v.tooLong(w, r); f != nil {
		return nil, f
	}
	b, err := readAll(http.MaxBytesReader(w.ResponseWriter, r.Body, v.bodyMax()), r.ContentLength)
	if err != nil {
		return nil, v.cut(w, err)
	}
	return b, nil
}

// readAll reads a body that is said to have so many bytes; -1: that is not known. What is only
// announced gets little memory: four times of what has come, after the first piece; or memory
// that there is already. giveBack() may follow.
func readAll(from io.Reader, length int64) ([]byte, error) {
	b := kept(length + 1)
	if b == nil {
		b = room(min(max(length, 511), piece) + 1) // one more byte, for the end
	}
	for {
		n, err := from.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			giveBack(b)
			return nil, err
		}
		if len(b) == cap(b) {
			size := int64(2 * len(b))
			if length > 0 {
				size = min(length+1, 2*size)
			}
			more := append(room(size), b...)
			giveBack(b)
			b = more
		}
	}
}

// The rest of the body of a request that is refused, which is read and thrown away.
const (
	restMost = 4 << 20
	restTime = time.Second
)

// hears lets a caller of HTTP/2 who still sends read the answer: the end of a request whose
// body was not read breaks off its stream, and callers (curl) drop what they have not read yet.
func (w *answering) hears() {
	if w.body == nil || w.body == http.NoBody || w.passOn() != nil {
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(restTime))
	_, _ = io.CopyN(io.Discard, w.body, restMost)
}

// isCoded refuses a body that is compressed.
func (v *served) isCoded(r *http.Request) *convert.Failure {
	if coding := r.Header.Get("Content-Encoding"); !v.r.Theirs && coding != "" && coding != "identity" {
		return convert.Refuse(http.StatusUnsupportedMediaType, "Content-Encoding: send the body as it is")
	}
	return nil
}

// tooLong refuses a body that is announced as too long, before it comes.
func (v *served) tooLong(w *answering, r *http.Request) *convert.Failure {
	if r.ContentLength <= v.bodyMax() {
		return nil
	}
	w.leaves()
	return v.tooLarge()
}

// leaves: the connection ends with this answer, as the rest of the body is in the way of the
// next request. In HTTP/2 it is not, and others use the connection.
func (w *answering) leaves() {
	if w.limit == 0 {
		w.Header().Set("Connection", "close")
	}
}

// cut is why a body has not come whole.
func (v *served) cut(w *answering, err error) *convert.Failure {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return v.tooLarge()
	}
	w.leaves()
	var late net.Error
	switch {
	case errors.Is(err, errNoMemory), errors.Is(err, errNoDisk):
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
