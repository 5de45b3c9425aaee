// SPDX-License-Identifier: Apache-2.0

// Package bank has what BANK's programs in Go share: an account, and its balance.
package bank

// Account is a question (number and currency) and its answer; bank.fd has the
// fields.
type Account struct {
	Number    string   `ubf:"T_ACCNUM"`
	Currency  string   `ubf:"T_ACCCUR"`
	Available *float64 `ubf:"T_AMTAVL"`
}

// Balance of an account is what the digits of its number are, as cents.
func Balance(number string) float64 {
	cents := 0.0
	for _, c := range number {
		if c >= '0' && c <= '9' {
			cents = cents*10 + float64(c-'0')
		}
	}
	return cents / 100
}
