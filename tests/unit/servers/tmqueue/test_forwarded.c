/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_forwarded.c - the end of a forwarded message: its answer, its next try
 *
 * Jobs are executed as the engine does, each in a transaction of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/servers/tmqueue/space_fixture.h"
#include "libatmi/base/clock.h"
#include "libatmi/wire/msg.h"

/* Put `text` into queue A; its number. */
static uint64_t put(struct base *b, const struct ow_mq_ctl *ctl,
		    const char *text)
{
	struct job *j = job_new(JOB_REQUEST, strlen(text));

	assert_non_null(j);
	j->head.op = OW_MQ_ENQUEUE;
	j->head.ctl = *ctl;
	j->head.type = OW_BUF_STRING;
	j->head.len = strlen(text);
	memcpy(j->payload, text, j->head.len);
	strcpy(j->head.queue, "A");
	run(b, j);
	assert_int_equal(j->answer.tperr, 0);
	job_free(j);
	return b->sp.store.last;
}

/* Its service has ended so, and has returned `text` (NULL: nothing). */
static void called(struct base *b, uint64_t number, int tperr, long urcode,
		   const char *text)
{
	size_t len = text != NULL ? strlen(text) : 0;
	struct job *j = job_new(JOB_FORWARDED, len);

	assert_non_null(j);
	j->from = queues_find(&b->sp.queues, "A", false);
	j->number = number;
	j->tperr = tperr;
	j->urcode = urcode;
	j->head.type = text != NULL ? OW_BUF_STRING : OW_BUF_NULL;
	j->head.len = len;
	if (text != NULL)
		memcpy(j->payload, text, len);
	run(b, j);
	job_free(j);
}

/* The only message of queue `name`, if it can be taken: its number, or 0. */
static uint64_t only(struct base *b, const char *name, struct message_head *ret,
		     char text[32])
{
	struct queue *q = queues_use(&b->sp.queues, name);
	struct wanted any = { .number = 0 };
	struct message m = { .number = 0 };
	uint32_t tries;

	assert_non_null(q);
	assert_int_equal(store_begin(&b->sp.store, 0, true), 0);
	if (message_choose(&b->sp.store, q, &any, &m, &tries) != 0)
		m.number = 0;
	if (m.number != 0)
		snprintf(text, 32, "%.*s", (int)m.head.len, m.payload);
	*ret = m.head;
	store_abort(&b->sp.store);
	return m.number;
}

/* When the message comes again, in milliseconds from now. */
static uint64_t due_in(struct base *b, uint64_t number, uint32_t *ret_tries)
{
	struct message m;
	struct place p;

	assert_int_equal(store_begin(&b->sp.store, 0, true), 0);
	assert_int_equal(message_read(&b->sp.store, number, &m), 0);
	assert_int_equal(message_place(&b->sp.store, &m, &p), 0);
	store_abort(&b->sp.store);
	assert_int_equal(p.state, OW_MQ_DELAYED);
	*ret_tries = p.tries;
	return (p.due_ns - ow_clock_real_ns()) / OW_NS_PER_MS;
}

/* A rollback has brought it back, so many times. */
static void set_tries(struct base *b, uint64_t number, uint32_t tries)
{
	struct space *sp = &b->sp;
	struct message m;
	struct place p;

	assert_int_equal(store_begin(&sp->store, 8192, false), 0);
	assert_int_equal(message_read(&sp->store, number, &m), 0);
	assert_int_equal(message_hide(&sp->store, &m, &p), 0);
	assert_int_equal(message_show(&sp->store,
				      queues_find(&sp->queues, "A", false), &m,
				      0, tries), 0);
	assert_int_equal(store_commit(&sp->store), 0);
}

/* Time goes on. */
static void wait_until(struct base *b, uint64_t at)
{
	struct space *sp = &b->sp;

	assert_int_equal(store_begin(&sp->store, 8192, false), 0);
	assert_int_equal(message_due(&sp->store, &sp->queues, at, 100), 0);
	assert_int_equal(queues_write(&sp->queues, &sp->store), 0);
	assert_int_equal(store_commit(&sp->store), 0);
	queues_keep(&sp->queues);
}

