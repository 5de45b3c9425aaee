// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"bytes"
	"testing"
	"testing/iotest"
)

// Whatever is announced and however it comes, a body is what was sent, and memory that
// was given back holds nothing of it.
func TestBodiesAreReadIntoMemoryThatIsUsedAgain(t *testing.T) {
	for _, n := range []int{0, 1, 511, 512, piece, piece + 1, 300000, 1 << 20, 5 << 20, 20 << 20} {
		want := bytes.Repeat([]byte{byte(n), 1, 2, 3, 5}, n/5+1)[:n]
		for _, said := range []int64{int64(n), -1} {
			for i := 0; i < 3; i++ {
				b, err := readAll(iotest.HalfReader(bytes.NewReader(want)), said)
				if err != nil || !bytes.Equal(b, want) {
					t.Fatal(n, said, len(b), err)
				}
				giveBack(b)
			}
		}
	}
	if b, err := readAll(iotest.ErrReader(bytes.ErrTooLarge), 1<<20); err == nil {
		t.Error(len(b))
	}
	for _, n := range []int64{1, 20000, piece + 1, piece + 513, 1 << 20, 10 << 20} {
		if b := room(n); len(b) != 0 || int64(cap(b)) < n {
			t.Error(n, len(b), cap(b))
		}
	}
}
