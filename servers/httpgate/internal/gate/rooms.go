// SPDX-License-Identifier: Apache-2.0

package gate

import "sync"

// Memory of bodies is used again: a new megabyte costs more than to read it. There is one
// store for each of these sizes; what nobody uses goes with the next collections of garbage.
const (
	smallRoom = piece + 512
	rooms     = 4 // each four times the one before
)

var spare [rooms]sync.Pool // of *[]byte

// room is an empty slice with room for n bytes at least.
func room(n int64) []byte {
	if n > smallRoom/4 {
		for i := range spare {
			if n <= smallRoom<<(2*i) {
				if had, _ := spare[i].Get().(*[]byte); had != nil {
					return (*had)[:0]
				}
				return make([]byte, 0, smallRoom<<(2*i))
			}
		}
	}
	return make([]byte, 0, n)
}

// kept is room for so many bytes that is there already; nil: there is none, or they are few.
func kept(n int64) []byte {
	if n <= smallRoom {
		return nil
	}
	for i := range spare {
		if n <= smallRoom<<(2*i) {
			if had, _ := spare[i].Get().(*[]byte); had != nil {
				return (*had)[:0]
			}
		}
	}
	return nil
}

// giveBack takes memory that nobody reads any more.
func giveBack(b []byte) {
	for i := range spare {
		if cap(b) == smallRoom<<(2*i) {
			b = b[:0]
			spare[i].Put(&b)
		}
	}
}
