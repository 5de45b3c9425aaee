/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_damage.c - no damage to a queue space loses or invents a message silently
 *
 * A space with known messages is damaged in one way at random, and opened. All
 * messages are where they were, byte for byte, or it is refused and says so; and
 * if an operator goes on, what is there is right, and no number comes again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "libndrx/storage/damage.h"
#include "servers/tmqueue/branch.h"
#include "servers/tmqueue/conf.h"
#include "servers/tmqueue/message.h"
#include "tests/unit/corruptions.h"
#include "tests/unit/servers/folder.h"

#define MESSAGES 160
#define STATES	 4
#define FILES	 3

void ow_fault_hit(const char *name);
void ow_fault_hit(const char *name)
{
	(void)name;
}

/* In place of libc's: the kernel would clear 16 MB for each opening, and take them
 * back for the next one, which is most of the time of all. */
int fallocate(int fd, int mode, off_t from, off_t len);
int fallocate(int fd, int mode, off_t from, off_t len)
{
	struct stat st;

	(void)mode;
	if (fstat(fd, &st) != 0)
		return -1;
	return st.st_size < from + len ? ftruncate(fd, from + len) : 0;
}

/* What is to be with a message. */
enum place_wanted { READY, TAKEN, DELAYED, IN_BRANCH };

static struct base {
	struct store s;
	struct queues qs;
	struct queue *q;
} b;

static char folder[64], path[FILES][96], report[96];
/* States of the files: two earlier ones, one of a killed process, one of a proper
 * end. */
static struct image states[STATES][FILES];
static enum place_wanted wanted[2][MESSAGES + 1]; /* killed, ended */
static uint64_t last_number;

/* Small ones, and some that fill pages of their own. */
static size_t text_of(uint64_t number, char *to)
{
	size_t len = number % 7 == 0 ? 9000 : 20 + number % 300, i;
	uint64_t state = number;

	for (i = 0; i < len; i++)
		to[i] = (char)random_next(&state);
	return len;
}

static int open_base(char *why, size_t size)
{
	int r = store_open(&b.s, folder, "S", why, size);

	memset(&b.qs, 0, sizeof(b.qs));
	if (r != 0)
		return r;
	r = store_begin(&b.s, 0, true);
	if (r == 0)
		r = queues_load(&b.qs, &b.s);
	if (r == 0)
		r = branch_recover(&b.s, &b.qs);
	if (r == 0)
		r = queues_write(&b.qs, &b.s);
	if (r == 0)
		r = store_commit(&b.s);
	queues_keep(&b.qs);
	conf_define(&b.qs, "Q", why, size);
	why[0] = '\0';
	b.q = queues_find(&b.qs, "Q", false);
	return r;
}

static void close_base(void)
{
	store_close(&b.s);
	queues_free(&b.qs);
}

static int begin(void)
{
	return store_begin(&b.s, 20000, false);
}

static int end(void)
{
	int r = queues_write(&b.qs, &b.s);

	if (r == 0)
		r = store_commit(&b.s);
	queues_keep(&b.qs);
	return r;
}

static struct ow_mq_xid xid_of(unsigned int i)
{
	struct ow_mq_xid x;

	memset(&x, 0, sizeof(x));
	x.format = 1;
	x.gtrid = x.bqual = 1;
	x.data[0] = (char)i;
	return x;
}

static void take_out(uint64_t number)
{
	struct message m;
	struct place p;

	assert_int_equal(message_read(&b.s, number, &m), 0);
	assert_int_equal(message_hide(&b.s, &m, &p), 0);
	assert_int_equal(message_erase(&b.s, b.q, &m), 0);
}

/* One batch: a message more; every third takes an earlier one out; some are
 * delayed, some in a prepared branch. */