static void answer_has_what_its_message_was_given(void **state)
{
	struct ow_mq_ctl c = { .flags = TPQCORRID | TPQPRIORITY | TPQREPLYQ |
					TPQFAILUREQ | TPQEXPTIME_REL,
			       .priority = 90, .exp_time = 5, .appkey = 7,
			       .corrid = "k", .replyqueue = "R",
			       .failurequeue = "F" };
	struct base *b = *state;
	struct message_head h;
	char text[32] = "";

	define(b, "A,autoq=y");
	define(b, "R,mode=priority");
	define(b, "F");
	called(b, put(b, &c, "question"), 0, 42, "answer");
	wait_until(b, ow_clock_real_ns() + 10 * OW_NS_PER_SEC);
	assert_int_not_equal(only(b, "R", &h, text), 0);
	assert_string_equal(text, "answer");
	assert_string_equal(h.corrid, "k");
	assert_int_equal(h.priority, 90);
	assert_int_equal(h.rank, 10);
	assert_int_equal(h.urcode, 42);
	assert_int_equal(h.appkey, 7);
	assert_int_equal(h.flags, TPQCORRID | TPQPRIORITY);
	assert_int_equal(h.expires_ns, 0); /* of the message alone */
	assert_string_equal(h.replyqueue, "");
	assert_string_equal(h.failurequeue, "");
	assert_int_equal(only(b, "F", &h, text), 0);
	assert_int_equal(only(b, "A", &h, text), 0);
}

static void pauses_grow_until_they_are_the_longest(void **state)
{
	static const uint64_t pauses[] = { 1000, 1500, 2000, 2200, 2200 };
	struct ow_mq_ctl none = { .flags = 0 };
	struct base *b = *state;
	uint64_t number, ms;
	uint32_t tries;
	unsigned int i;

	define(b, "A,autoq=y,tries=9,waitretry=1,waitretryinc=500ms,"
		  "waitretrymax=2200ms");
	number = put(b, &none, "x");
	for (i = 0; i < 5; i++) {
		called(b, number, TPESVCFAIL, 0, NULL);
		ms = due_in(b, number, &tries);
		assert_in_range(ms, pauses[i] - 300, pauses[i]);
		assert_int_equal(tries, i + 1);
	}
	define(b, "A,autoq=y,tries=99,waitretry=2,waitretrymax=0");
	called(b, number, TPESVCFAIL, 0, NULL); /* the sixth: six times two */
	assert_in_range(due_in(b, number, &tries), 11700, 12000);
}

/* A second at least, and no try: want of memory, or of the right to call. */
static void what_cannot_be_called_waits_without_a_try(void **state)
{
	struct ow_mq_ctl none = { .flags = 0 };
	struct base *b = *state;
	uint64_t number;
	uint32_t tries;
	int i;

	define(b, "A,autoq=y,tries=1,waitretry=0");
	number = put(b, &none, "x");
	for (i = 0; i < 3; i++) {
		called(b, number, i == 1 ? TPEOS : i == 2 ? TPELIMIT : TPEPERM,
		       0, NULL);
		assert_in_range(due_in(b, number, &tries), 700, 1000);
		assert_int_equal(tries, 0);
	}
	assert_int_equal(queues_find(&b->sp.queues, "A", false)->now.failed, 0);
}

/* The call of message `number`, in a transaction, has ended so. */
static void called_in_tran(struct base *b, uint64_t number, int tperr,
			   bool taken)
{
	struct job *j = job_new(JOB_FORWARDED, 0);

	assert_non_null(j);
	j->from = queues_find(&b->sp.queues, "A", false);
	j->number = number;
	j->tperr = tperr;
	j->in_tran = true;
	j->taken_once = taken;
	j->head.type = OW_BUF_NULL;
	run(b, j);
	job_free(j);
}

