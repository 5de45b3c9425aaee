/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_message.c - messages and branches in the data base, over kills
 *
 * A data base that is closed and opened again is what a killed tmqueue leaves:
 * nothing is written at the end. Children are killed around a commit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "servers/tmqueue/branch.h"
#include "servers/tmqueue/conf.h"
#include "servers/tmqueue/message.h"
#include "libatmi/base/fault.h"
#include "tests/unit/servers/folder.h"

static const char *fatal; /* the fault point that kills; NULL: none */

void ow_fault_hit(const char *name);
void ow_fault_hit(const char *name)
{
	if (fatal != NULL && strcmp(name, fatal) == 0)
		kill(getpid(), SIGKILL);
}

struct base {
	char folder[64];
	struct store s;
	struct queues qs;
	struct queue *q;
};

static void open_base(struct base *b)
{
	char why[256] = "";

	memset(&b->qs, 0, sizeof(b->qs));
	assert_int_equal(store_open(&b->s, b->folder, "S", why, sizeof(why)),
			 0);
	assert_int_equal(store_begin(&b->s, 0, false), 0);
	assert_int_equal(queues_load(&b->qs, &b->s), 0);
	assert_int_equal(branch_recover(&b->s, &b->qs), 0);
	assert_int_equal(queues_write(&b->qs, &b->s), 0);
	assert_int_equal(store_commit(&b->s), 0);
	queues_keep(&b->qs);
	assert_int_equal(conf_define(&b->qs, "Q", why, sizeof(why)), 0);
	b->q = queues_find(&b->qs, "Q", false);
}

static void close_base(struct base *b)
{
	store_close(&b->s);
	queues_free(&b->qs);
}

static void again(struct base *b)
{
	close_base(b);
	open_base(b);
}

static int setup(void **state)
{
	struct base *b = calloc(1, sizeof(*b));

	folder_make(b->folder, "/tmp/ow_tmqueue");
	open_base(b);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct base *b = *state;

	close_base(b);
	folder_remove(b->folder);
	free(b);
	return 0;
}

static void begin(struct base *b)
{
	assert_int_equal(store_begin(&b->s, 4096, false), 0);
}

static void end(struct base *b)
{
	assert_int_equal(queues_write(&b->qs, &b->s), 0);
	assert_int_equal(store_commit(&b->s), 0);
	queues_keep(&b->qs);
}

/* A message that is not shown yet. */
static struct message write_text(struct base *b, const char *text)
{
	struct message m = { .client = "c", .payload = text };

	m.head.client_len = 1;
	m.head.len = strlen(text) + 1;
	assert_int_equal(message_write(&b->s, &b->qs, b->q, &m), 0);
	return m;
}

static void a_message_keeps_the_trace_in_which_it_was_put(void **state)
{
	struct base *b = *state;
	struct message m = { .client = "c", .payload = "text",
			     .trace = { .magic = MESSAGE_TRACE, .flags = 1,
					.trace_id = { 4, 5 },
					.span_id = { 6 } } };
	struct message read, plain;
	MDB_val v;

	begin(b);
	m.head.client_len = 1;
	m.head.len = 5;
	assert_int_equal(message_write(&b->s, &b->qs, b->q, &m), 0);
	plain = write_text(b, "none");
	end(b);
	begin(b);
	assert_int_equal(message_read(&b->s, m.number, &read), 0);
	assert_memory_equal(&read.trace, &m.trace, sizeof(m.trace));
	assert_string_equal(read.payload, "text");
	/* Without one the record is as it was before there were traces. */
	assert_int_equal(message_read(&b->s, plain.number, &read), 0);
	assert_int_equal(read.trace.magic, 0);
	assert_int_equal(store_get(&b->s, b->s.message, &plain.number,
				   sizeof(plain.number), &v), 0);
	assert_int_equal(v.mv_size, sizeof(struct message_head) + 1 + 5);
	store_abort(&b->s);
}

