// SPDX-License-Identifier: Apache-2.0

package onewake

import "testing"

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
}
