// SPDX-License-Identifier: Apache-2.0

package gate

import (
	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/seen"
)

// note adds a buffer as Call() is given it.
func note(b *seen.Book, service string, d seen.Direction, v any) {
	switch x := v.(type) {
	case nil:
		b.Note(service, d, "NULL", nil)
	case onewake.UBFOfJSON:
		kind := "UBF"
		if x == "" || x == "null" {
			kind = "NULL"
		}
		b.Note(service, d, kind, []byte(x))
	case onewake.ViewOfJSON:
		b.Note(service, d, "VIEW", []byte(x))
	case string:
		b.Note(service, d, "STRING", nil)
	case []byte:
		b.Note(service, d, "CARRAY", nil)
	default:
		b.Note(service, d, "JSON", nil)
	}
}