static uint64_t put(struct base *b, const char *text)
{
	struct message m;

	begin(b);
	m = write_text(b, text);
	assert_int_equal(message_show(&b->s, b->q, &m, 0, 0), 0);
	end(b);
	return m.number;
}

/* The first message; in a transaction of its own. */
static bool first_is(struct base *b, const char *text)
{
	struct wanted any = { .number = 0 };
	struct message m;
	uint32_t tries;
	bool is;
	int r;

	begin(b);
	r = message_choose(&b->s, b->q, &any, &m, &tries);
	is = text == NULL ? r == STORE_ABSENT
			  : r == 0 && strcmp(m.payload, text) == 0;
	store_abort(&b->s);
	return is;
}

/* Put before message `before`; 0: at the top. */
static struct message put_placed(struct base *b, const char *text,
				 const struct message *before)
{
	bool lifo = b->q->def.mode == MODE_LIFO;
	struct message m = { .client = "c", .payload = text };

	begin(b);
	m.head.client_len = 1;
	m.head.len = strlen(text) + 1;
	if (before == NULL)
		order_top(&m.order, b->s.last + 1, lifo);
	else
		assert_true(order_before(&m.order, b->s.last + 1,
					 before->number, &before->order, lifo));
	assert_int_equal(message_write(&b->s, &b->qs, b->q, &m), 0);
	assert_int_equal(message_show(&b->s, b->q, &m, 0, 0), 0);
	end(b);
	return m;
}

/* Take all messages: their texts, one letter each. */
static void all_are(struct base *b, const char *texts)
{
	struct wanted any = { .number = 0 };
	struct message m;
	struct place p;
	uint32_t tries;

	begin(b);
	for (; *texts != '\0'; texts++) {
		assert_int_equal(message_choose(&b->s, b->q, &any, &m, &tries),
				 0);
		assert_int_equal(m.payload[0], *texts);
		assert_int_equal(message_hide(&b->s, &m, &p), 0);
		assert_int_equal(message_erase(&b->s, b->q, &m), 0);
	}
	assert_int_equal(message_choose(&b->s, b->q, &any, &m, &tries),
			 STORE_ABSENT);
	end(b);
}

static void a_message_stands_where_it_was_put(void **state)
{
	struct base *b = *state;
	struct message one = { .number = put(b, "1") }, top, x, y;

	put(b, "2");
	top = put_placed(b, "t", NULL);
	x = put_placed(b, "x", &one);
	y = put_placed(b, "y", &one);
	put_placed(b, "z", &x);
	put_placed(b, "u", NULL);
	put_placed(b, "v", &top);
	put_placed(b, "w", &y);
	put(b, "3");
	again(b);
	all_are(b, "uvtzxwy123");
	assert_int_equal(b->q->now.queued, 0);
}

static void of_lifo_before_is_what_is_taken_before(void **state)
{
	struct base *b = *state;
	struct message one = { .number = put(b, "1") };
	struct message two = { .number = put(b, "2") }, x;

	b->q->def.mode = MODE_LIFO;
	put(b, "3");
	x = put_placed(b, "x", &one);
	put_placed(b, "y", &one);
	put_placed(b, "z", &x);
	put_placed(b, "w", &two);
	put_placed(b, "t", NULL);
	put(b, "4");
	all_are(b, "4t3w2zxy1");
}

static void so_many_before_each_other_and_no_more(void **state)
{
	struct order_place at = { .magic = 0 }, before;
	uint64_t number = 100;
	int n = 0;

	(void)state;
	while (order_before(&at, number + 1, number, &at, false)) {
		number++;
		n++;
	}
	assert_int_equal(n, ORDER_NUMBERS - 1);
	before = at;
	assert_false(order_before(&at, number + 1, number, &at, true));
	assert_memory_equal(&at, &before, sizeof(at));
	assert_int_equal(order_read((const char *)&at, order_size(&at), &before),
			 order_size(&at));
	assert_int_equal(order_read((const char *)&at, order_size(&at) - 1,
				    &before), 0);
	assert_int_equal(before.magic, 0);
}

