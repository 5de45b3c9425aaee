// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/convert"
	"onewake.example/httpgate/internal/hook"
)

// Headers of calls in a transaction, as restincl has them.
const (
	tranRequest = "Endurox-Tptranid-Req"
	tranReply   = "Endurox-Tptranid-Rsp"
)

// Transactions at once: each has a thread, to which resource managers bind it. So many are
// of one identity at most, and of all callers whom nobody knows together.
const (
	mostTransactions = 256
	mostOfOne        = 32
	mostOfUnknown    = 128
)

const usualTime = 60 * time.Second

// transactions are those that callers have begun and not ended. One is known by a
// number that cannot be guessed, and only to the identity that began it.
type transactions struct {
	mu  sync.Mutex
	all map[string]*transaction
}

// transaction is a goroutine with a transaction, which does what it is told.
type transaction struct {
	who    hook.Key
	cancel context.CancelFunc
	orders chan func(ctx context.Context, c *onewake.Client) (over bool, commit bool)
	ended  chan struct{}
	err    error // of its end
}

func newTransactions() *transactions {
	return &transactions{all: map[string]*transaction{}}
}

var (
	errTooMany = errors.New("too many transactions are open")
	errTooOwn  = errors.New("too many transactions of this caller are open")
	errRolled  = errors.New("rolled back, as it was told")
)

// room is why no further one may be begun; nil: it may. Locked.
func (t *transactions) room(who hook.Key) error {
	own, most := 0, mostOfOne
	if who == (hook.Key{}) {
		most = mostOfUnknown
	}
	for _, x := range t.all {
		if x.who == who {
			own++
		}
	}
	switch {
	case own >= most:
		return errTooOwn
	case len(t.all) >= mostTransactions:
		return errTooMany
	}
	return nil
}

// begin begins one, which rolls back when its time is over.
func (t *transactions) begin(g *Gate, who *hook.Identity, limit time.Duration) (string, error) {
	client, done, err := g.client(who)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	x := &transaction{who: who.Key(), cancel: cancel, ended: make(chan struct{}),
		orders: make(chan func(context.Context, *onewake.Client) (bool, bool))}
	var id [16]byte
	_, _ = rand.Read(id[:])
	token := hex.EncodeToString(id[:])
	t.mu.Lock()
	if err := t.room(x.who); err != nil {
		t.mu.Unlock()
		cancel()
		done()
		return "", err
	}
	t.all[token] = x
	t.mu.Unlock()
	begun := make(chan struct{})
	go func() {
		defer done()
		defer cancel()
		x.err = client.Do(ctx, func(ctx context.Context) error {
			close(begun)
			return x.serve(ctx, client)
		})
		t.mu.Lock()
		delete(t.all, token)
		t.mu.Unlock()
		close(x.ended)
	}()
	select {
	case <-begun:
		return token, nil
	case <-x.ended:
		return "", x.err
	}
}