/* The rollback counts a try; without a transaction there was none. */
static void what_was_never_taken_waits_a_second_without_a_try(void **state)
{
	struct ow_mq_ctl none = { .flags = 0 };
	struct base *b = *state;
	struct queue *q;
	uint64_t number;
	uint32_t tries;
	int i;

	define(b, "A,autoq=T,tries=1,waitretry=0,errorq=E");
	define(b, "E");
	number = put(b, &none, "x");
	q = queues_find(&b->sp.queues, "A", false);
	for (i = 0; i < 3; i++) {
		called_in_tran(b, number, TPESVCERR, false);
		assert_in_range(due_in(b, number, &tries), 700, 1000);
		assert_int_equal(tries, 0);
		assert_int_equal(q->paused_ns, 0);
	}
	assert_int_equal(q->now.failed, 0);
}

static void what_was_taken_is_not_counted_twice(void **state)
{
	struct ow_mq_ctl none = { .flags = 0 };
	struct base *b = *state;
	struct message_head h;
	char text[32] = "";
	uint64_t number;
	struct queue *q;
	uint32_t tries;

	define(b, "A,autoq=T,tries=2,waitretry=5,errorq=E");
	define(b, "E");
	number = put(b, &none, "x");
	q = queues_find(&b->sp.queues, "A", false);
	set_tries(b, number, 1); /* so did the first rollback */
	called_in_tran(b, number, TPESVCFAIL, true);
	assert_in_range(due_in(b, number, &tries), 4700, 5000);
	assert_int_equal(tries, 1);
	assert_int_equal(q->paused_ns, 0);
	set_tries(b, number, 2);
	called_in_tran(b, number, TPESVCFAIL, true);
	assert_int_equal(q->now.failed, 1);
	assert_int_not_equal(only(b, "E", &h, text), 0);
	assert_string_equal(text, "x");
}

/* Nobody but its transaction knows of one that has been committed. */
static void what_was_committed_is_counted_and_has_gone(void **state)
{
	struct base *b = *state;

	define(b, "A,autoq=T");
	called_in_tran(b, 77, 0, true);
	called_in_tran(b, 77, TPETIME, true); /* nobody knows: it is gone */
	assert_int_equal(queues_find(&b->sp.queues, "A", false)->now.succeeded,
			 1);
}

/* What else is with services stays so. */
static void one_that_is_done_leaves_the_list_alone(void **state)
{
	struct base *b = *state;
	struct job *j = job_new(JOB_FORWARDED, 0);
	uint64_t i;

	define(b, "A,autoq=y,workers=4");
	assert_non_null(j);
	j->from = queues_find(&b->sp.queues, "A", false);
	for (i = 0; i < 3; i++)
		j->from->forwarded[j->from->n_forwarded++] = 11 + i;
	j->number = 99; /* none of them */
	forwarded_unlock(j);
	assert_int_equal(j->from->n_forwarded, 3);
	for (i = 3; i > 0; i--) {
		j->number = 10 + (i == 3 ? 2 : i == 2 ? 3 : 1);
		assert_true(queue_is_forwarding(j->from, j->number));
		forwarded_unlock(j);
		assert_false(queue_is_forwarding(j->from, j->number));
		assert_int_equal(j->from->n_forwarded, i - 1);
	}
	job_free(j);
}

static void message_expires_when_its_service_has_given_it_back(void **state)
{
	struct ow_mq_ctl c = { .flags = TPQEXPTIME_REL, .exp_time = 5 };
	uint64_t later = ow_clock_real_ns() + 10 * OW_NS_PER_SEC, number;
	struct base *b = *state;
	struct queue *q;

	define(b, "A,autoq=y,tries=9,waitretry=60");
	number = put(b, &c, "x");
	q = queues_find(&b->sp.queues, "A", false);
	q->forwarded[q->n_forwarded++] = number;
	wait_until(b, later);
	assert_int_equal(q->now.queued, 1);
	called(b, number, TPESVCFAIL, 0, NULL);
	q->n_forwarded = 0;
	assert_int_equal(q->now.queued, 1);
	wait_until(b, later);
	assert_int_equal(q->now.queued, 0);
}

