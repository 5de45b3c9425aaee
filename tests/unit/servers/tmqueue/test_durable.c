/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_durable.c - queues of durable services: whose they are, and what is a try
 *
 * Jobs are executed as the engine does, each in a transaction of its own; a data
 * base that is closed and opened again is what a killed tmqueue leaves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "servers/tmqueue/durable.h"
#include "tests/unit/servers/tmqueue/space_fixture.h"
#include "libatmi/base/clock.h"

#define LONG_A "PAYMENTS.OF.ALL.ACCOUNTS.A"
#define LONG_B "PAYMENTS.OF.ALL.ACCOUNTS.B"

static void again(struct base *b, const char *line)
{
	close_base(b);
	open_base(b);
	define(b, line);
}

static int setup(void **state)
{
	int r = space_setup(state);

	define(*state, ">,tries=2,waitretry=5");
	return r;
}

/* A one-way call of `svc`: its queue. */
static struct queue *store_call(struct base *b, const char *svc,
				const char *text, int prio)
{
	struct job *j = job_new(JOB_REQUEST, strlen(text));

	assert_non_null(j);
	j->head.op = OW_MQ_ENQUEUE;
	strcpy(j->service, svc);
	j->head.type = 3;
	j->head.len = strlen(text);
	memcpy(j->payload, text, j->head.len);
	j->head.ctl.flags = prio != 0 ? TPQPRIORITY : 0;
	j->head.ctl.priority = prio;
	run(b, j);
	assert_int_equal(j->answer.tperr, 0);
	job_free(j);
	return durable_queue(&b->sp.queues, svc);
}

/* The next message of the queue that can be taken: its number, or 0; *ret_tries
 * and its correlator, if they are wanted. */
static uint64_t next_of(struct base *b, struct queue *q, uint32_t *ret_tries,
			char corrid[TMCORRIDLEN + 1])
{
	struct wanted any = { .number = 0 };
	struct message m = { .number = 0 };
	uint32_t tries = 0;

	assert_non_null(q);
	assert_int_equal(store_begin(&b->sp.store, 0, true), 0);
	if (message_choose(&b->sp.store, q, &any, &m, &tries) != 0)
		m.number = 0;
	if (corrid != NULL)
		memcpy(corrid, m.head.corrid, TMCORRIDLEN);
	store_abort(&b->sp.store);
	if (ret_tries != NULL)
		*ret_tries = tries;
	return m.number;
}

/* The call of the next message has ended so. */
static void called(struct base *b, struct queue *q, uint64_t number, int tperr,
		   bool in_tran)
{
	struct job *j = job_new(JOB_FORWARDED, 0);

	assert_non_null(j);
	j->from = q;
	j->number = number;
	j->tperr = tperr;
	j->in_tran = j->taken_once = in_tran;
	run(b, j);
	job_free(j);
}

/* ---- whose queue it is ---- */

static void a_service_has_a_queue_by_its_name(void **state)
{
	struct queue *q = store_call(*state, "PAY", "x", 0);

	assert_string_equal(q->name, ">PAY");
	assert_string_equal(q->def.service, "PAY");
	assert_true(q->def.automatic);
	assert_int_equal(q->def.tries, 2);
	assert_ptr_equal(store_call(*state, "PAY", "y", 0), q);
	assert_int_equal(q->now.queued, 2);
}

static void names_that_are_too_long_are_told_apart_over_a_restart(void **state)
{
	struct base *b = *state;
	struct queue *p = store_call(b, LONG_A, "x", 0);
	struct queue *q = store_call(b, LONG_B, "x", 0);
	char name[TMQNAMELEN + 1];

	assert_ptr_not_equal(p, q);
	assert_string_not_equal(p->name, q->name);
	assert_int_equal(strncmp(p->name, ">PAYMENTS", 9), 0);
	assert_int_equal(strspn(p->name + 9, "0123456789abcdef"), 6);
	assert_int_equal(strlen(p->name), TMQNAMELEN);
	strcpy(name, p->name);
	again(b, ">");
	p = queues_find(&b->sp.queues, name, false);
	assert_string_equal(p->service, LONG_A);
	assert_string_equal(p->def.service, LONG_A);
	assert_ptr_equal(durable_queue(&b->sp.queues, LONG_A), p);
	assert_int_equal(p->now.queued, 1);
}

