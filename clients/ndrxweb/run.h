/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - processes of xadmin that carry out the orders of users
 *
 * A process has a group of its own, a limit of time, and its output in memory.
 * Nothing here waits: the loop polls ow_runs_fd(). Of those that change
 * something one runs at a time; of the others eight, and four of one user, so
 * that nobody takes all places. One thread.
 *
 * A run belongs to who began it until ow_run_leave(). Its process goes on
 * without him, and is reaped here.
 */
#ifndef OW_WEB_RUN_H
#define OW_WEB_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ow_runs;

struct ow_run {
	struct ow_run *next;
	pid_t pid;  /* 0: reaped */
	int pidfd;  /* -1: the kernel has none, it is looked at often */
	int fd;	    /* its output; -1: closed */
	int errors; /* what it says of errors, a file in memory; -1: that is in
		     * its output */
	char user[32];
	bool changes;
	bool late;  /* its time was over: it was killed, and what it has done
		     * is not known */
	bool cut;   /* its output was longer than what is kept */
	bool ended; /* it has an outcome, which has been told */
	bool left;
	int status; /* exit code, or -1 */
	uint64_t until_ns;
	void *waiter; /* of who began it */
	char *output; /* NULL: none */
	size_t n;
};

struct ow_run_begin {
	const char *path; /* the program; a name is looked for in PATH */
	char *const *argv;
	const void *input; /* what it reads; NULL: nothing */
	size_t input_size;
	const char *user; /* whose it is */
	bool changes;
	bool apart; /* its errors are not in its output */
	void *waiter;
};

/* Each process has `limit_s` seconds. */
struct ow_runs *ow_runs_new(unsigned int limit_s);
/* Processes go on. */
struct ow_runs *ow_runs_free(struct ow_runs *s);

/* 0; -EBUSY: one that changes something is under way; -EAGAIN: too many are;
 * -errno. */
int ow_run_begin(struct ow_runs *s, const struct ow_run_begin *b,
		 struct ow_run **ret);
/* Nobody waits for it any more. NULL is accepted. */
void ow_run_leave(struct ow_run *r);

/* Readable when there is something for ow_runs_step(). */
int ow_runs_fd(const struct ow_runs *s);
/* Milliseconds until ow_runs_step() is needed anyway, at most `most`. */
int ow_runs_wait(const struct ow_runs *s, int most);
/* Read, reap and end: `tell` is called once for each that has ended, and is
 * left by nobody. */
void ow_runs_step(struct ow_runs *s, void (*tell)(struct ow_run *r));
/* Tell those who wait that no outcome will come. */
void ow_runs_end(struct ow_runs *s, void (*tell)(struct ow_run *r));

#endif
