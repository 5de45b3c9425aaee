/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_admin.c - what xadmin asks a tmqueue: queues, messages, definitions
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/servers/tmqueue/space_fixture.h"
#include "libatmi/base/clock.h"

static int setup(void **state)
{
	int r = space_setup(state);

	define(*state, "Q");
	return r;
}

/* Ask, with a payload: the job, to be freed. */
static struct job *ask(struct base *b, enum ow_mq_op op, const char *queue,
		       const char *text)
{
	struct job *j = job_new(JOB_REQUEST, strlen(text));

	assert_non_null(j);
	j->head.op = (uint16_t)op;
	strcpy(j->head.queue, queue);
	j->head.type = 3;
	j->head.len = strlen(text);
	memcpy(j->payload, text, j->head.len);
	run(b, j);
	return j;
}

/* What was asked for is refused so; 0: it is not. */
static void assert_answer(struct job *j, int diagnostic)
{
	assert_int_equal(j->answer.diagnostic, diagnostic);
	assert_int_equal(j->answer.tperr, diagnostic ? TPEDIAGNOSTIC : 0);
	job_free(j);
}

/* Ask for the message with this id. */
static struct job *ask_for(struct base *b, enum ow_mq_op op,
			   const char id[TMMSGIDLEN])
{
	struct job *j = job_new(JOB_REQUEST, 0);

	assert_non_null(j);
	j->head.op = (uint16_t)op;
	memcpy(j->head.ctl.msgid, id, TMMSGIDLEN);
	run(b, j);
	return j;
}

static void put(struct base *b, const char *queue, const char *text,
		char id[TMMSGIDLEN])
{
	struct job *j = ask(b, OW_MQ_ENQUEUE, queue, text);

	assert_int_equal(j->answer.tperr, 0);
	memcpy(id, j->answer.ctl.msgid, TMMSGIDLEN);
	job_free(j);
}

/* How many rows of `size` the answer has, at *ret. */
static uint64_t rows(const struct job *j, size_t size, const void **ret)
{
	assert_int_equal(j->answer.tperr, 0);
	assert_non_null(j->reply);
	assert_int_equal(j->answer.len, j->answer.count * size);
	*ret = j->reply + sizeof(j->answer);
	return j->answer.count;
}

static void messages_of_the_queue_are_listed_and_of_no_other(void **state)
{
	struct base *b = *state;
	const struct ow_mq_row *row;
	char first[TMMSGIDLEN], other[TMMSGIDLEN], last[TMMSGIDLEN];
	struct job *j;

	define(b, "OTHER");
	put(b, "Q", "one", first);
	put(b, "OTHER", "two", other);
	put(b, "Q", "three", last);
	j = ask(b, OW_MQ_MESSAGES, "Q", "");
	assert_int_equal(rows(j, sizeof(*row), (const void **)&row), 2);
	assert_memory_equal(row[0].msgid, first, TMMSGIDLEN);
	assert_memory_equal(row[1].msgid, last, TMMSGIDLEN);
	assert_int_equal(row[1].len, 5);
	assert_int_equal(row[1].state, OW_MQ_READY);
	assert_int_equal(j->answer.next, 0);
	job_free(j);
	assert_answer(ask(b, OW_MQ_MESSAGES, "NONE", ""), QMEBADQUEUE);
}

static void a_message_is_shown_and_removed_by_its_id(void **state)
{
	struct base *b = *state;
	char id[TMMSGIDLEN];
	struct job *j;

	put(b, "Q", "money", id);
	j = ask_for(b, OW_MQ_LOOK, id);
	assert_int_equal(j->answer.tperr, 0);
	assert_int_equal(j->answer.len, 5);
	assert_memory_equal(j->reply + sizeof(j->answer), "money", 5);
	assert_int_equal(j->answer.ctl.deq_time, 0);
	assert_int_equal(j->answer.ctl.exp_time, 0);
	assert_memory_equal(j->answer.ctl.msgid, id, TMMSGIDLEN);
	job_free(j);
	assert_answer(ask_for(b, OW_MQ_REMOVE, id), 0);
	assert_answer(ask_for(b, OW_MQ_REMOVE, id), QMEBADMSGID);
	assert_answer(ask_for(b, OW_MQ_LOOK, id), QMEBADMSGID);
	memset(id, 'x', sizeof(id)); /* of another space */
	assert_answer(ask_for(b, OW_MQ_LOOK, id), QMEBADMSGID);
}

static void a_message_that_a_service_has_is_not_removed(void **state)
{
	struct base *b = *state;
	struct queue *q;
	char id[TMMSGIDLEN];

	put(b, "Q", "money", id);
	q = queues_find(&b->sp.queues, "Q", false);
	q->forwarded[q->n_forwarded++] = message_number(&b->sp.store, id);
	assert_answer(ask_for(b, OW_MQ_REMOVE, id), QMEINUSE);
	q->n_forwarded = 0;
	assert_answer(ask_for(b, OW_MQ_REMOVE, id), 0);
	assert_int_equal(q->now.queued, 0);
}

static void queues_are_listed_in_the_order_of_their_lines(void **state)
{
	struct base *b = *state;
	const struct ow_mq_queue *row;
	char id[TMMSGIDLEN];
	struct job *j;

	define(b, "SECOND,autoq=y,tries=7");
	put(b, "Q", "money", id);
	j = ask(b, OW_MQ_QUEUES, "", "");
	assert_int_equal(rows(j, sizeof(*row), (const void **)&row), 2);
	assert_string_equal(row[0].name, "Q");
	assert_string_equal(row[0].space, "S");
	assert_int_equal(row[0].queued, 1);
	assert_int_equal(row[0].bytes > 0, 1);
	assert_string_equal(row[1].name, "SECOND");
	assert_string_equal(row[1].definition, "autoq=y,tries=7");
	assert_int_equal(row[1].automatic, 1);
	assert_int_equal(row[1].implied, 0);
	job_free(j);
}

static void a_definition_that_is_wrong_changes_nothing(void **state)
{
	struct base *b = *state;
	char line[DEFINITION_TEXT + TMQNAMELEN + 3];

	assert_answer(ask(b, OW_MQ_DEFINE, "", "Q,tries=9"), 0);
	assert_int_equal(queues_find(&b->sp.queues, "Q", false)->def.tries, 9);
	assert_answer(ask(b, OW_MQ_DEFINE, "", "Q,tries=none"), QMEINVAL);
	assert_int_equal(queues_find(&b->sp.queues, "Q", false)->def.tries, 9);
	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\0';
	assert_answer(ask(b, OW_MQ_DEFINE, "", line), QMEINVAL);
}

int main(void)
{
#define FACT(name) cmocka_unit_test_setup_teardown(name, setup, space_teardown)
	const struct CMUnitTest tests[] = {
		FACT(messages_of_the_queue_are_listed_and_of_no_other),
		FACT(a_message_is_shown_and_removed_by_its_id),
		FACT(a_message_that_a_service_has_is_not_removed),
		FACT(queues_are_listed_in_the_order_of_their_lines),
		FACT(a_definition_that_is_wrong_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