static void a_name_that_another_service_has_is_left_to_it(void **state)
{
	struct base *b = *state;
	struct queue *p = store_call(b, LONG_A, "x", 0), *q;

	strcpy(p->service, LONG_B); /* whose hash is the same, so to say */
	q = durable_queue(&b->sp.queues, LONG_A);
	assert_ptr_not_equal(p, q);
	assert_string_equal(q->service, LONG_A);
	assert_string_equal(p->service, LONG_B);
}

static void a_line_with_the_name_says_how_but_not_to_whom(void **state)
{
	struct base *b = *state;
	struct queue *q;

	define(b, ">PAY,svcnm=OTHER,workers=3");
	q = store_call(b, "PAY", "x", 0);
	assert_string_equal(q->def.service, "PAY");
	assert_int_equal(q->def.workers, 3);
	assert_true(q->def.automatic);
	assert_int_equal(q->def.tries, 10);
}

static void only_the_queue_that_stands_for_all_wants_calls(void **state)
{
	struct base *b = *state;

	assert_true(durable_is_wanted(&b->sp.queues));
	again(b, ">PAY");
	assert_false(durable_is_wanted(&b->sp.queues));
}

/* ---- what is a try ---- */

static void a_service_that_is_not_there_costs_no_try_and_no_place(void **state)
{
	struct base *b = *state;
	struct queue *q = store_call(b, "PAY", "first", 0);
	uint64_t first = next_of(b, q, NULL, NULL);
	uint32_t tries = 9;
	int i;

	store_call(b, "PAY", "second", 0);
	for (i = 0; i < 20; i++) {
		q->paused_ns = 0;
		called(b, q, first, i % 2 ? TPENOENT : TPEPERM, false);
		assert_true(q->paused_ns >= ow_clock_mono_ns() +
						4 * OW_NS_PER_SEC);
		assert_int_equal(next_of(b, q, &tries, NULL), first);
		assert_int_equal(tries, 0);
	}
	assert_int_equal(queues_resume(&b->sp.queues), q->paused_ns);
}

static void what_was_executed_goes(void **state)
{
	struct base *b = *state;
	struct queue *q = store_call(b, "PAY", "x", 0);

	called(b, q, next_of(b, q, NULL, NULL), 0, false);
	assert_int_equal(q->now.queued, 0);
	store_call(b, "PAY", "x", 0);
	called(b, q, next_of(b, q, NULL, NULL), TPESVCFAIL, false);
	assert_int_equal(q->now.queued, 0);
	assert_int_equal(q->now.succeeded, 2);
	assert_null(queues_find(&b->sp.queues, QUEUE_FAILED, false));
}

static void the_last_try_sets_apart_with_the_name_of_the_service(void **state)
{
	struct base *b = *state;
	struct queue *q = store_call(b, "PAY", "x", 0), *f;
	uint64_t number = next_of(b, q, NULL, NULL);
	char corrid[TMCORRIDLEN + 1] = "";

	called(b, q, number, TPESVCERR, false);
	assert_int_equal(q->now.queued, 1);
	assert_int_equal(next_of(b, q, NULL, NULL), 0); /* it is delayed */
	called(b, q, number, TPETIME, false);
	assert_int_equal(q->now.queued, 0);
	f = queues_use(&b->sp.queues, QUEUE_FAILED);
	assert_int_not_equal(next_of(b, f, NULL, corrid), 0);
	assert_string_equal(corrid, "PAY");
	assert_true(f->failures); /* onlookers know what it is for */
	again(b, ">");
	f = queues_use(&b->sp.queues, QUEUE_FAILED);
	assert_int_not_equal(next_of(b, f, NULL, NULL), 0);
}