static struct ow_mq_xid xid(char c)
{
	struct ow_mq_xid x = { .format = 1, .gtrid = 1, .bqual = 1 };

	x.data[0] = (uint8_t)c;
	return x;
}

static void enqueue_in(struct base *b, struct ow_mq_xid *x, const char *text)
{
	struct message m;

	begin(b);
	m = write_text(b, text);
	assert_int_equal(branch_add(&b->s, b->q, x, DID_ENQUEUE, &m, 0, 0), 0);
	end(b);
}

static void dequeue_in(struct base *b, struct ow_mq_xid *x)
{
	struct wanted any = { .number = 0 };
	struct message m;
	struct place p;
	uint32_t tries;

	begin(b);
	assert_int_equal(message_choose(&b->s, b->q, &any, &m, &tries), 0);
	assert_int_equal(message_hide(&b->s, &m, &p), 0);
	assert_int_equal(branch_add(&b->s, b->q, x, DID_DEQUEUE, &m, 0, tries),
			 0);
	end(b);
}

static void prepare(struct base *b, struct ow_mq_xid *x)
{
	begin(b);
	assert_int_equal(branch_prepare(&b->s, x), 0);
	end(b);
}

static int finish(struct base *b, struct ow_mq_xid *x, bool commit)
{
	int r;

	begin(b);
	r = branch_end(&b->s, &b->qs, x, commit);
	end(b);
	return r;
}

/* One put at the top in a transaction, and one taken in another, which is rolled
 * back; over a restart. */
static void a_branch_leaves_a_message_its_place(void **state)
{
	struct base *b = *state;
	struct ow_mq_xid x = xid('x'), y = xid('y');
	struct message m = { .client = "c", .payload = "t" };

	put(b, "1");
	put_placed(b, "u", NULL);
	dequeue_in(b, &x);
	begin(b);
	m.head.client_len = 1;
	m.head.len = 2;
	order_top(&m.order, b->s.last + 1, false);
	assert_int_equal(message_write(&b->s, &b->qs, b->q, &m), 0);
	assert_int_equal(branch_add(&b->s, b->q, &y, DID_ENQUEUE, &m, 0, 0), 0);
	end(b);
	assert_true(first_is(b, "1"));
	prepare(b, &x);
	prepare(b, &y);
	again(b);
	assert_int_equal(finish(b, &x, false), 0);
	assert_int_equal(finish(b, &y, true), 0);
	all_are(b, "tu1");
}

static void messages_outlive_the_process_in_order(void **state)
{
	struct base *b = *state;
	uint64_t first = put(b, "a"), second = put(b, "b");

	assert_true(second > first);
	again(b);
	assert_true(first_is(b, "a"));
	assert_int_equal(b->q->now.queued, 2);
	assert_true(put(b, "c") > second);
}

static void an_aborted_transaction_leaves_nothing(void **state)
{
	struct base *b = *state;
	struct message m;

	begin(b);
	m = write_text(b, "a");
	assert_int_equal(message_show(&b->s, b->q, &m, 0, 0), 0);
	store_abort(&b->s);
	queues_undo(&b->qs);
	assert_true(first_is(b, NULL));
	assert_int_equal(b->q->now.queued, 0);
}

static void branches_that_are_not_prepared_are_undone_by_a_restart(void **state)
{
	struct base *b = *state;
	struct ow_mq_xid x = xid('x'), y = xid('y');

	put(b, "a");
	dequeue_in(b, &x);
	enqueue_in(b, &x, "never");
	enqueue_in(b, &y, "nor this");
	assert_true(first_is(b, NULL));
	again(b);
	assert_true(first_is(b, "a"));
	assert_int_equal(b->q->now.queued, 1);
	assert_int_equal(b->q->now.locked, 0);
	assert_int_equal(finish(b, &x, true), STORE_ABSENT);
	assert_int_equal(finish(b, &y, true), STORE_ABSENT);
}

