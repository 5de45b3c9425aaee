// SPDX-License-Identifier: Apache-2.0

package onewake

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

func TestOccBufferTakesEachValueInTurn(t *testing.T) {
	client(t) // a domain has field tables
	b, err := NewBuffer("text")
	check(t, err)
	defer b.Free()
	var a any
	for _, in := range []any{"text", []byte{1, 0, 2}, nil, "longer text", "",
		map[string]any{"F_COUNT": int64(1)},
		map[string]any{"F_NAME": "x", "F_AMOUNT": 1.5}} {
		check(t, b.Set(in))
		check(t, b.Decode(&a))
		equal(t, a, in)
	}
	if err := b.Set(make(chan int)); err == nil {
		t.Fatal("a channel")
	}
	untagged := struct{ F_COUNT int }{1}
	if b.Set(untagged) == nil || b.Decode(&untagged) == nil {
		t.Fatal("a struct without tags: it would lose all values")
	}
	check(t, b.Set(struct{}{}))
}

func TestValuesOfJSONAreConvertedByTheLibrary(t *testing.T) {
	client(t) // a domain has field tables
	text := `{"F_COUNT":[1,2],"F_NAME":"Anna","F_BYTES":"AAEC"}`
	b, err := NewBuffer(UBFOfJSON(text))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	var m map[string]any
	if err := b.Decode(&m); err != nil {
		t.Fatal(err)
	}
	if m["F_NAME"] != "Anna" || !bytes.Equal(m["F_BYTES"].([]byte), []byte{0, 1, 2}) {
		t.Error(m)
	}
	var j AsJSON
	if err := b.Decode(&j); err != nil {
		t.Fatal(err)
	}
	var was, is any
	if json.Unmarshal([]byte(text), &was) != nil || json.Unmarshal(j.Text, &is) != nil ||
		!reflect.DeepEqual(was, is) {
		t.Errorf("%s", j.Text)
	}
	check(t, b.Set(UBFOfJSON(`{"F_NOSUCH":1,"F_COUNT":3}`))) // in no table: left out
	check(t, b.Decode(&m))
	equal(t, m, map[string]any{"F_COUNT": int64(3)})
	if _, err := NewBuffer(UBFOfJSON(`{"F_COUNT":`)); err == nil {
		t.Error("half an object")
	}
}
