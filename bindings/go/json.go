// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"encoding/json"
	"errors"
	"sync"
	"unsafe"
)

// UBFOfJSON is sent as a UBF buffer: the library converts the text, an object of
// fields (tpjsontoubf()).
type UBFOfJSON string

// ViewOfJSON is sent as a VIEW buffer: {"VIEW": {...}} (tpjsontoview()).
type ViewOfJSON string

// AsJSON, as the place of a reply or request, gets JSON whatever it is: UBF and VIEW
// as the library prints them (tpubftojson(), tpviewtojson()), STRING and CARRAY as a
// string, nothing as null.
type AsJSON struct {
	Text    json.RawMessage
	NotNull bool // of a VIEW only members that are not null
}

// sheet is room for the text of most replies.
type sheet struct {
	text [4096]C.char
	why  C.struct_gow_out
}

var sheets = sync.Pool{New: func() any { return new(sheet) }}

// toJSON fills a value of the kind.
func toJSON(out *C.struct_gow_out, to *AsJSON) error {
	switch out.kind {
	case C.GOW_NULL:
		to.Text = json.RawMessage("null")
		return nil
	case C.GOW_JSON:
		to.Text = append(json.RawMessage(nil), bytesOf(out.buf, out.len)...)
		return nil
	case C.GOW_STRING:
		b, err := json.Marshal(string(bytesOf(out.buf, out.len)))
		to.Text = b
		return err
	case C.GOW_CARRAY:
		b, err := json.Marshal(append([]byte(nil), bytesOf(out.buf, out.len)...))
		to.Text = b
		return err
	}
	notnull := C.int(0)
	if to.NotNull {
		notnull = 1
	}
	s := sheets.Get().(*sheet)
	defer sheets.Put(s)
	n := C.gow_json_into(out.buf, notnull, &s.text[0], C.long(len(s.text)), &s.why)
	if n >= 0 {
		to.Text = append(json.RawMessage(nil), bytesOf(&s.text[0], n)...)
		return nil
	}
	if n == -1 {
		return errors.New(C.GoString(&s.why.text[0]))
	}
	var why C.struct_gow_out
	text := C.gow_json(out.buf, notnull, &why)
	if text == nil {
		return errors.New(C.GoString(&why.text[0]))
	}
	defer C.free(unsafe.Pointer(text))
	to.Text = json.RawMessage(C.GoString(text))
	return nil
}

// Config has the keys of a section of the ini configuration (NDRX_CCONFIG), those of
// [section/TAG] for the tags of NDRX_CCTAG first.
func Config(section string) (map[string]string, error) {
	name := C.CString(section)
	defer C.free(unsafe.Pointer(name))
	var n C.int
	items := C.gow_config(name, &n)
	if n < 0 {
		return nil, errors.New("onewake: the configuration cannot be read")
	}
	defer C.gow_config_free(items, n)
	m := map[string]string{}
	for _, i := range unsafe.Slice(items, int(n)) {
		m[C.GoString(i.key)] = C.GoString(i.value)
	}
	return m, nil
}
