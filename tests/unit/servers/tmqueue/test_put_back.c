/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_put_back.c - who may bring a message back, and what it is then
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/servers/tmqueue/space_fixture.h"
#include "libatmi/base/clock.h"
#include "servers/tmqueue/branch.h"
#include "servers/tmqueue/right.h"

#define ME    7 /* generation of the context that asks */
#define OTHER 8

static void open_rights(struct base *b)
{
	struct space *sp = &b->sp;

	assert_int_equal(store_begin(&sp->store, 0, false), 0);
	assert_int_equal(right_open(sp), 0);
	assert_int_equal(store_commit(&sp->store), 0);
}

static int setup(void **state)
{
	int r = space_setup(state);

	open_rights(*state);
	define(*state, "Q");
	define(*state, "OTHER");
	return r;
}

static struct job *job(enum ow_mq_op op, const char *text)
{
	struct job *j = job_new(JOB_REQUEST, 200);

	assert_non_null(j);
	j->head.op = (uint16_t)op;
	strcpy(j->head.queue, "Q");
	j->slot = 1;
	j->gen = ME;
	j->head.type = 3;
	j->head.len = strlen(text);
	memcpy(j->payload, text, j->head.len);
	return j;
}

static void put_with(struct base *b, const char *text, int64_t flags,
		     int64_t exp_time)
{
	struct job *j = job(OW_MQ_ENQUEUE, text);

	j->head.ctl.flags = flags;
	j->head.ctl.exp_time = exp_time;
	j->head.ctl.priority = 7;
	strcpy(j->head.ctl.corrid, "k");
	strcpy(j->head.ctl.replyqueue, "R");
	strcpy(j->client, "who put it");
	run(b, j);
	assert_int_equal(j->answer.tperr, 0);
	job_free(j);
}

static void put(struct base *b, const char *text)
{
	put_with(b, text, TPQPRIORITY | TPQCORRID | TPQREPLYQ, 0);
}

/* The next message, as its consumer has it; NULL: none. */
static struct job *take(struct base *b, int64_t flags)
{
	struct job *j = job(OW_MQ_DEQUEUE, "");

	j->head.ctl.flags = flags;
	run(b, j);
	if (j->answer.tperr == 0)
		return j;
	assert_int_equal(j->answer.diagnostic, QMENOMSG);
	return job_free(j);
}

/* A request to bring back what `given` has. */
static struct job *back(const struct job *given)
{
	const struct ow_mq_answer *a = &given->answer;
	struct job *j = job(OW_MQ_PUT_BACK, "");

	j->head.type = a->type;
	j->head.sub_len = a->sub_len;
	j->head.count = (uint32_t)a->count;
	j->head.from = a->next;
	j->head.ctl = a->ctl;
	j->head.len = a->len + sizeof(a->cltid);
	memcpy(j->payload, given->reply + sizeof(*a), a->len);
	memcpy(j->payload + a->len, a->cltid, sizeof(a->cltid));
	return j;
}

/* Ask: the diagnostic. */
static int ask(struct base *b, struct job *j)
{
	int r;

	run(b, j);
	assert_int_equal(j->answer.len, 0);
	assert_int_equal(j->answer.sub_len, 0); /* ask.c refuses it */
	r = j->answer.diagnostic;
	assert_int_equal(j->answer.tperr, r != 0 ? TPEDIAGNOSTIC : 0);
	job_free(j);
	return r;
}

static void assert_text(const struct job *j, const char *text)
{
	assert_non_null(j);
	assert_int_equal(j->answer.len, strlen(text));
	assert_memory_equal(j->reply + sizeof(j->answer), text, strlen(text));
}

static uint64_t queued(struct base *b)
{
	return queues_find(&b->sp.queues, "Q", false)->now.queued;
}

/* ---- what it is ---- */

