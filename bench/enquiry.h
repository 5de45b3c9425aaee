/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enquiry.h - one call of BALANCE whose reply can be checked
 *
 * The BANK example computes the balance from the account number, so that the
 * right reply is known.
 */
#ifndef OW_BENCH_ENQUIRY_H
#define OW_BENCH_ENQUIRY_H

#include <ubf.h>

enum ow_enquiry_result {
	OW_ENQUIRY_FAILED = 1, /* no reply; tperrno says why */
	OW_ENQUIRY_WRONG,      /* the reply to another request */
};

/* A buffer that asks for account `number`, NULL: tperrno. tpfree() it. */
UBFH *ow_enquiry_new(long number);
/* Ask for another account with the same buffer: 0 or -1. */
int ow_enquiry_set(UBFH *ub, long number);
/* Call; *ub may move. 0, FAILED, WRONG. */
int ow_enquiry_ask(UBFH **ub, long number);

#endif