/* Somebody has taken it out, and died before he had it. */
static void what_comes_back_says_why_it_was_given_up(void **state)
{
	struct base *b = *state;
	struct job *j = job_new(JOB_REQUEST, 0);
	struct queue *q = store_call(b, "PAY", "x", 0);
	uint64_t number = next_of(b, q, NULL, NULL);
	char before[OW_MQ_REASON], why[OW_MQ_REASON];
	struct message m;

	called(b, q, number, TPESVCERR, false);
	called(b, q, number, TPESVCERR, false);
	q = queues_use(&b->sp.queues, QUEUE_FAILED);
	number = next_of(b, q, NULL, NULL);
	assert_int_equal(store_begin(&b->sp.store, 0, true), 0);
	assert_int_equal(message_read(&b->sp.store, number, &m), 0);
	message_reason(&m, before);
	assert_string_not_equal(before, "");
	store_abort(&b->sp.store);
	assert_non_null(j);
	j->head.op = OW_MQ_DEQUEUE;
	strcpy(j->head.queue, QUEUE_FAILED);
	run(b, j);
	assert_int_equal(q->now.queued, 0);
	j->kind = JOB_RESTORE;
	run(b, j);
	job_free(j);
	assert_int_equal(next_of(b, q, NULL, NULL), number);
	assert_int_equal(store_begin(&b->sp.store, 0, true), 0);
	assert_int_equal(message_read(&b->sp.store, number, &m), 0);
	message_reason(&m, why);
	store_abort(&b->sp.store);
	assert_string_equal(why, before);
}

static void an_errorq_that_is_not_there_loses_nothing(void **state)
{
	struct base *b = *state;
	struct queue *q;

	define(b, ">,tries=1,errorq=NOWHERE");
	q = store_call(b, "PAY", "x", 0);
	called(b, q, next_of(b, q, NULL, NULL), TPESVCERR, false);
	assert_int_equal(queues_find(&b->sp.queues, QUEUE_FAILED, false)
				 ->now.queued, 1);
	define(b, "BAD");
	define(b, ">,tries=1,errorq=BAD");
	store_call(b, "PAY", "x", 0);
	called(b, q, next_of(b, q, NULL, NULL), TPESVCERR, false);
	assert_int_equal(queues_find(&b->sp.queues, "BAD", false)->now.queued,
			 1);
}

static void a_message_that_is_with_its_service_is_not_taken_again(void **state)
{
	struct base *b = *state;
	struct queue *q = store_call(b, "PAY", "first", 0);
	uint64_t first = next_of(b, q, NULL, NULL);

	store_call(b, "PAY", "second", 0);
	q->forwarded[q->n_forwarded++] = first;
	assert_true(next_of(b, q, NULL, NULL) > first);
	q->n_forwarded = 0;
	assert_int_equal(next_of(b, q, NULL, NULL), first);
}

static void want_of_memory_is_no_try(void **state)
{
	struct base *b = *state;
	struct queue *q = store_call(b, "PAY", "x", 0);
	uint64_t number = next_of(b, q, NULL, NULL);
	int i;

	for (i = 0; i < 5; i++)
		called(b, q, number, TPEOS, false);
	assert_int_equal(q->now.queued, 1);
}

static void failure_in_a_transaction_is_a_try(void **state)
{
	struct base *b = *state;
	struct queue *q = store_call(b, "PAY", "x", 0);
	uint64_t number = next_of(b, q, NULL, NULL);

	/* The rollback has not counted here: the first try of two. */
	called(b, q, number, TPESVCFAIL, true);
	assert_int_equal(q->now.queued, 1);
	called(b, q, number, TPENOENT, true);
	assert_int_equal(q->now.queued, 1);
	assert_int_not_equal(q->paused_ns, 0);
}

/* No tmsrv, or the like: the message has never been taken. */
static void a_transaction_that_cannot_be_begun_costs_no_try_and_no_place(
	void **state)
{
	struct base *b = *state;
	struct queue *q = store_call(b, "PAY", "first", 0);
	uint64_t first = next_of(b, q, NULL, NULL);
	struct job *j = job_new(JOB_FORWARDED, 0);
	uint32_t tries = 9;

	store_call(b, "PAY", "second", 0);
	assert_non_null(j);
	j->from = q;
	j->number = first;
	j->tperr = TPESVCERR;
	j->in_tran = true;
	run(b, j);
	job_free(j);
	assert_int_not_equal(q->paused_ns, 0);
	assert_int_equal(next_of(b, q, &tries, NULL), first);
	assert_int_equal(tries, 0);
}