static void message_is_in_its_place_as_it_was(void **state)
{
	struct base *b = *state;
	struct job *first, *again;
	struct queue *q;

	put(b, "first");
	put(b, "second");
	first = take(b, 0);
	assert_text(first, "first");
	assert_int_equal(ask(b, back(first)), 0);
	assert_int_equal(queued(b), 2);
	q = queues_find(&b->sp.queues, "Q", false);
	assert_int_equal(q->now.dequeued, 0);
	again = take(b, 0);
	assert_text(again, "first");
	assert_memory_equal(&again->answer.ctl, &first->answer.ctl,
			    sizeof(again->answer.ctl));
	assert_string_equal(again->answer.cltid, "who put it");
	assert_int_equal(again->answer.next, 0);
	job_free(again);
	job_free(first);
}

static void message_keeps_its_tries(void **state)
{
	struct base *b = *state;
	struct job *j = job(OW_MQ_DEQUEUE, "");
	struct ow_mq_xid xid = { .format = 1, .gtrid = 1, .bqual = 1 };
	int i;

	put(b, "a");
	for (i = 0; i < 3; i++) { /* three times rolled back */
		xid.data[0] = (uint8_t)i;
		assert_int_equal(known_add(&b->sp.known, &xid), 0);
		j->xid = xid;
		run(b, j);
		assert_int_equal(j->answer.tperr, 0);
		/* It comes back with the transaction, by no other way. */
		assert_int_equal(j->answer.ctl.deq_time, 0);
		job_free(j);
		j = job(OW_MQ_ROLLBACK, "");
		j->head.xid = xid;
		run(b, j);
		job_free(j);
		j = job(OW_MQ_DEQUEUE, "");
	}
	job_free(j);
	j = take(b, 0);
	assert_int_equal(j->answer.count, 3);
	assert_int_equal(ask(b, back(j)), 0);
	job_free(j);
	j = take(b, 0);
	assert_int_equal(j->answer.count, 3);
	job_free(j);
}

static void message_expires_when_it_would_have(void **state)
{
	struct base *b = *state;
	struct store *s = &b->sp.store;
	uint64_t expires;
	struct job *j;

	put_with(b, "a", TPQEXPTIME_REL, 100);
	j = take(b, 0);
	expires = j->answer.next;
	assert_in_range(expires, ow_clock_real_ns() + 90 * OW_NS_PER_SEC,
			ow_clock_real_ns() + 100 * OW_NS_PER_SEC);
	assert_int_equal(ask(b, back(j)), 0);
	job_free(j);
	j = take(b, 0);
	assert_int_equal(j->answer.next, expires);
	assert_int_equal(ask(b, back(j)), 0);
	job_free(j);
	assert_int_equal(store_begin(s, 0, true), 0);
	assert_int_equal(message_due(s, &b->sp.queues, expires - 1, 10), 0);
	assert_int_equal(queued(b), 1);
	assert_int_equal(message_due(s, &b->sp.queues, expires, 10), 0);
	assert_int_equal(queued(b), 0);
	store_abort(s);
}

static void empty_message_comes_back(void **state)
{
	struct base *b = *state;
	struct job *j;

	put(b, "");
	j = take(b, 0);
	assert_int_equal(ask(b, back(j)), 0);
	job_free(j);
	j = take(b, 0);
	assert_text(j, "");
	job_free(j);
}

/* ---- who may ---- */

static void message_that_is_there_does_not_come_twice(void **state)
{
	struct base *b = *state;
	struct job *j;

	put(b, "a");
	j = take(b, 0);
	assert_int_equal(ask(b, back(j)), 0);
	assert_int_equal(ask(b, back(j)), QMEBADMSGID);
	assert_int_equal(queued(b), 1);
	job_free(j);
}

static void who_has_only_looked_brings_nothing_back(void **state)
{
	struct base *b = *state;
	struct job *looked, *took;

	put(b, "a");
	looked = take(b, TPQPEEK);
	assert_int_equal(looked->answer.ctl.deq_time, 0);
	took = take(b, 0);
	assert_int_equal(ask(b, back(looked)), QMEBADMSGID);
	assert_null(take(b, 0));
	job_free(looked);
	job_free(took);
}

static void nobody_else_brings_it_back(void **state)
{
	struct base *b = *state;
	struct job *given, *j;

	put(b, "a");
	given = take(b, 0);
	j = back(given);
	j->gen = OTHER;
	assert_int_equal(ask(b, j), QMEBADMSGID);
	j = back(given);
	j->slot = 2;
	assert_int_equal(ask(b, j), QMEBADMSGID);
	assert_null(take(b, 0));
	assert_int_equal(ask(b, back(given)), 0);
	job_free(given);
}

