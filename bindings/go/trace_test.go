// SPDX-License-Identifier: Apache-2.0

package onewake

import (
	"context"
	"testing"
)

func TestATraceparentIsReadAsItIsWritten(t *testing.T) {
	text := "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	trace, err := ParseTrace(text)
	check(t, err)
	equal(t, trace.String(), text)
	child := trace.Child()
	if child.ID != trace.ID || child.Flags != 1 || child.Span == trace.Span || child == trace.Child() {
		t.Error(child)
	}
	if first := (Trace{}).Child(); first.ID == (Trace{}).ID || first.ID == (Trace{}).Child().ID {
		t.Error(first)
	}
	for _, bad := range []string{"", text[:54], text + "0", text + "-0", "ff" + text[2:], "01" + text[2:] + "0",
		"00-4BF92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01",
		"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"} {
		if got, err := ParseTrace(bad); err == nil || got != (Trace{}) {
			t.Errorf("%q: %v", bad, got)
		}
	}
	_, err = ParseTrace("01" + text[2:] + "-more")
	check(t, err)
}

// The server says of which trace its requests are.
func TestCallsAreOfTheTraceOfTheirCtx(t *testing.T) {
	c := client(t)
	trace := (Trace{}).Child()
	for i := 0; i < 3; i++ {
		for _, ctx := range []context.Context{WithTrace(bg, trace), bg} {
			var said string
			check(t, c.Call(ctx, "GOTRACE", nil, &said))
			got, err := ParseTrace(said)
			check(t, err)
			if (got.ID == trace.ID) != (ctx != bg) {
				t.Errorf("%v of %v", got, trace)
			}
			check(t, c.Call(ctx, "GOTRACED", nil, &said)) // which calls GOTRACE
			outer, err := ParseTrace(said[:55])
			check(t, err)
			inner, err := ParseTrace(said[56:])
			check(t, err)
			if (outer.ID == trace.ID) != (ctx != bg) || inner.ID != outer.ID || inner.Span == outer.Span {
				t.Errorf("%v, %v of %v", outer, inner, trace)
			}
		}
	}
}