static void work(uint64_t number, enum place_wanted *at)
{
	struct message m = { .client = "c" };
	struct ow_mq_xid x = xid_of((unsigned int)(number / 20));
	char text[9000];

	m.head.client_len = 1;
	m.head.len = text_of(number, text);
	m.head.flags = number % 4 == 0 ? TPQCORRID : 0;
	memset(m.head.corrid, (int)number, sizeof(m.head.corrid));
	m.payload = text;
	assert_int_equal(begin(), 0);
	assert_int_equal(message_write(&b.s, &b.qs, b.q, &m), 0);
	assert_int_equal(m.number, number);
	if (number % 20 == 5) {
		at[number] = IN_BRANCH;
		assert_int_equal(branch_add(&b.s, b.q, &x, DID_ENQUEUE, &m, 0,
					    0), 0);
		assert_int_equal(branch_prepare(&b.s, &x), 0);
	} else {
		at[number] = number % 11 == 0 ? DELAYED : READY;
		assert_int_equal(message_show(&b.s, b.q, &m,
					      number % 11 == 0
						      ? UINT64_MAX / 2 : 0, 0),
				 0);
	}
	if (number % 3 == 0 && at[number / 2] == READY) {
		take_out(number / 2);
		at[number / 2] = TAKEN;
	}
	assert_int_equal(end(), 0);
	last_number = number;
}

static void keep_state(int n)
{
	int f;

	for (f = 0; f < FILES; f++)
		states[n][f] = image_read(path[f]);
}

static int make(void **state)
{
	char why[1024] = "";
	uint64_t i;

	(void)state;
	folder_make(folder, "/dev/shm/ow_damage");
	snprintf(path[0], sizeof(path[0]), "%s/S.tmq", folder);
	snprintf(path[1], sizeof(path[1]), "%s/S.tmj", folder);
	snprintf(path[2], sizeof(path[2]), "%s/S.mark", folder);
	snprintf(report, sizeof(report), "%s/S.tmq.damage", folder);
	assert_int_equal(open_base(why, sizeof(why)), 0);
	for (i = 1; i <= MESSAGES; i++) {
		if (i == MESSAGES / 4 || i == 2 * MESSAGES / 3)
			assert_int_equal(store_checkpoint(&b.s), 0);
		if (i == MESSAGES / 2)
			keep_state(0);
		if (i == MESSAGES - 1)
			keep_state(1);
		work(i, wanted[0]);
	}
	keep_state(2);
	memcpy(wanted[1], wanted[0], sizeof(wanted[1]));
	assert_int_equal(store_finish(&b.s), 0);
	close_base();
	keep_state(3);
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	return folder_remove(folder);
}

/* ---- judged ---- */

static bool is_right(const struct message *m)
{
	char text[9000];

	return m->number <= MESSAGES && m->head.client_len == 1 &&
	       m->client[0] == 'c' &&
	       m->head.len == text_of(m->number, text) &&
	       memcmp(m->payload, text, m->head.len) == 0;
}

/* The message of this number: where it is; -1: it cannot be read, -2: wrong. */
static int place_of(uint64_t number, bool *ret_aside)
{
	struct message m;
	struct place p;
	int r = message_read(&b.s, number, &m);

	*ret_aside = false;
	if (r == STORE_ABSENT)
		return TAKEN;
	if (r != 0)
		return -1;
	if (!is_right(&m))
		return -2;
	if (message_place(&b.s, &m, &p) != 0)
		return -1;
	*ret_aside = m.head.queue != b.q->id;
	return p.state == OW_MQ_READY ? READY : p.state == OW_MQ_DELAYED
			? DELAYED : IN_BRANCH;
}

/* How many messages can be taken one after the other, each right; -1: one is
 * not. */
static long take_all(struct queue *q)
{
	struct wanted any = { .number = 0 };
	struct message m;
	uint32_t tries;
	long n = 0;
	int r;

	while (q != NULL && (r = message_choose(&b.s, q, &any, &m, &tries)) !=
				    STORE_ABSENT) {
		if (r != 0 || !is_right(&m) || message_hide(&b.s, &m,
		    &(struct place){ .tries = 0 }) != 0 ||
		    message_erase(&b.s, q, &m) != 0)
			return -1;
		n++;
	}
	return n;
}

static const char *judge_whole(const enum place_wanted *at)
{
	long ready = 0, taken;
	bool aside;
	uint64_t i;
	int is;

	for (i = 1; i <= MESSAGES; i++) {
		is = place_of(i, &aside);
		if (is == -2)
			return "WRONG CONTENT";
		if (is != (int)at[i] || aside)
			return at[i] == TAKEN ? "COMES TWICE" : "SILENT LOSS";
		ready += is == READY;
	}
	taken = take_all(b.q);
	return taken == ready ? "intact" : "CANNOT BE TAKEN";
}