/* The next life does not know that a service has it. */
static void message_that_expires_in_a_service_is_none_after_a_kill(void **state)
{
	struct ow_mq_ctl c = { .flags = TPQEXPTIME_REL, .exp_time = 5 };
	struct ow_mq_ctl none = { .flags = 0 };
	uint64_t later = ow_clock_real_ns() + 10 * OW_NS_PER_SEC;
	struct base *b = *state;
	struct message_head h;
	char text[32] = "";
	struct queue *q;

	define(b, "A,autoq=y");
	put(b, &c, "old");
	q = queues_find(&b->sp.queues, "A", false);
	q->forwarded[q->n_forwarded++] = b->sp.store.last;
	wait_until(b, later);
	assert_int_equal(q->now.queued, 1);
	q->n_forwarded = 0;
	put(b, &none, "new");
	wait_until(b, later + 2 * OW_NS_PER_SEC);
	assert_int_equal(q->now.queued, 1);
	assert_int_not_equal(only(b, "A", &h, text), 0);
	assert_string_equal(text, "new");
}

/* The failure queue has the answer of a service that failed, or the message. */
static void failure_queue_has_the_answer_if_there_is_one(void **state)
{
	struct ow_mq_ctl c = { .flags = TPQFAILUREQ, .failurequeue = "F" };
	struct base *b = *state;
	struct message_head h;
	char text[32] = "";

	define(b, "A,autoq=y,tries=1,errorq=E");
	define(b, "F");
	define(b, "E");
	called(b, put(b, &c, "question"), TPESVCFAIL, 3, "no");
	assert_int_not_equal(only(b, "F", &h, text), 0);
	assert_string_equal(text, "no");
	assert_int_equal(h.urcode, 3);
	assert_int_not_equal(only(b, "E", &h, text), 0);
	assert_string_equal(text, "question");
	assert_int_equal(h.urcode, 0);
	assert_int_equal(queues_find(&b->sp.queues, "A", false)->now.failed, 1);
	assert_null(queues_find(&b->sp.queues, QUEUE_FAILED, false));
}

/* Of one that did not answer nothing that it may have sent counts. */
static void failure_queue_has_the_message_of_a_service_that_died(void **state)
{
	struct ow_mq_ctl c = { .flags = TPQFAILUREQ, .failurequeue = "F" };
	struct base *b = *state;
	struct message_head h;
	char text[32] = "";

	define(b, "A,autoq=y,tries=1");
	define(b, "F");
	called(b, put(b, &c, "question"), TPESVCERR, 0, NULL);
	assert_int_not_equal(only(b, "F", &h, text), 0);
	assert_string_equal(text, "question");
}

int main(void)
{
#define FACT(name) \
	cmocka_unit_test_setup_teardown(name, space_setup, space_teardown)
	const struct CMUnitTest tests[] = {
		FACT(answer_has_what_its_message_was_given),
		FACT(pauses_grow_until_they_are_the_longest),
		FACT(what_cannot_be_called_waits_without_a_try),
		FACT(what_was_never_taken_waits_a_second_without_a_try),
		FACT(what_was_taken_is_not_counted_twice),
		FACT(what_was_committed_is_counted_and_has_gone),
		FACT(one_that_is_done_leaves_the_list_alone),
		FACT(message_expires_when_its_service_has_given_it_back),
		FACT(message_that_expires_in_a_service_is_none_after_a_kill),
		FACT(failure_queue_has_the_answer_if_there_is_one),
		FACT(failure_queue_has_the_message_of_a_service_that_died),
	};

	setenv("NDRX_XA_RES_ID", "5", 1); /* for autoq=T */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
