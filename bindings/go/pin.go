// SPDX-License-Identifier: Apache-2.0

//go:build go1.21

package onewake

import "runtime"

// pinner keeps memory of Go where it is while C reads it.
type pinner struct {
	runtime.Pinner
}

// try says whether it is kept: memory that is not Go's is not.
func (p *pinner) try(b *byte) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	p.Pin(b)
	return true
}
