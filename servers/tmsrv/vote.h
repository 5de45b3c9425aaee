/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vote.h - what a subordinate answers its superior, and has on disk
 *
 * For the protocol of the end (end.c), which knows no nodes. subordinate.h has
 * the rest.
 */
#ifndef OW_TMSRV_VOTE_H
#define OW_TMSRV_VOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "servers/tmsrv/log.h"
#include "servers/tmsrv/table.h"

struct job;

/* Is the job a question of a superior? Then this is its answer: `result` is
 * one of enum ow_tm_result. */
bool vote_is_asked(const struct job *j);
int vote_answer(const struct job *j, int result);
/* The branches of `t` are prepared: on disk. 0 or -errno. */
int vote_log(struct tmlog *decisions, struct tran *t,
	     const struct tmlog_branch *words, uint32_t n);
/* After tmlog_open(): those that were prepared are in the table. False: no
 * memory, or damaged. */
bool vote_recover(struct tmlog *decisions);

#endif
