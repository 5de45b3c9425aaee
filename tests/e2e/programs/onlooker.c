/* SPDX-License-Identifier: Apache-2.0 */
/*
 * onlooker.c - look at calls in flight again and again, and check each row
 *
 *	onlooker SECONDS [N]	until the time is over; or N questions are asked
 *
 * The requests are those of `testcl spray`: AMOUNT is any number n, NAME is
 * "n<n>", PAD has n % 3000 characters. Of every request of a look a random
 * expression is asked, another one each time; what it says is compared with
 * what it has to say of the contents, which must be of one request. The last
 * line of standard error says in JSON what it has seen.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ubf.h>

#include "libndrx/observe/calls.h"
#include "libndrx/observe/calls_filter.h"
#include "random_expression.h"

static long looks, rows, asked, chosen, unreadable, wrong, deadlocks;
static unsigned int seed = 1;

static void complain(const char *what, const struct ow_calls_row *r,
		     const char *text)
{
	fprintf(stderr, "%s: service %s, state %s, slot %u, size %" PRIu64
		": %s\n", what, r->service, ow_calls_state_name(r->state),
		r->slot, r->len, text);
	wrong++;
}

/* AMOUNT of a copy that is of one request; -1. */
static long amount_of(const struct ow_calls_buffer *b)
{
	UBFH *ub = (UBFH *)b->data;
	double amount = -1;
	char name[64] = "", want[64];
	BFLDLEN len = sizeof(name);

	if (Bget(ub, Bfldid("AMOUNT"), 0, (char *)&amount, NULL) < 0 ||
	    Bget(ub, Bfldid("NAME"), 0, name, &len) < 0)
		return -1;
	snprintf(want, sizeof(want), "n%.0f", amount);
	return strcmp(name, want) == 0 &&
			       Blen(ub, Bfldid("PAD"), 0) ==
				   (int)((long)amount % 3000 + 1)
		       ? (long)amount
		       : -1;
}

/* What is known of a request. False: its contents cannot be read, and `e` asks
 * for them. */
static bool describe(struct ow_calls *c, const struct ow_calls_row *r,
		     struct ow_calls_buffer *b,
		     const struct random_expression *e,
		     struct random_request *ret)
{
	*ret = (struct random_request){
		.age_us = ow_calls_age_us(c, r), .size = r->len,
		.position = r->position, .prio = r->prio,
		.one_way = r->one_way, .service = r->service,
		.state = ow_calls_state_name(r->state),
	};
	if (!e->reads)
		return true;
	if (ow_calls_contents(c, r, b) != 0)
		return false;
	if (r->type != OW_BUF_UBF)
		return true;
	ret->has_fields = true;
	ret->amount = amount_of(b);
	if (ret->amount < 0)
		complain("contents of no one request", r, e->text);
	return ret->amount >= 0;
}

static void ask(struct ow_calls *c, const struct ow_calls_row *r,
		struct ow_calls_buffer *b)
{
	struct random_expression e;
	struct random_request known;
	struct ow_calls_filter *f;
	enum ow_calls_verdict said;
	char why[300];

	if ((strncmp(r->service, "S_", 2) != 0 || r->prio > 100))
		complain("no request of ours", r, "");
	random_expression_make(&e, &seed);
	if (ow_calls_filter_new(e.text, NULL, &f, why, sizeof(why)) != 0) {
		fprintf(stderr, "%s: %s\n", e.text, why);
		exit(2);
	}
	asked++;
	said = ow_calls_filter_ask(f, c, r, b);
	ow_calls_filter_free(f);
	if (said == OW_CALLS_UNREADABLE || !describe(c, r, b, &e, &known)) {
		unreadable++;
		return;
	}
	chosen += said == OW_CALLS_YES;
	if ((said == OW_CALLS_YES) != random_expression_holds(&e, &known))
		complain(said == OW_CALLS_YES ? "chosen" : "not chosen", r,
			 e.text);
}

static void count_deadlocks(const struct ow_calls *c)
{
	struct ow_calls_chains *w;
	char why[1024];
	bool deadlock;
	size_t i;

	if (ow_calls_chains_new(c, &w) != 0)
		return;
	for (i = 0; i < c->n; i++) {
		ow_calls_why(w, i, why, sizeof(why), &deadlock);
		deadlocks += deadlock;
	}
	ow_calls_chains_free(w);
}

static void look_once(struct ow_observer *v, struct ow_calls_buffer *b)
{
	struct ow_calls c;
	size_t i;

	looks++;
	if (ow_calls_look(v, &c) != 0)
		return;
	rows += (long)c.n;
	for (i = 0; i < c.n; i++)
		ask(&c, &c.row[i], b);
	if (rand_r(&seed) % 4 == 0)
		count_deadlocks(&c);
	ow_calls_free(&c);
}

int main(int argc, char **argv)
{
	long most = argc > 2 ? atol(argv[2]) : 0;
	struct ow_calls_buffer b = { 0 };
	struct timespec now, begin;
	struct ow_observer v;
	char why[512];

	if (argc < 2 || ow_observer_open(&v, why, sizeof(why)) != 0)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	seed = (unsigned int)begin.tv_nsec;
	do {
		look_once(&v, &b);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - begin.tv_sec < atol(argv[1]) &&
		 (most == 0 || asked < most));
	ow_calls_buffer_free(&b);
	ow_observer_close(&v);
	fprintf(stderr, "{\"looks\":%ld,\"rows\":%ld,\"asked\":%ld,"
		"\"chosen\":%ld,\"unreadable\":%ld,\"wrong\":%ld,"
		"\"deadlocks\":%ld}\n", looks, rows, asked, chosen, unreadable,
		wrong, deadlocks);
	return wrong != 0;
}