static void an_ordinary_queue_counts_a_missing_service_as_a_try(void **state)
{
	struct base *b = *state;
	struct job *j = job_new(JOB_REQUEST, 0);
	struct queue *q;

	define(b, "ORDERS,autoq=y,tries=1,svcnm=PAY,errorq=NOWHERE");
	assert_non_null(j);
	j->head.op = OW_MQ_ENQUEUE;
	strcpy(j->head.queue, "ORDERS");
	run(b, j);
	job_free(j);
	q = queues_find(&b->sp.queues, "ORDERS", false);
	called(b, q, next_of(b, q, NULL, NULL), TPEPERM, false);
	assert_int_equal(q->now.queued, 1); /* that is no try */
	called(b, q, 1, TPENOENT, false);
	assert_int_equal(q->now.queued, 0);
	assert_int_equal(q->now.failed, 1);
	assert_null(queues_find(&b->sp.queues, "NOWHERE", false));
	q = queues_find(&b->sp.queues, QUEUE_FAILED, false);
	assert_non_null(q); /* where it was to go is not defined */
	assert_int_equal(q->now.queued, 1);
	assert_true(q->failures);
}

/* Messages that were put before such a name was refused. */
static void an_answer_for_a_queue_without_a_name_holds_up_nothing(void **state)
{
	struct base *b = *state;
	struct job *j = job_new(JOB_REQUEST, 0);
	struct queue *q;

	define(b, "@");
	define(b, "ORDERS,autoq=y,svcnm=PAY");
	assert_non_null(j);
	j->head.op = OW_MQ_ENQUEUE;
	j->head.ctl.flags = TPQREPLYQ | TPQFAILUREQ;
	strcpy(j->head.queue, "ORDERS");
	run(b, j);
	job_free(j);
	q = queues_find(&b->sp.queues, "ORDERS", false);
	called(b, q, next_of(b, q, NULL, NULL), 0, false);
	assert_int_equal(q->now.queued, 0);
	assert_int_equal(q->now.succeeded, 1);
	assert_null(queues_find(&b->sp.queues, "", false));
}

static void priorities_of_calls_are_kept(void **state)
{
	struct base *b = *state;
	struct queue *q;
	uint64_t low;

	define(b, ">,mode=priority");
	q = store_call(b, "PAY", "low", 10);
	low = next_of(b, q, NULL, NULL);
	store_call(b, "PAY", "high", 90);
	assert_true(next_of(b, q, NULL, NULL) > low);
}

static void a_record_of_a_queue_before_there_were_services_is_read(
	void **state)
{
	struct base *b = *state;
	struct queue_record rec = { .id = 7 };
	struct store *s = &b->sp.store;

	rec.figures.enqueued = 5;
	assert_int_equal(store_begin(s, 4096, false), 0);
	assert_int_equal(store_put(s, s->queue, "OLD", 3, &rec, sizeof(rec)),
			 0);
	assert_int_equal(store_commit(s), 0);
	again(b, ">");
	assert_int_equal(queues_find(&b->sp.queues, "OLD", false)
				 ->now.enqueued, 5);
	assert_false(queues_find(&b->sp.queues, "OLD", false)->own);
}

int main(void)
{
#define FACT(name) cmocka_unit_test_setup_teardown(name, setup, space_teardown)
	const struct CMUnitTest tests[] = {
		FACT(a_service_has_a_queue_by_its_name),
		FACT(names_that_are_too_long_are_told_apart_over_a_restart),
		FACT(a_name_that_another_service_has_is_left_to_it),
		FACT(a_line_with_the_name_says_how_but_not_to_whom),
		FACT(only_the_queue_that_stands_for_all_wants_calls),
		FACT(a_service_that_is_not_there_costs_no_try_and_no_place),
		FACT(what_was_executed_goes),
		FACT(the_last_try_sets_apart_with_the_name_of_the_service),
		FACT(what_comes_back_says_why_it_was_given_up),
		FACT(an_errorq_that_is_not_there_loses_nothing),
		FACT(a_message_that_is_with_its_service_is_not_taken_again),
		FACT(want_of_memory_is_no_try),
		FACT(failure_in_a_transaction_is_a_try),
		FACT(a_transaction_that_cannot_be_begun_costs_no_try_and_no_place),
		FACT(an_ordinary_queue_counts_a_missing_service_as_a_try),
		FACT(an_answer_for_a_queue_without_a_name_holds_up_nothing),
		FACT(priorities_of_calls_are_kept),
		FACT(a_record_of_a_queue_before_there_were_services_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
