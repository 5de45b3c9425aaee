/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.h - what a tmsrv knows, as text for operators
 *
 * One line for each transaction: number, state, doomed (0, 1), time-out and
 * time left in milliseconds, tries, then for each branch
 * RMID:NUMBER:STATE:RESULT. One line for each prepared branch: gtrid and bqual as
 * hexadecimal digits; identity, number, branch if it is ours.
 */
#ifndef OW_TMSRV_LIST_H
#define OW_TMSRV_LIST_H

/* malloc'ed; NULL: no memory. */
char *list_transactions(void);
/* The same of the resource manager; empty while it is not there. */
char *list_branches(void);

#endif
