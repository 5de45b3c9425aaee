/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_faults.c - a kill between any two stores loses and leaks nothing
 *
 * A child runs through the life of a server and a client and is killed at its
 * N-th fault point; then this process reaps it and checks the domain. N grows
 * until the child survives. A second round kills the reaper.
 */
#include "tests/unit/libatmi/faults.h"

#include <dirent.h>

/* Run `fn` in a child and kill it at fault point `n`: true if it was killed. */
static bool dies_at(long n, void (*fn)(void))
{
	pid_t pid;
	int st;

	pid = test_fork();
	if (pid == 0) {
		left = n;
		fn();
		_exit(0);
	}
	waitpid(pid, &st, 0);
	if (WIFSIGNALED(st))
		return true;
	if (WEXITSTATUS(st) != 0)
		fail_msg("step %d failed after a death at %s",
			 WEXITSTATUS(st), where);
	return false;
}

/* Use up free slots and blocks, so that the child needs new ones. */
static void use_up(long n)
{
	uint64_t ref;
	uint32_t slot;
	void *data;

	snprintf(svc_a, sizeof(svc_a), "FAULT%ld", n);
	assert_int_equal(ow_block_alloc(dom->blocks, 100, 0, &ref, &data), 0);
	assert_int_equal(ow_clt_take(dom->tables, &slot), 0);
}

static struct ow_msg reply_to(uint32_t slot, int cd)
{
	return (struct ow_msg){ .magic = OW_MSG_MAGIC,
				.version = OW_MSG_VERSION,
				.kind = OW_MSG_REPLY,
				.buftype = OW_BUF_NULL,
				.cd = cd,
				.clt_slot = slot,
				.clt_gen = dom->tables->clt[slot].gen };
}

/* On posix: a reply queue that is never empty. A block of a dead process must
 * not wait for it. (On shm the message would be a block of its own.) */
static uint32_t keep_a_message(void)
{
	struct ow_queue_shape shape = { 2, 256 };
	struct ow_queue *q = NULL;
	struct ow_msg m;
	uint32_t slot;

	/* Not slot 0, which is `caller`: refusals must not fill this queue. */
	assert_int_equal(ow_clt_take(dom->tables, &slot), 0);
	assert_int_equal(ow_clt_take(dom->tables, &slot), 0);
	strcpy(dom->tables->clt[slot].queue, "kept");
	assert_int_equal(ow_queue_create(dom, ow_reply_queue(slot), &shape,
					 &q), 0);
	m = reply_to(slot, 1);
	assert_int_equal(send_msg(q, &m, 50, OW_DEADLINE_NOW), 0);
	ow_queue_close(q);
	return slot;
}

static void the_domain_is_in_order_after_a_kill_at_any_point(void **state)
{
	uint32_t kept = on_shm() ? OW_CLT_MAX : keep_a_message();
	long n;

	for (n = 1; n < POINTS_MAX; n++) {
		use_up(n);
		if (!dies_at(n, whole_life))
			break;
		check_all();
		assert_false(dies_at(0, whole_life));
		check_all();
	}
	print_message("%ld points\n", n - 1);
	assert_in_range(n, 50, POINTS_MAX - 1);
	check_blocks((uint64_t)n);
	if (kept != OW_CLT_MAX)
		ow_queue_remove(dom, ow_reply_queue(kept));
}

/* ---- killed reapers ---- */

/* A complete reply that is not yet put into the mailbox. */
static void leave_reply(void)
{
	struct ow_msg m = reply_to(caller, 2);
	void *data;

	if (ow_block_alloc(dom->blocks, 0, 0, &m.block, &data) != 0)
		_exit(24);
	*ow_block_msg(dom->blocks, m.block) = m;
	ow_block_post(dom->blocks, m.block, OW_BLOCK_MAILED);
}

static void die_serving(void)
{
	struct ow_server *s;

	ow_reap_server(dom, SRVID, false);
	if (ow_srv_take(dom->tables, SRVID, "x") != 0)
		_exit(17);
	s = make_server(SRVID);
	ow_offer_add(s, "FAULTA", "f", service);
	if (ow_offer_publish_all(s) != 0)
		_exit(18);
	receive_request(s);
	if (on_shm())
		leave_reply();
	left = 1;
	ow_fault_hit("while serving");
}

/* Has the error reply come, at least once (callers drop a second one)? On shm
 * the reply of leave_reply() must have come too, once. */
static bool has_replies(struct ow_queue *q)
{
	int errors = 0, replies = 0;
	struct ow_msg m;

	while (recv_msg(q, &m, OW_DEADLINE_NOW) == 0) {
		errors += m.cd == 1 && m.tperr == TPESVCERR;
		replies += m.cd == 2;
	}
	return errors > 0 && replies == on_shm();
}