/* A number that was never given, and one that another space has given. */
static void number_that_was_not_given_is_refused(void **state)
{
	struct base *b = *state;
	struct job *given, *j;

	put(b, "a");
	given = take(b, 0);
	j = back(given);
	message_id(&b->sp.store, b->sp.store.last + 1, j->head.ctl.msgid);
	assert_int_equal(ask(b, j), QMEBADMSGID);
	j = back(given);
	j->head.ctl.msgid[5] ^= 1;
	assert_int_equal(ask(b, j), QMEBADMSGID);
	assert_null(take(b, 0));
	job_free(given);
}

static void nothing_else_comes_back_in_its_place(void **state)
{
	struct base *b = *state;
	struct job *given, *j;
	int i;

	put(b, "text");
	given = take(b, 0);
	for (i = 0; i < 9; i++) {
		j = back(given);
		if (i == 0)
			j->payload[3] ^= 1;
		else if (i == 1)
			j->payload[j->head.len - 5] ^= 1; /* who put it */
		else if (i == 2)
			j->head.count = 0xffffffff;
		else if (i == 3)
			j->head.from = 1;
		else if (i == 4)
			j->head.ctl.priority = 100;
		else if (i == 5)
			strcpy(j->head.queue, "OTHER");
		else if (i == 6)
			j->head.type = 4;
		else if (i == 7)
			j->head.sub_len = 2;
		else
			j->head.len--;
		assert_int_equal(ask(b, j), QMEBADMSGID);
	}
	j = back(given);
	j->head.len = 5; /* not even who put it */
	assert_int_equal(ask(b, j), QMEBADMSGID);
	j = back(given);
	strcpy(j->head.queue, "NONE");
	assert_int_equal(ask(b, j), QMEBADQUEUE);
	assert_null(take(b, 0));
	assert_int_equal(ask(b, back(given)), 0);
	job_free(given);
}

static void right_outlives_the_process(void **state)
{
	struct base *b = *state;
	struct job *j;

	put(b, "a");
	j = take(b, 0);
	close_base(b);
	open_base(b);
	define(b, "Q");
	open_rights(b);
	assert_int_equal(ask(b, back(j)), 0);
	job_free(j);
	j = take(b, 0);
	assert_text(j, "a");
	job_free(j);
}

static void rights_of_another_space_are_others(void **state)
{
	struct base *b = *state;
	struct job *j;

	put(b, "a");
	j = take(b, 0);
	b->sp.right[15] ^= 1;
	assert_int_equal(ask(b, back(j)), QMEBADMSGID);
	job_free(j);
}

/* ---- the hash ---- */

/* The example of those who have made it: 15 bytes; and 8, 0 by its rules. */
static void hash_is_siphash(void **state)
{
	uint8_t key[16], data[16];
	int i;

	for (i = 0; i < 16; i++)
		key[i] = data[i] = (uint8_t)i;
	assert_true(right_hash(key, data, 15) ==
		    UINT64_C(0xa129ca6149be45e5));
	assert_true(right_hash(key, data, 0) ==
		    UINT64_C(0x726fdb47dd0e0e31));
	assert_true(right_hash(key, data, 8) ==
		    UINT64_C(0x93f5f5799a932462));
}

#define FACT(name) cmocka_unit_test_setup_teardown(name, setup, space_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(message_is_in_its_place_as_it_was),
		FACT(message_keeps_its_tries),
		FACT(message_expires_when_it_would_have),
		FACT(empty_message_comes_back),
		FACT(message_that_is_there_does_not_come_twice),
		FACT(who_has_only_looked_brings_nothing_back),
		FACT(nobody_else_brings_it_back),
		FACT(number_that_was_not_given_is_refused),
		FACT(nothing_else_comes_back_in_its_place),
		FACT(right_outlives_the_process),
		FACT(rights_of_another_space_are_others),
		cmocka_unit_test(hash_is_siphash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