static void a_prepared_branch_outlives_restarts_until_it_ends(void **state)
{
	struct base *b = *state;
	struct ow_mq_xid x = xid('x'), y = xid('y'), found[4];

	put(b, "a");
	dequeue_in(b, &x);
	enqueue_in(b, &y, "b");
	prepare(b, &x);
	prepare(b, &y);
	again(b);
	assert_true(first_is(b, NULL));
	begin(b);
	assert_int_equal(branch_list(&b->s, &(struct ow_mq_xid){ .gtrid = 0 },
				     found, 4), 2);
	assert_true(xid_same(&found[0], &x) && xid_same(&found[1], &y));
	store_abort(&b->s);
	assert_int_equal(finish(b, &x, false), 0);
	assert_true(first_is(b, "a"));
	again(b);
	assert_int_equal(finish(b, &y, true), 0);
	assert_int_equal(b->q->now.queued, 2);
	assert_int_equal(b->q->now.locked, 0);
}

static void a_delayed_message_becomes_ready_and_an_expired_one_goes(void **state)
{
	struct base *b = *state;
	struct message m;
	uint64_t next;

	begin(b);
	m = write_text(b, "late");
	assert_int_equal(message_show(&b->s, b->q, &m, 1000, 0), 0);
	m = write_text(b, "old");
	m.head.expires_ns = 500;
	assert_int_equal(message_show(&b->s, b->q, &m, 0, 0), 0);
	end(b);
	assert_true(first_is(b, "old"));
	begin(b);
	assert_int_equal(message_due(&b->s, &b->qs, 500, 10), 0);
	end(b);
	assert_true(first_is(b, NULL));
	assert_int_equal(b->q->now.queued, 1);
	again(b);
	begin(b);
	assert_int_equal(message_next_due(&b->s, &next), 0);
	assert_int_equal(next, 1000);
	assert_int_equal(message_due(&b->s, &b->qs, 999, 10), 0);
	end(b);
	assert_true(first_is(b, NULL));
	begin(b);
	assert_int_equal(message_due(&b->s, &b->qs, 1000, 10), 0);
	end(b);
	assert_true(first_is(b, "late"));
}

static void an_id_is_of_its_space(void **state)
{
	struct base *b = *state;
	char id[TMMSGIDLEN];

	message_id(&b->s, 77, id);
	assert_int_equal(message_number(&b->s, id), 77);
	id[5] ^= 1;
	assert_int_equal(message_number(&b->s, id), 0);
}

static void a_space_is_open_once(void **state)
{
	struct base *b = *state;
	struct store other;
	char why[256] = "";

	assert_int_equal(store_open(&other, b->folder, "S", why, sizeof(why)),
			 -EBUSY);
}

/* A child enqueues and is killed at the fault point; is the message there? */
static bool is_there_after(struct base *b, const char *point)
{
	bool there;
	int status = 0;
	pid_t pid;

	close_base(b);
	pid = fork();
	if (pid == 0) {
		open_base(b);
		fatal = point;
		put(b, "a");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	open_base(b);
	there = first_is(b, "a");
	assert_int_equal(b->q->now.queued, there);
	return there;
}

static void a_kill_around_the_commit_leaves_all_or_nothing(void **state)
{
	struct base *b = *state;

	assert_false(is_there_after(b, "tmqueue.commit"));
	assert_true(is_there_after(b, "tmqueue.committed"));
}

int main(void)
{
#define FACT(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		FACT(a_message_keeps_the_trace_in_which_it_was_put),
		FACT(messages_outlive_the_process_in_order),
		FACT(a_message_stands_where_it_was_put),
		FACT(a_branch_leaves_a_message_its_place),
		FACT(of_lifo_before_is_what_is_taken_before),
		FACT(so_many_before_each_other_and_no_more),
		FACT(an_aborted_transaction_leaves_nothing),
		FACT(branches_that_are_not_prepared_are_undone_by_a_restart),
		FACT(a_prepared_branch_outlives_restarts_until_it_ends),
		FACT(a_delayed_message_becomes_ready_and_an_expired_one_goes),
		FACT(an_id_is_of_its_space),
		FACT(a_space_is_open_once),
		FACT(a_kill_around_the_commit_leaves_all_or_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