/* With the operator's word: nothing is wrong, and the space works. */
static const char *judge_accepted(void)
{
	struct queue *aside = queues_find(&b.qs, "REPAIRED", false);
	struct message m = { .client = "c", .payload = "new" };
	bool is_aside;
	uint64_t i;

	for (i = 1; i <= MESSAGES; i++)
		if (place_of(i, &is_aside) < 0)
			return "WRONG AFTER REPAIR";
	m.head.client_len = 1;
	m.head.len = 4;
	if (message_write(&b.s, &b.qs, b.q, &m) != 0 ||
	    message_show(&b.s, b.q, &m, 0, 0) != 0)
		return "NOTHING CAN BE PUT";
	if (m.number <= last_number)
		return "A NUMBER TWICE";
	take_out(m.number);
	if (take_all(b.q) < 0 || take_all(aside) < 0)
		return "CANNOT BE TAKEN AFTER REPAIR";
	return "told";
}

static const char *in_a_batch(const char *(*judge)(const enum place_wanted *),
			      const enum place_wanted *at)
{
	const char *outcome = begin() == 0 ? judge(at) : "NO BATCH";

	if (end() != 0)
		outcome = "NO COMMIT";
	close_base();
	return outcome;
}

static const char *accepted(const enum place_wanted *at)
{
	(void)at;
	return judge_accepted();
}

static const char *judge(const enum place_wanted *at, char *why, size_t size)
{
	const char *outcome;

	if (open_base(why, size) == 0)
		return in_a_batch(judge_whole, at);
	queues_free(&b.qs);
	if (strstr(why, "xadmin repair") == NULL ||
	    ow_damage_accept(report) != 0)
		return "NOT EXPLAINED";
	if (open_base(why, size) != 0)
		return "NOT REPAIRED";
	outcome = in_a_batch(accepted, at);
	if (open_base(why, size) != 0)
		return "NOT KEPT";
	close_base();
	return outcome;
}

static void forget_reports(void)
{
	char command[160];

	snprintf(command, sizeof(command), "%s/S.tmq.damaged", folder);
	unlink(command);
	snprintf(command, sizeof(command), "%s/S.tmj.damaged", folder);
	unlink(command);
	unlink(report);
}

static void damage_is_told_or_does_no_harm(void **state)
{
	uint64_t seed = corruptions_seed(), random = seed;
	long n = corruptions_wanted(100), i, intact = 0, told = 0, bad = 0;
	char what[128], why[1024];
	const char *outcome;
	struct image now;
	int f, from;

	(void)state;
	for (i = 0; i < n; i++) {
		from = 2 + (random_below(&random, 4) == 0);
		for (f = 0; f < FILES; f++)
			image_write(path[f], &states[from][f]);
		f = (int)random_below(&random, 8);
		f = f < 4 ? 0 : f < 7 ? 1 : 2;
		now = image_copy(&states[from][f]);
		if (corrupt(&random, &now,
			    &states[random_below(&random, 2)][f], what,
			    sizeof(what)) != NULL) {
			image_write(path[f], &now);
			why[0] = '\0';
			outcome = judge(wanted[from - 2], why, sizeof(why));
			intact += strcmp(outcome, "intact") == 0;
			told += strcmp(outcome, "told") == 0;
			if (strcmp(outcome, "intact") != 0 &&
			    strcmp(outcome, "told") != 0) {
				bad++;
				print_message("%ld: %s (%s): %s: %s: %s\n", i,
					      path[f], from == 2 ? "killed"
								 : "ended",
					      what, outcome, why);
			}
		}
		free(now.bytes);
		forget_reports();
	}
	print_message("seed %llu: %ld corruptions: %ld intact, %ld told, "
		      "%ld bad\n", (unsigned long long)seed, n, intact, told,
		      bad);
	assert_int_equal(bad, 0);
	assert_true(told > n / 4);
}

static void a_space_that_is_whole_is_whole(void **state)
{
	char why[1024] = "";
	int f, from;

	(void)state;
	for (from = 2; from < 4; from++) {
		for (f = 0; f < FILES; f++)
			image_write(path[f], &states[from][f]);
		assert_string_equal(judge(wanted[from - 2], why, sizeof(why)),
				    "intact");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_space_that_is_whole_is_whole),
		cmocka_unit_test(damage_is_told_or_does_no_harm),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
