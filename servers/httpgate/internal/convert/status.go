// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// What became of the work.
const (
	NotDone = "not done"
	InPart  = "in part" // filters in front of the service have run, and it has not
	Done    = "done"
	Failed  = "failed"
	Unknown = "unknown"
)

const svcFail = 11 // TPESVCFAIL

// WorkHeader says it of a failure, in whatever form the route says errors.
const WorkHeader = "Onewake-Work"

// Failure is why a request has no reply, or none of success.
type Failure struct {
	Code    int    // tperrno; 0: it came to no call, Status says why
	Status  int    // of routes of ours, and where Code is 0
	Name    string // TPENOENT
	Text    string
	Service string
	Urcode  int64
	Work    string
	Data    any  // what the service gave, as of onewake.Error
	Source  byte // F a filter, S the service, R the gate
	Trace   string
	Retry   int // seconds, for Retry-After
	// WWW-Authenticate, for 401.
	Challenge string
}

// Refuse is a failure before a call.
func Refuse(status int, text string) *Failure {
	return &Failure{Status: status, Text: text, Work: NotDone, Source: 'R'}
}

// unbegun is the status of tperrno for routes of ours, where no server has begun the
// request: nothing was done, whatever the code is.
var unbegun = map[int]int{
	2:  http.StatusBadRequest,         // TPEBADDESC
	3:  http.StatusServiceUnavailable, // TPEBLOCK
	4:  http.StatusBadRequest,         // TPEINVAL
	5:  http.StatusServiceUnavailable, // TPELIMIT
	6:  http.StatusServiceUnavailable, // TPENOENT
	7:  http.StatusServiceUnavailable, // TPEOS
	8:  http.StatusForbidden,          // TPEPERM
	9:  http.StatusBadRequest,         // TPEPROTO
	10: http.StatusServiceUnavailable, // TPESVCERR: its service is awaited
	13: http.StatusServiceUnavailable, // TPETIME: the queue stayed full
	17: http.StatusBadRequest,         // TPEITYPE
	18: http.StatusBadRequest,         // TPEOTYPE
}

// begun is what it says where a server may have begun the request. A service can give any
// code to its caller (TPSOFTERR), after whatever it has done, and TPEOTYPE is of a reply
// that cannot be read: so no code says that nothing was done, and one that it failed.
var begun = map[int]struct {
	status int
	work   string
}{
	svcFail: {http.StatusUnprocessableEntity, Failed},
	13:      {http.StatusGatewayTimeout, Unknown}, // TPETIME
}

// theirs are the defaults of restincl.
var theirs = map[int]int{0: 200, 2: 400, 4: 400, 5: 413, 6: 404, 8: 401, 9: 400, 10: 502, 13: 504}

// statusMap is what `status` or errors_fmt_http_map says: tperrno or, with U, urcode
// of a failed service, to a status; * all others.
type statusMap struct {
	codes, urcodes map[int64]int
	other          int
}

func statuses(text string) (m statusMap, err error) {
	m.codes, m.urcodes = map[int64]int{}, map[int64]int{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		left, right, _ := strings.Cut(word, ":")
		status, err := strconv.Atoi(right)
		if err != nil || status < 200 || status > 599 {
			return m, fmt.Errorf("status: %q: give TPERRNO:STATUS", word)
		}
		to := m.codes
		if strings.HasPrefix(left, "U") {
			to, left = m.urcodes, left[1:]
		}
		if left == "*" {
			m.other = status
			continue
		}
		n, err := strconv.ParseInt(left, 10, 64)
		if err != nil {
			return m, fmt.Errorf("status: %q: give a number of tperrno, U and a urcode, or *", word)
		}
		to[n] = status
	}
	return m, nil
}

// Status is what a failure is told with; NULL: success.
func (c *Converter) Status(f *Failure) int {
	if f == nil {
		if s, ok := c.status.codes[0]; ok {
			return s
		}
		return http.StatusOK
	}
	if f.Code == 0 {
		return f.Status
	}
	if f.Code == svcFail {
		if s, ok := c.status.urcodes[f.Urcode]; ok {
			return s
		}
	}
	if s, ok := c.status.codes[int64(f.Code)]; ok {
		return s
	}
	if c.status.other != 0 {
		return c.status.other
	}
	if c.R.Theirs || c.R.Errors != "problem" {
		if s, ok := theirs[f.Code]; ok {
			return s
		}
		return http.StatusInternalServerError
	}
	return f.Status
}

// Of makes a failure of tperrno. notDone: no server has begun the request, for sure.
func Of(code int, notDone bool) *Failure {
	f := &Failure{Code: code, Source: 'S', Status: http.StatusBadGateway, Work: Unknown}
	if notDone {
		f.Work = NotDone
		if s, ok := unbegun[code]; ok {
			f.Status = s
		}
	} else if m, ok := begun[code]; ok {
		f.Status, f.Work = m.status, m.work
	}
	return f
}

// Did says that `work` was done beside what failed. 503 would ask the caller to come
// again.
func (f *Failure) Did(work string) {
	f.Work = work
	if f.Status != http.StatusUnprocessableEntity && f.Status != http.StatusGatewayTimeout {
		f.Status = http.StatusBadGateway
	}
}

// Error makes a failure an error.
func (f *Failure) Error() string { return f.Text }
