/* SPDX-License-Identifier: Apache-2.0 */
/*
 * money.h - amounts as text, such as $50.00, and in cents
 */
#ifndef BANKAPP_MONEY_H
#define BANKAPP_MONEY_H

#include <stdio.h>
#include <stdlib.h>

#define MONEY_SIZE 32

/* In cents; -1: not an amount. */
static inline long money_read(const char *text)
{
	char *end;
	double amount;

	if (*text == '$')
		text++;
	amount = strtod(text, &end);
	if (end == text || *end != '\0' || amount < 0 || amount > 1e9)
		return -1;
	return (long)(amount * 100 + 0.5);
}

static inline void money_write(long cents, char text[MONEY_SIZE])
{
	snprintf(text, MONEY_SIZE, "$%ld.%02ld", cents / 100, cents % 100);
}

#endif
