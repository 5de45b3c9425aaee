// SPDX-License-Identifier: Apache-2.0

package out

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Values of tperrno that an answer may have.
const (
	tpeNoEnt   = 6
	tpeSvcErr  = 10
	tpeSvcFail = 11
	tpeTime    = 13
	tpeMax     = 26
)

// Values of EX_NERROR_CODE.
const (
	netTimeout = 8
	netNoConn  = 9
	netLimit   = 10
)

// Answer is what the caller of the service gets.
type Answer struct {
	Code    int    // tperrno; 0: the service has succeeded
	Message string // of the error
	Net     int    // EX_NERROR_CODE; 0: the host has answered
	Status  int    // of HTTP; 0: none
	Work    Work
	Kind    string // of Body: UBF or VIEW (as JSON), JSON, STRING, CARRAY, NULL
	Body    []byte // the reply's data
	Raw     []byte // what the host has sent
}

// Answer judges a result by the rules of the service; kind: that of the request.
func (s *Service) Answer(kind string, r *Result) *Answer {
	a := &Answer{Status: r.Status, Work: r.Work, Kind: "NULL", Raw: r.Body}
	if r.Err != nil {
		a.failed(r)
		return a
	}
	code, message, found := s.judge(r)
	if !found {
		code = s.mapped(r.Status)
		if code != 0 {
			message = fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status))
		}
	}
	if code > tpeMax {
		code = tpeSvcFail
	}
	a.Code, a.Message = code, message
	if code == 0 || s.ParseOnError {
		a.Kind, a.Body = s.replyKind(kind), r.Body
		a.check()
	}
	return a
}

// failed: there was no answer, or none that can be used.
func (a *Answer) failed(r *Result) {
	a.Message = r.Err.Error()
	a.Code, a.Net = tpeSvcFail, netNoConn
	if r.Work != NotDone {
		// The host has it, perhaps, and has done it, perhaps.
		a.Code = tpeSvcErr
	}
	switch {
	case errors.Is(r.Err, context.DeadlineExceeded):
		a.Code, a.Net = tpeTime, netTimeout
	case errors.Is(r.Err, errLeftAlone), errors.Is(r.Err, errTooLarge):
		a.Net = netLimit
	}
	a.Message += " (" + a.Work.String() + ")"
}

// mapped is the tperrno of a status; those of success need not be named.
func (s *Service) mapped(status int) int {
	if code, ok := s.httpMap[strconv.Itoa(status)]; ok {
		return code
	}
	if status >= 200 && status < 300 {
		return 0
	}
	if code, ok := s.httpMap["*"]; ok {
		return code
	}
	return tpeSvcFail
}

// judge looks for code and message where the mode says; found: it has a code.
func (s *Service) judge(r *Result) (code int, message string, found bool) {
	switch s.Errors {
	case "json":
		return s.judgeJSON(r, s.ErrJSONCode, s.ErrJSONMsg, s.ErrJSONOnSucc)
	case "json2ubf":
		return s.judgeJSON(r, "EX_IF_ECODE", "EX_IF_EMSG", false)
	case "json2view":
		return s.judgeJSON(r, s.ErrViewCode, s.ErrViewMsg, false)
	case "text":
		m := s.errText.FindSubmatch(r.Body)
		if m == nil {
			return 0, "", false
		}
		code, err := strconv.Atoi(string(m[1]))
		return code, string(m[2]), err == nil
	}
	return 0, "", false
}

// judgeJSON: members of the object, or of the view that is its only member.
func (s *Service) judgeJSON(r *Result, code, message string, always bool) (int, string, bool) {
	var members map[string]json.RawMessage
	err := json.Unmarshal(r.Body, &members)
	if err == nil && s.Errors == "json2view" && len(members) == 1 {
		for _, inner := range members {
			members = nil
			err = json.Unmarshal(inner, &members)
		}
	}
	isSuccess := s.mapped(r.Status) == 0
	if err != nil {
		// Nothing that can be read: with a status of success that is none.
		return tpeSvcErr, "the answer is no JSON: " + err.Error(), isSuccess && len(r.Body) > 0
	}
	n, ok := number(members[code])
	if !ok {
		return tpeSvcErr, "the answer has no " + code, always && isSuccess
	}
	return n, text(members[message]), true
}

// number reads 11, "11" and [11].
func number(raw json.RawMessage) (int, bool) {
	n, err := strconv.Atoi(strings.Trim(string(raw), "[]\" "))
	return n, err == nil && n >= 0
}

func text(raw json.RawMessage) string {
	var s string
	var list []string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		return list[0]
	}
	return ""
}

var replyKinds = map[string]string{"ubf": "UBF", "view": "VIEW", "json": "JSON", "text": "STRING",
	"raw": "CARRAY"}

// replyKind is the type of the reply's buffer: as the service says, else as the request's.
func (s *Service) replyKind(kind string) string {
	if k, ok := replyKinds[s.Reply]; ok {
		return k
	}
	if kind == "NULL" {
		return "STRING"
	}
	return kind
}

// check: a body that cannot become the buffer is no success, and the work is done.
func (a *Answer) check() {
	if len(a.Body) == 0 {
		a.Kind = "NULL"
		return
	}
	if (a.Kind == "UBF" || a.Kind == "VIEW" || a.Kind == "JSON") && !json.Valid(a.Body) {
		if a.Code == 0 {
			a.Code, a.Message = tpeSvcErr, "the answer is no JSON"
		}
		a.Kind, a.Body = "NULL", nil
	}
}
