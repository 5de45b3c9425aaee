// SPDX-License-Identifier: Apache-2.0

package idem

import (
	"bytes"
	"net/http"
)

// catcher holds an answer back until it is written down.
type catcher struct {
	header  http.Header
	status  int
	body    bytes.Buffer
	notDone bool
}

func newCatcher() *catcher {
	return &catcher{header: http.Header{}}
}

func (c *catcher) Header() http.Header { return c.header }

func (c *catcher) WriteHeader(status int) {
	if c.status == 0 && status >= 200 {
		c.status = status
	}
}

func (c *catcher) Write(b []byte) (int, error) {
	c.WriteHeader(http.StatusOK)
	return c.body.Write(b)
}

// NotDone marks an answer that says that nothing was done: see NotDone().
func (c *catcher) NotDone() { c.notDone = true }

// NotDone says of the answer that is being written that nothing was done: the key may be
// used again. Statuses 401, 403, 429 and 503 say it by themselves.
func NotDone(w http.ResponseWriter) {
	if c, ok := w.(interface{ NotDone() }); ok {
		c.NotDone()
	}
}

func (c *catcher) nothingDone() bool {
	switch c.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests,
		http.StatusServiceUnavailable:
		return true
	}
	return c.notDone
}

func (c *catcher) send(w http.ResponseWriter) {
	for name, values := range c.header {
		w.Header()[name] = values
	}
	c.WriteHeader(http.StatusOK)
	w.WriteHeader(c.status)
	_, _ = w.Write(c.body.Bytes())
}