/* Fill the reply queue with replies that no call waits for. */
static void fill(struct ow_queue *q)
{
	struct ow_msg m = reply_to(caller, 3);

	while (send_msg(q, &m, 50, OW_DEADLINE_NOW) == 0)
		;
}

/* The reply queue of the caller, whose slot is used from here on. */
static struct ow_queue *open_caller(void)
{
	struct ow_queue_shape shape = { 8, 256 };
	struct ow_queue *q = NULL;

	assert_int_equal(ow_clt_take(dom->tables, &caller), 0);
	strcpy(dom->tables->clt[caller].queue, "caller");
	assert_int_equal(ow_queue_create(dom, ow_reply_queue(caller), &shape,
					 &q), 0);
	return q;
}

static void another_reaper_completes_what_a_killed_one_began(void **state)
{
	struct ow_queue *q = open_caller();
	long n;

	for (n = 1; n < POINTS_MAX; n++) {
		assert_true(dies_at(0, die_serving));
		if (!dies_at(n, reap_all))
			break;
		check_all();
		assert_true(has_replies(q));
	}
	check_all();
	assert_true(has_replies(q));
	ow_queue_close(q);
	print_message("%ld points\n", n - 1);
	assert_in_range(n, 10, POINTS_MAX - 1);
}

/* On posix the reaper keeps replies that find no room in its own memory: if it
 * is killed, their callers see the time-out. */
static void a_full_mailbox_loses_no_reply_of_a_killed_reaper(void **state)
{
	struct ow_queue *q;
	long n;

	if (!on_shm())
		skip();
	q = open_caller();
	for (n = 1; n < POINTS_MAX; n++) {
		assert_true(dies_at(0, die_serving));
		fill(q);
		if (!dies_at(n, reap_all))
			break;
		assert_false(has_replies(q));
		check_all();
		assert_true(has_replies(q));
	}
	assert_false(has_replies(q));
	check_all();
	assert_true(has_replies(q));
	ow_queue_close(q);
	print_message("%ld points\n", n - 1);
	assert_in_range(n, 10, POINTS_MAX - 1);
}

/* ---- a domain that is being removed ---- */

static void make_other(struct ow_domain *d)
{
	char why[512], path[200];

	setenv("NDRX_QPREFIX", "/owother", 1);
	if (ow_domain_read_env(d, why, sizeof(why)) != 0 ||
	    ow_domain_enter(d, true) != 0)
		_exit(2);
	ow_domain_shm_path(d, "tables", path, sizeof(path));
	if (ow_tables_open(path, true, &d->tables) != 0)
		_exit(3);
}

static void remove_other(void *n)
{
	struct ow_domain d;

	make_other(&d);
	left = *(long *)n;
	ow_reap_domain(&d);
}

/* Names of the other domain in shared memory. */
static int names_of_other(void)
{
	DIR *dir = opendir(scratch_dir);
	struct dirent *e;
	int n = 0;

	assert_non_null(dir);
	while ((e = readdir(dir)) != NULL)
		n += strncmp(e->d_name, "owother,", 8) == 0;
	closedir(dir);
	return n;
}

static void a_domain_whose_removal_was_killed_is_removed_the_next_time(
    void **state)
{
	struct ow_domain d;
	char why[512];
	int st, killed = 0;
	long n;

	for (n = 1; (st = in_child(remove_other, &n)) != 0; n++) {
		assert_int_equal(st, 128 + SIGKILL);
		killed++;
		setenv("NDRX_QPREFIX", "/owother", 1);
		assert_int_equal(ow_domain_read_env(&d, why, sizeof(why)), 0);
		ow_reap_domain(&d);
		if (names_of_other() != 0)
			fail_msg("killed at %s: names are left", where);
	}
	assert_true(killed >= 4);
	assert_int_equal(names_of_other(), 0);
}

/* A process of the old domain removes it after it was made anew. */
static void a_domain_made_anew_keeps_its_names(void **state)
{
	struct ow_domain old, new;

	make_other(&old);
	ow_reap_domain(&old);
	make_other(&new);
	ow_reap_domain(&old);
	assert_int_equal(names_of_other(), 1);
	assert_false(ow_domain_is_gone(&new));
	ow_reap_domain(&new);
	assert_int_equal(names_of_other(), 0);
	ow_tables_close(old.tables);
	ow_tables_close(new.tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    the_domain_is_in_order_after_a_kill_at_any_point),
		cmocka_unit_test(
		    another_reaper_completes_what_a_killed_one_began),
		cmocka_unit_test(
		    a_full_mailbox_loses_no_reply_of_a_killed_reaper),
		cmocka_unit_test(
		    a_domain_whose_removal_was_killed_is_removed_the_next_time),
		cmocka_unit_test(a_domain_made_anew_keeps_its_names),
	};

	if (fault_begin() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
