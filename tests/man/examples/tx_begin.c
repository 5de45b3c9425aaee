/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tx_begin.c - runs the example of tx_begin(3)
 */
#include "tests/man/examples/example.h"
#include "tx_begin.inc"

int main(void)
{
	char *p = text("hello");

	EXPECT(tx_open() == TX_OK);
	EXPECT(pay(p, 0) == TX_OK);
	EXPECT(tx_close() == TX_OK);
	return 0;
}
