// SPDX-License-Identifier: Apache-2.0

//go:build !go1.21

package onewake

// pinner: Go before 1.21 has none, so everything is copied.
type pinner struct{}

func (p *pinner) try(*byte) bool { return false }

func (p *pinner) Unpin() {}
