/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testcl.h - the commands of the test client
 *
 * Each command gets its words and prints one line of JSON. Grouped by file.
 */
#ifndef TESTCL_H
#define TESTCL_H

#include <stdint.h>

struct words {
	int n;
	char *w[16]; /* the last word is the rest of the line */
};

/* Word i, or `def`. */
const char *word(const struct words *w, int i, const char *def);
long number(const struct words *w, int i, long def);
/* TPNOBLOCK,TPNOTIME or a number; "-": none. */
long flags_of(const char *text);
double now_ms(void);
/* A buffer of a type, or of a view: VIEW/NAME. */
char *make_buffer(const char *type, long size);
/* A filled buffer: kind STRING:text, VIEW/NAME:member=value,..., or TYPE:#SIZE
 * for a pattern; "-": NULL. */
char *make_data(const char *spec, long *ret_len);
/* {"ret":..,"err":..,...} about the last call. */
void answer_call(int ret, const char *data, long len, double since);
/* The same with an event. */
void answer_event(int ret, const char *data, long len, double since,
		  const char *event);
void answer_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
const char *error_name(int err);

/* testcl_load.c */
void do_calls(const struct words *w);
void do_churn(const struct words *w);
void do_contexts(const struct words *w);
void do_spray(const struct words *w);
void do_flood(const struct words *w);
void do_many(const struct words *w);
void do_tally(const struct words *w);

/* testcl_abuse.c */
void do_abuse(const struct words *w);
void do_fork(const struct words *w);
void do_alarm(const struct words *w);
void do_short(const struct words *w);

/* testcl_notes.c */
void do_info(const struct words *w);
void do_locked(const struct words *w);
void do_reqlog(const struct words *w);

/* testcl_points.c */
void do_points(const struct words *w);

/* testcl_queue.c */
void do_consume(const struct words *w);
void do_deq(const struct words *w);
void do_enq(const struct words *w);
void do_enqmany(const struct words *w);
void do_move(const struct words *w);
void do_produce(const struct words *w);
void do_tx(const struct words *w);

/* testcl_conv.c */
void do_connect(const struct words *w);
void do_discon(const struct words *w);
void do_drain(const struct words *w);
void do_recv(const struct words *w);
void do_send(const struct words *w);
void do_stream(const struct words *w);
void do_convs(const struct words *w);

/* testcl_loop.c */
void do_fdopen(const struct words *w);
void do_forkfd(const struct words *w);
void do_looptime(const struct words *w);
void do_readable(const struct words *w);
void do_replywait(const struct words *w);
void do_replyfd(const struct words *w);

/* testcl_login.c */
void do_setcaller(const struct words *w);
void do_chkauth(const struct words *w);
void do_login(const struct words *w);

/* testcl_unsol.c */
void do_broadcast(const struct words *w);
void do_chkunsol(const struct words *w);
void do_got(const struct words *w);
void do_initflags(const struct words *w);
void do_notify(const struct words *w);
void do_notifybad(const struct words *w);
void do_notifymany(const struct words *w);
void do_post(const struct words *w);
void do_postmany(const struct words *w);
void do_subscribe(const struct words *w);
void do_subscribemany(const struct words *w);
void do_unsubscribe(const struct words *w);
void do_unsol(const struct words *w);

/* testcl_threads.c */
void do_cancelself(const struct words *w);
void do_cancelstorm(const struct words *w);
void do_cancelwait(const struct words *w);
void do_canceltalk(const struct words *w);
void do_execfds(const struct words *w);
void do_forkstorm(const struct words *w);

#endif
