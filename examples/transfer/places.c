/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places.c - where money can be: accounts of a service, coins in a durable queue
 */
#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <atmi.h>

#define COIN 32 /* bytes of its text */

static int add_in_queue(char *queue, long id, int sign, long *ret_coin)
{
	char *coin = tpalloc("STRING", NULL, COIN);
	long len = 0;
	TPQCTL ctl;
	int r;

	if (coin == NULL)
		return -1;
	memset(&ctl, 0, sizeof(ctl));
	snprintf(coin, COIN, "%ld", id);
	r = sign > 0 ? tpenqueue((char *)SPACE, queue, &ctl, coin, 0, 0)
		     : tpdequeue((char *)SPACE, queue, &ctl, &coin, &len, 0);
	if (r == 0 && sign < 0)
		*ret_coin = atol(coin);
	if (r != 0 && tperrno == TPEDIAGNOSTIC && ctl.diagnostic == QMENOMSG)
		r = 1;
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

int place_add(const char *place, long id, int sign, long *ret_coin)
{
	if (strncmp(place, "Q:", 2) == 0)
		return add_in_queue((char *)place + 2, id, sign, ret_coin);
	return add_in_account(place, id, sign);
}
