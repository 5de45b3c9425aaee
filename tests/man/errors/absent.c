/* SPDX-License-Identifier: Apache-2.0 */
/*
 * absent.c - errors in a domain without the servers of the system
 *
 * domain: bare
 */
#include "tests/man/errors/errors.h"

int main(void)
{
	char *data = text("hello");

	FAILS(TPENOENT, tpsubscribe("NEWS", NULL, NULL, 0));
	FAILS(TPENOENT, tpunsubscribe(0, 0));
	EXPECT(tpopen() == 0);
	FAILS(TPESYSTEM, tpbegin(20, 0));
	FAILS(TPENOENT, tpenqueue("ORDERS", "NEW", &(TPQCTL){ .flags = 0 },
				  data, 0, TPNOTRAN));
	return wrong;
}
