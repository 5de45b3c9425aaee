// SPDX-License-Identifier: Apache-2.0

package convert

import "net/http"

// What tperrno is called here; the binding has the names, but needs the library.
const (
	tpeNoEnt   = 6
	tpePerm    = 8
	tpeSvcErr  = 10
	tpeSvcFail = 11
	tpeTime    = 13
)

// What became of the work.
const (
	NotDone = "not done"
	Failed  = "failed"
	Unknown = "unknown"
)

// Status is the status of a failed call for routes of ours, and what became of the work.
func Status(code int) (int, string) {
	switch code {
	case 2, 4, 9, 17, 18: // TPEBADDESC TPEINVAL TPEPROTO TPEITYPE TPEOTYPE
		return http.StatusBadRequest, NotDone
	case 3, 5, tpeNoEnt: // TPEBLOCK TPELIMIT
		return http.StatusServiceUnavailable, NotDone
	case tpePerm:
		return http.StatusForbidden, NotDone
	case tpeSvcErr:
		return http.StatusBadGateway, Unknown
	case tpeSvcFail:
		return http.StatusUnprocessableEntity, Failed
	case tpeTime:
		return http.StatusGatewayTimeout, Unknown
	}
	return http.StatusBadGateway, Unknown
}
