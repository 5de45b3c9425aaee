// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/convert"
)

// A body that goes in pieces is a conversation with the service, which has one piece in hand
// while the next one comes: neither end needs memory for all of it. Its queue of messages holds
// up who sends faster than the other end takes.
//
//	gate                                  service
//	tpconnect(fields of the request) -->  with a body: it receives
//	tpsend(piece) ... the last one gives the turn
//	                                 <--  tpsend(piece) ..., tpreturn(last piece)
const pieceSize = piece

// streamed makes what serves a route whose bodies go in pieces.
func streamed(r *config.Route) (func(*served, *answering, *http.Request), error) {
	switch {
	case r.Service == "" || r.Conv != "raw":
		return nil, errors.New("stream: for svc and conv raw")
	case r.Async || r.Idempotency > 0 || len(r.FiltersIn)+len(r.FiltersOut) > 0:
		return nil, errors.New("stream: not with async, idempotency, finman and foutman")
	}
	return (*served).pieces, nil
}

// pieces serves a route whose bodies go in pieces.
func (v *served) pieces(w *answering, r *http.Request) {
	h := &inHand{}
	defer h.end()
	ctx, cancel, f := v.until(r)
	if f == nil {
		h.ctx, h.taken = ctx, append(h.taken, cancel)
		f = v.isCoded(r)
	}
	if f == nil && !r.ProtoAtLeast(1, 1) {
		f = convert.Refuse(http.StatusHTTPVersionNotSupported, "bodies in pieces need HTTP/1.1: by HTTP/1.0 "+
			"half an answer looks whole (nginx: proxy_http_version 1.1)")
	}
	if f == nil {
		f = v.tooLong(w, r)
	}
	if f == nil {
		f = v.holds(h)
	}
	body := v.passes(w, r)
	body.rests()
	if f == nil {
		f = v.enters(h)
	}
	if f == nil {
		f = v.joins(h, w)
	}
	if f != nil {
		body.begins()
		v.refuse(w, r, f)
		return
	}
	p := &passing{v: v, w: w, r: r, body: body}
	if f = p.serve(h.client); f != nil {
		p.fails(f)
	}
}

// holds takes the memory of a piece each way, and of what sockets and messages have.
func (v *served) holds(h *inHand) *convert.Failure {
	const need = 4 * pieceSize
	b := &v.g.bodies
	if !b.take(need) {
		return convert.Refuse(http.StatusServiceUnavailable, errNoMemory.Error())
	}
	h.taken = append(h.taken, func() { b.give(need) })
	return nil
}

// passing is a request that passes through.
type passing struct {
	v     *served
	w     *answering
	r     *http.Request
	body  *passed
	with  *onewake.Stream
	begun bool // the answer has
	room  []byte
	came  onewake.Reused // the last piece of the service
}

// step is the time of one message.
func (p *passing) step() (context.Context, context.CancelFunc) {
	ctx, cancel, _ := p.v.until(p.r)
	return ctx, cancel
}

func (p *passing) serve(client *onewake.Client) *convert.Failure {
	first, err := p.v.c.Beginning(p.r, p.w.name())
	if err != nil {
		return convert.Refuse(http.StatusBadRequest, err.Error())
	}
	body := bufio.NewReaderSize(p.body, pieceSize)
	piece, last, f := p.read(body)
	if f != nil {
		return f // nothing has been sent
	}
	turn := onewake.Ours
	if last && len(piece) == 0 {
		turn = onewake.Theirs
	}
	ctx, cancel := p.step()
	p.with, err = client.Connect(ctx, p.v.r.Service, first, turn)
	cancel()
	if err != nil {
		return convert.FailureOf(err)
	}
	defer p.with.Close()
	for turn == onewake.Ours {
		if last {
			turn = onewake.Theirs
		}
		if err := p.send(piece, turn); err != nil {
			return ofConversation(err)
		}
		if !last {
			if piece, last, f = p.read(body); f != nil {
				f.Work = convert.Unknown // the service has the pieces before
				return f
			}
		}
	}
	return p.answer()
}

// read gives the next piece of the body, and whether it is the last one. The one before has
// been sent: this one is where that was.
func (p *passing) read(body *bufio.Reader) (piece []byte, last bool, f *convert.Failure) {
	defer p.body.rests()
	if p.room == nil {
		p.room = make([]byte, pieceSize)
	}
	piece = p.room
	n, some := 0, 0
	var err error
	for n < pieceSize && err == nil { // not by io.ReadFull(): a body that is cut is no end
		some, err = body.Read(piece[n:])
		n += some
	}
	if err == nil {
		_, err = body.Peek(1)
	}
	switch {
	case err == nil:
		return piece, false, nil
	case err == io.EOF:
		return piece[:n], true, nil
	}
	return nil, false, p.v.cut(p.w, err)
}

func (p *passing) send(piece []byte, turn onewake.Turn) error {
	ctx, cancel := p.step()
	defer cancel()
	return p.with.Send(ctx, piece, turn)
}

// answer passes on what the service sends, until it returns.
func (p *passing) answer() *convert.Failure {
	for {
		ctx, cancel := p.step()
		err := p.with.Recv(ctx, &p.came)
		cancel()
		piece := p.came.Bytes
		if err != nil && err != io.EOF {
			return ofConversation(err)
		}
		if p.with.MaySend() {
			return &convert.Failure{Code: 9, Status: http.StatusBadGateway, Name: "TPEPROTO", Source: 'S',
				Work: convert.Unknown, Text: "the service gave the turn, and the whole request was there"}
		}
		if err == io.EOF && !p.begun {
			p.v.tell(p.w, p.r, nil, p.v.c.Whole(piece), nil)
			return nil
		}
		if !p.begun {
			p.begun = true
			p.w.Header().Set("Content-Type", "application/octet-stream")
			p.w.Header().Set("X-Content-Type-Options", "nosniff")
			p.w.WriteHeader(http.StatusOK)
		}
		_, e := p.w.Write(piece)
		if e == nil {
			e = p.w.passOn() // the next piece may come late
		}
		if e != nil {
			return &convert.Failure{Status: 499, Work: convert.Unknown} // the caller has gone
		}
		if err == io.EOF {
			return nil
		}
	}
}

// fails tells a failure, or breaks the connection: half an answer must not look whole.
func (p *passing) fails(f *convert.Failure) {
	if !p.begun {
		p.body.begins()
		p.w.left(p.r)
		p.v.refuse(p.w, p.r, f)
		return
	}
	p.w.failed(f)
	panic(http.ErrAbortHandler)
}
