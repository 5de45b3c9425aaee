/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.h - give an order to the process that has a branch
 */
#ifndef OW_PARKING_ASK_H
#define OW_PARKING_ASK_H

#include <xa.h>

#define PARKING_MOST 60000 /* bytes of an order */

enum parking_order {
	PARKING_PREPARE = 'p', /* is it there? */
	PARKING_COMMIT = 'c',
	PARKING_ROLLBACK = 'r',
};

enum parking_asked {
	PARKING_ANSWERED = 1,
	PARKING_GONE,	   /* no process has the branch */
	PARKING_NOT_SENT,  /* perhaps one has; the order has not reached it */
	PARKING_NO_ANSWER, /* the order has gone out */
};

/* A byte, and a text behind it. The answer, which is waited for so long, is a
 * result of XA. */
enum parking_asked parking_ask(const char *driver, const XID *x, char order,
			       const char *text, int seconds,
			       int *ret_result);

#endif
