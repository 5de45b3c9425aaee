/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open.c - give orders for open branches, which a tmsrv ends without having
 * prepared them
 */
#include "drivers/parking/open.h"

#include <stdbool.h>
#include <stdlib.h>

#define ANSWER_SECONDS 3 /* then the tmsrv asks the database */

int parking_ask_open(const struct parking_driver *driver, const XID *x,
		     enum parking_order order, const char *row)
{
	bool alone = order == PARKING_COMMIT && *row == '\0';
	int seconds = ANSWER_SECONDS + (alone ? driver->answer_seconds : 0);
	int result = XAER_RMFAIL;

	switch (parking_ask(driver->name, x, (char)order, row, seconds,
			    &result)) {
	case PARKING_ANSWERED:
		return result;
	case PARKING_GONE:
		return XAER_NOTA;
	case PARKING_NOT_SENT:
		return XA_RETRY;
	default:
		return XAER_RMFAIL;
	}
}

int parking_commit_open(const struct parking_driver *driver, const XID *x,
			const char *words,
			char *(*insert)(const XID *x, const char *words))
{
	char *row;
	int xa;

	if (words == NULL)
		return parking_ask_open(driver, x, PARKING_COMMIT, "");
	row = insert(x, words);
	if (row == NULL)
		return XA_RETRY;
	xa = parking_ask_open(driver, x, PARKING_COMMIT, row);
	free(row);
	return xa;
}
