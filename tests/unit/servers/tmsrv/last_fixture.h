/* SPDX-License-Identifier: Apache-2.0 */
/*
 * last_fixture.h - a last resource and the rest of a tmsrv, for test_last.c
 *
 * What they say is set by a test, what they were asked is kept for it.
 */
#ifndef OW_TESTS_LAST_FIXTURE_H
#define OW_TESTS_LAST_FIXTURE_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "servers/tmsrv/begin.h"
#include "servers/tmsrv/superior.h"
#include "servers/tmsrv/work.h"
#include "libatmi/xa/config.h"
#include "libatmi/xa/driver.h"
#include "libatmi/xa/rm.h"

#define IDENTITY UINT64_C(0x1122334455667788)
#define RMID	 3
#define EARLIER	 7 /* a transaction of an earlier life */
#define FIRST	 100000

/* ---- the database ---- */

static int commits, rolls_back, outcome, asked; /* what it says; how often */
static const char *row_words; /* NULL: there is no row */

static char words_of_row[64];

static int last_commit(XID *x, const char *words)
{
	(void)x;
	snprintf(words_of_row, sizeof(words_of_row), "%s",
		 words != NULL ? words : "");
	return commits;
}

static int last_rollback(XID *x)
{
	(void)x;
	return rolls_back;
}

static int opens = XA_OK; /* what it says; */
static bool made;	   /* the log is to be known from now on */
static struct ow_xa_life life;

static int last_open(XID *x, const struct ow_xa_life *l)
{
	(void)x;
	made = l->make;
	life = *l;
	return opens;
}

static int last_outcome_of(XID *x)
{
	(void)x;
	asked++;
	return outcome;
}

static int last_each(XID *x,
		     void (*found)(const XID *row, const char *words,
				   void *arg),
		     void *arg)
{
	XID row;

	(void)x;
	ow_tm_xid(IDENTITY, EARLIER, 0, 0, &row);
	if (row_words != NULL)
		found(&row, row_words, arg);
	return XA_OK;
}

static int forgets, forgotten; /* what it says; of how many rows */

static int last_forget(const XID *rows, int n)
{
	XID row;
	int i;

	for (i = 0; i < n && n > 1; i++) {
		ow_tm_xid(IDENTITY, FIRST + (uint64_t)i, RMID, 0, &row);
		assert_memory_equal(&rows[i], &row, sizeof(row));
	}
	row_words = NULL;
	forgotten = n;
	return forgets;
}

static bool has_driver = true;

const struct ow_xa_last *ow_xa_last(void)
{
	static const struct ow_xa_last last = {
		.commit = last_commit,
		.rollback = last_rollback,
		.open = last_open,
		.outcome = last_outcome_of,
		.each = last_each,
		.forget = last_forget,
	};

	return has_driver ? &last : NULL;
}

/* ---- the disk ---- */

static int sync_fails; /* this one of the next; 0: none */

int fsync(int fd)
{
	(void)fd;
	if (sync_fails == 0 || --sync_fails > 0)
		return 0;
	errno = EIO;
	return -1;
}

/* ---- the rest of the tmsrv ---- */

static struct job *job;
static int room; /* branches that memory is there for */

static struct ow_xa_config config = { .rmid = RMID };

const struct ow_xa_config *ow_xa_config(void)
{
	return &config;
}

int ow_rm_with(int (*work)(void *arg), void *arg)
{
	return work(arg);
}

int work_with_rm(int (*ask)(void *arg), void *arg)
{
	return ask(arg);
}

struct job *work_new(void (*run)(struct job *j), const struct ow_tm *m)
{
	struct job *j = calloc(1, sizeof(*j));

	(void)m;
	j->run = run;
	return j;
}

void work_add(enum pool pool, struct job *j)
{
	assert_int_equal(pool, POOL_BRANCHES);
	assert_null(job);
	job = j;
}

uint64_t tmlog_identity(const struct tmlog *log)
{
	(void)log;
	return IDENTITY;
}

static uint64_t first = FIRST;

uint64_t begin_number(void)
{
	return first;
}

uint32_t superior_read(struct tran *t, const struct tmlog_branch *w,
		       uint32_t n)
{
	assert_true(n > 0);
	if (room-- <= 0)
		return 0;
	table_branch(t, w->rmid, w->branch)->state = BRANCH_PREPARED;
	return 1;
}

#endif
