/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ended.h - how the last transactions have ended, for whoever asks once more
 *
 * A transaction may be held by several contexts (tpresume()), each of which may
 * end it. The first one does; the others hear that, and never "rolled back" of
 * one that was committed. Those that did not simply roll back are remembered,
 * in memory: a few thousand. Any thread.
 */
#ifndef OW_TMSRV_ENDED_H
#define OW_TMSRV_ENDED_H

#include <stdint.h>

/* A number was given, in this life of the tmsrv. */
void ended_given(uint64_t tran);
/* A transaction has ended with this result (enum ow_tm_result). */
void ended_note(uint64_t tran, int result);
/* One that is not known any more, for another who wants to end it: ENDING,
 * somebody else has ended it, and it was not rolled back; ABORTED; HAZARD,
 * nobody knows. */
int ended_result(uint64_t tran);

#endif
