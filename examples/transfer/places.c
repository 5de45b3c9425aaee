/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places.c - where money can be: accounts of a service, coins in a durable queue
 */
#include "places.h"

#include <stdio.h>
#include <string.h>
#include <atmi.h>

static int add_in_queue(char *queue, int sign)
{
	char *coin = tpalloc("STRING", NULL, 16);
	long len = 0;
	TPQCTL ctl;
	int r;

	if (coin == NULL)
		return -1;
	memset(&ctl, 0, sizeof(ctl));
	strcpy(coin, "a coin");
	r = sign > 0 ? tpenqueue((char *)SPACE, queue, &ctl, coin, 0, 0)
		     : tpdequeue((char *)SPACE, queue, &ctl, &coin, &len, 0);
	tpfree(coin);
	return r;
}

static int add_in_account(const char *service, long id, int sign)
{
	char *text = tpalloc("STRING", NULL, 64);
	long len = 0;
	int r;

	if (text == NULL)
		return -1;
	snprintf(text, 64, "%ld %ld %d", id, id % ACCOUNTS, sign * AMOUNT);
	r = tpcall((char *)service, text, 0, &text, &len, 0);
	tpfree(text);
	return r;
}

int place_add(const char *place, long id, int sign)
{
	if (strncmp(place, "Q:", 2) == 0)
		return add_in_queue((char *)place + 2, sign);
	return add_in_account(place, id, sign);
}
