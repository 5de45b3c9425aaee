/* SPDX-License-Identifier: Apache-2.0 */
/*
 * broadcast.h - a program sends to clients by their names, and counts what comes
 * to itself
 */
#ifndef BROADCAST_H
#define BROADCAST_H

#include "tell.h"

static int came;

#ifdef __cplusplus
extern "C" {
#endif
/* For tpsetunsol(). */
static void count(char *data, long len, long flags)
{
	(void)data;
	(void)len;
	(void)flags;
	came++;
}
#ifdef __cplusplus
}
#endif

/* What came of a broadcast, with what had come before it. */
static int messages_of(const char *machine, const char *user,
		       const char *name)
{
	char *p = tpalloc((char *)"STRING", NULL, 20);

	strcpy(p, "text");
	came = 0;
	tpchkunsol();
	IS(tpbroadcast((char *)machine, (char *)user, (char *)name, p, 0, 0) ==
	   0);
	tpchkunsol();
	tpfree(p);
	return came;
}

static int messages_at(const char *machine, const char *name)
{
	return messages_of(machine, NULL, name);
}

static int messages(const char *name)
{
	return messages_at(NULL, name);
}

#endif
