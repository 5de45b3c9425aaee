/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sharecl.h - what the commands of sharecl have in common
 *
 * A command runs in the thread that has joined; threads that it starts enter()
 * the context of that one. IS() notes what is wrong, and all goes on.
 */
#ifndef SHARECL_H
#define SHARECL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xatmi.h>

#define THREADS 8

extern TPCONTEXT_T shared;
extern atomic_int wrong, begun, over;
extern char **argv_;

#define IS(x)                                                                \
	do {                                                                 \
		if (!(x) && atomic_fetch_add(&wrong, 1) < 20)                \
			printf("%s:%d: %s: %s\n", argv_[1], __LINE__, #x, \
			       tpstrerror(tperrno));                         \
	} while (0)

/* The word of the command line; without one `def`. */
const char *arg(int i, const char *def);
/* A new STRING buffer. */
char *text_of(const char *s);
/* One call: 0 if the reply is what was sent; else tperrno, 100. */
int call(const char *svc, const char *text);
int call_number(const char *svc, long n);
/* A thread takes the shared context. */
void enter(void);
/* Until the count has reached n. */
void await(atomic_int *what, int n);
pthread_t start(void *(*fn)(void *), long n);
/* In THREADS threads, numbered from 0; waits for their end. */
void run(void *(*fn)(void *));
/* tpinit() with TPMULTICONTEXTS: 0 or tperrno. */
int join_many(void);

/* ---- the commands ---- */

void all_call(void);
void replies(void);
void any(void);
void beside(void);
void all_fill(void);
void cancel(void);
void object(void);
void child(void);
void again(void);
void line(void);

void tran(void);
void begin(void);
void early(void);
void conv(void);

void term(void);
void frees(void);
void one_first(void);
void one_ends(void);
void one_new(void);
void one_or_many(void);

#endif