func (x *transaction) serve(ctx context.Context, client *onewake.Client) error {
	for {
		select {
		case order := <-x.orders:
			over, commit := order(ctx, client)
			if over && commit {
				return nil
			}
			if over {
				return errRolled
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// find gives the one with a token, if it is that of the identity.
func (t *transactions) find(token string, who *hook.Identity) *transaction {
	t.mu.Lock()
	defer t.mu.Unlock()
	x := t.all[token]
	if x == nil || x.who != who.Key() {
		return nil
	}
	return x
}

// order has the transaction do something. A failure: it does not, because the
// transaction has ended, or was busy with another order until ctx ended.
func (x *transaction) order(ctx context.Context, fn func(context.Context, *onewake.Client) (bool, bool)) *convert.Failure {
	select {
	case x.orders <- fn:
		return nil
	case <-x.ended:
		return noTransaction()
	case <-ctx.Done():
	}
	return convert.Refuse(http.StatusServiceUnavailable,
		"the transaction is busy with another call of its caller")
}

// close rolls all back.
func (t *transactions) close() {
	t.mu.Lock()
	all := make([]*transaction, 0, len(t.all))
	for _, x := range t.all {
		all = append(all, x)
	}
	t.mu.Unlock()
	for _, x := range all {
		x.cancel()
		<-x.ended
	}
}

func noTransaction() *convert.Failure {
	f := convert.Of(9, true) // TPEPROTO
	f.Name, f.Text, f.Source = "TPEPROTO", "there is no such transaction: it has ended", 'R'
	return f
}

// noneHere refuses a request that names a transaction where the work would be done
// outside of it: a caller that rolls back would take it for undone.
func (v *served) noneHere(r *http.Request) *convert.Failure {
	tokens := r.Header.Values(tranRequest)
	switch {
	case len(tokens) == 0 || v.r.Transactions:
		return nil
	case len(tokens) > 1:
		return convert.Refuse(http.StatusBadRequest, tranRequest+": give one transaction")
	case tokens[0] != "" && (v.r.Async || v.r.Streamed || v.r.Conv == "ext" || v.r.Queue != "" || v.r.Conversation != ""):
		return convert.Refuse(http.StatusBadRequest, tranRequest+": this route takes part in no "+
			"transaction: it is one-way, in pieces, of conv ext, of a queue, or of conversations")
	}
	return nil
}

// inTransaction makes the calls of a route in a transaction of the caller.
func (v *served) inTransaction(ctx context.Context, w *answering, token string, in any) (p *convert.Reply, f *convert.Failure, more http.Header) {
	x := v.g.trans.find(token, w.who)
	if x == nil {
		return nil, noTransaction(), nil
	}
	done := make(chan struct{})
	refused := x.order(ctx, func(tran context.Context, c *onewake.Client) (bool, bool) {
		defer close(done)
		if at, limited := ctx.Deadline(); limited {
			var cancel context.CancelFunc
			tran, cancel = context.WithDeadline(tran, at)
			defer cancel()
		}
		p, f = v.calls(onewake.WithTrace(tran, onewake.TraceOf(ctx)), c, in, false)
		return false, false
	})
	if refused != nil {
		return nil, refused, nil
	}
	<-done // the call has a deadline, that of the transaction
	return p, f, http.Header{tranReply: {token}}
}

type operation struct {
	Operation string `json:"operation"`
	Timeout   int    `json:"timeout"`
	Flags     int64  `json:"flags"`
	ID        string `json:"tptranid"`
}

type operated struct {
	Operation string `json:"operation"`
	Code      int    `json:"error_code"`
	Text      string `json:"error_message"`
	ID        string `json:"tptranid,omitempty"`
}

// transaction serves the route that begins and ends transactions.
func (v *served) transaction(w *answering, r *http.Request) {
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
	var o operation
	err := v.s.limits.Check(body)
	if err == nil {
		err = json.Unmarshal(body, &o)
	}
	if err != nil {
		v.operated(w, r, http.StatusBadRequest, operated{Code: 4, Text: err.Error()})
		return
	}
	a := operated{Operation: o.Operation, Text: "SUCCEED", ID: o.ID}
	switch o.Operation {
	case "tpbegin":
		limit := usualTime
		if o.Timeout > 0 && o.Timeout < 86400 {
			limit = time.Duration(o.Timeout) * time.Second
		}
		a.ID, err = v.g.trans.begin(v.g, w.who, limit)
	case "tpcommit", "tpabort":
		err = v.endTransaction(ctx, w.who, o.ID, o.Operation == "tpcommit")
	default:
		v.operated(w, r, http.StatusBadRequest, operated{Operation: o.Operation, Code: 4,
			Text: "operation: give tpbegin, tpcommit or tpabort"})
		return
	}
	status := a.fails(err)
	w.code = a.Code
	v.operated(w, r, status, a)
}

// fails says in the answer why an operation failed, and gives the status.
func (a *operated) fails(err error) int {
	var e *onewake.Error
	var f *convert.Failure
	switch {
	case err == nil:
		return http.StatusOK
	case errors.As(err, &f):
		a.Code, a.Text = f.Code, f.Text
		if f.Code == 0 {
			a.Code = int(onewake.TPEBLOCK) // busy: nothing was done
		}
		return f.Status
	case err == errTooMany, err == errTooOwn:
		a.Code, a.Text = int(onewake.TPELIMIT), err.Error()
		return http.StatusServiceUnavailable
	case errors.As(err, &e):
		a.Code, a.Text = int(e.Code), e.Text
	default:
		a.Code, a.Text = int(onewake.TPESYSTEM), err.Error()
	}
	return http.StatusInternalServerError
}

func (v *served) operated(w *answering, r *http.Request, status int, a operated) {
	text, _ := json.Marshal(a)
	answer := &convert.Answer{Status: status, Kind: "application/json", Body: text, Header: http.Header{}}
	if status == http.StatusServiceUnavailable {
		answer.Header.Set("Retry-After", "1")
	}
	if status == http.StatusBadRequest || status == http.StatusServiceUnavailable {
		w.work = convert.NotDone
	}
	v.write(w, r, answer)
}

// endTransaction commits or rolls back; what the end was is told when it is known.
func (v *served) endTransaction(ctx context.Context, who *hook.Identity, token string, commit bool) error {
	x := v.g.trans.find(token, who)
	if x == nil {
		return noTransaction()
	}
	refused := x.order(ctx, func(context.Context, *onewake.Client) (bool, bool) { return true, commit })
	if refused != nil {
		return refused
	}
	<-x.ended
	if !commit && errors.Is(x.err, errRolled) {
		return nil
	}
	return x.err
}
