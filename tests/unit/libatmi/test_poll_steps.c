/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_poll_steps.c - no message to a polled mailbox stays unnoticed, whatever
 * its owner does between two steps of a sender, and whichever the sender is
 * killed at
 *
 * The sources are compiled with fault points. At one of them, by its name, the
 * other side acts: so each order of the steps of mailbox.h is tried, without
 * luck.
 */
#include "tests/unit/libatmi/messages.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "libatmi/base/fault.h"
#include "libatmi/transport/mail/mailbox.h"
#include "libatmi/transport/mail/socket.h"

static uint32_t slot;
static struct ow_queue *box;
static int fd;
static const char *at; /* the point where `act` is called, once */
static void (*act)(void);
static pid_t owner;

void ow_fault_hit(const char *name)
{
	void (*now)(void) = act;

	if (at == NULL || strcmp(name, at) != 0)
		return;
	at = NULL;
	now();
}

static int put(uint64_t seq)
{
	struct ow_msg m = { .magic = OW_MSG_MAGIC,
			    .version = OW_MSG_VERSION,
			    .kind = OW_MSG_REPLY,
			    .buftype = OW_BUF_NULL,
			    .clt_slot = slot,
			    .clt_gen = dom->tables->clt[slot].gen,
			    .cd = 1,
			    .seq = seq };

	return send_msg(box, &m, 0, OW_DEADLINE_NOW);
}

static int take_all(void)
{
	struct ow_msg m;
	int n = 0;

	while (recv_msg(box, &m, OW_DEADLINE_NOW) == 0)
		n++;
	return n;
}

/* The program looks: takes all, and waits by descriptor again. */
static void look(void)
{
	take_all();
	ow_mail_socket_drain(fd);
	ow_mail_arm(dom, slot);
}

static void wait_a_moment(void)
{
	ow_mail_wait(dom, slot, ow_clock_mono_ns() + OW_NS_PER_MS);
}

static void wait_and_take(void)
{
	wait_a_moment();
	take_all();
}

static void put_another(void)
{
	assert_int_equal(put(2), 0);
}

static void die(void)
{
	raise(SIGKILL);
}

static int set_up(void **state)
{
	assert_int_equal(ow_clt_take(dom->tables, &slot), 0);
	box = dom_mailbox(slot);
	fd = ow_mail_socket_open(dom, slot);
	assert_in_range(fd, 0, 1000);
	look();
	assert_false(ow_mail_socket_holds(fd));
	return 0;
}

static int tear_down(void **state)
{
	at = NULL;
	ow_clt_close(dom->tables, slot, dom->tables->clt[slot].gen);
	ow_reap_discard(dom, box);
	ow_mail_socket_remove(dom, slot);
	close(fd);
	ow_clt_free(dom->tables, slot);
	box = ow_queue_close(box);
	return 0;
}

/* What must hold whenever the program is about to wait. */
static void check_noticed(const char *when)
{
	if (ow_mail_has_reply(dom, slot) && !ow_mail_socket_holds(fd))
		fail_msg("%s: a message, and the socket is empty", when);
	/* And so for the next one, before and after a look. */
	assert_int_equal(put(9), 0);
	if (!ow_mail_socket_holds(fd))
		fail_msg("%s: the next message is not noticed", when);
	look();
	assert_false(ow_mail_socket_holds(fd));
	assert_int_equal(put(9), 0);
	assert_true(ow_mail_socket_holds(fd));
	look();
	assert_false(ow_mail_socket_holds(fd));
	assert_int_equal(take_all(), 0);
}

static void a_burst_is_one_byte(void **state)
{
	char byte[8];
	int i;

	for (i = 0; i < DOM_MAILBOX; i++)
		assert_int_equal(put(1), 0);
	assert_int_equal(recv(fd, byte, sizeof(byte), MSG_DONTWAIT), 1);
	assert_int_equal(recv(fd, byte, sizeof(byte), MSG_DONTWAIT), -1);
	assert_int_equal(take_all(), DOM_MAILBOX);
}

static void the_owner_acts_between_any_two_steps_of_a_sender(void **state)
{
	static const char *const steps[] = { "mail.put", "mail.wake",
					     "mail.rouse", "mail.swapped" };
	static void (*const acts[])(void) = { look, wait_a_moment,
					      wait_and_take, put_another };
	char when[64];
	size_t i, k;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		for (k = 0; k < sizeof(acts) / sizeof(acts[0]); k++) {
			look();
			at = steps[i];
			act = acts[k];
			assert_int_equal(put(1), 0);
			assert_null(at); /* it acted */
			snprintf(when, sizeof(when), "%s, act %zu", steps[i],
				 k);
			check_noticed(when);
		}
}

static void a_message_comes_while_the_owner_arms(void **state)
{
	at = "mail.armed";
	act = put_another;
	look();
	assert_null(at);
	check_noticed("armed");
}

static void a_message_comes_at_the_end_of_a_wait(void **state)
{
	at = "mail.armed";
	act = put_another;
	wait_a_moment();
	assert_null(at);
	check_noticed("waited");
}

/* A sender has read ASLEEP. Until it writes, the owner wakes, finds the
 * message, and waits by descriptor. A sender that stored AWAKE would take that
 * mark away. */
static void owner_wakes_and_polls(void)
{
	assert_int_equal(waitpid(owner, NULL, 0), owner);
	look();
}

static void a_late_sender_leaves_the_mark_or_a_byte(void **state)
{
	/* The child stands for the owner: it sleeps in the mailbox. */
	owner = test_fork();
	if (owner == 0) {
		ow_mail_wait(dom, slot, ow_clock_mono_ns() +
					    200 * OW_NS_PER_MS);
		_exit(0);
	}
	usleep(50000);
	at = "mail.rouse";
	act = owner_wakes_and_polls;
	assert_int_equal(put(1), 0);
	assert_null(at);
	check_noticed("late");
}

/* The sender is killed at a step: then the message is noticed with the next one
 * or, if its byte is lost, when the program looks. */
static void a_sender_is_killed_at_any_step(void **state)
{
	static const char *const steps[] = { "send.mailed", "mail.put",
					     "mail.wake", "mail.rouse",
					     "mail.swapped", "mail.sent" };
	bool lost, written;
	pid_t pid;
	size_t i;
	int st;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		look();
		lost = strcmp(steps[i], "mail.swapped") == 0;
		written = strcmp(steps[i], "mail.sent") == 0;
		at = steps[i];
		act = die;
		pid = test_fork();
		if (pid == 0)
			_exit(put(1) != 0);
		waitpid(pid, &st, 0);
		at = NULL;
		assert_true(WIFSIGNALED(st));
		assert_int_equal(ow_mail_socket_holds(fd), written);
		assert_int_equal(put(2), 0);
		assert_int_equal(ow_mail_socket_holds(fd), !lost);
		ow_reap_blocks(dom); /* what it had not put is put */
		assert_int_equal(take_all(), 2);
		look();
		check_noticed(steps[i]);
	}
}

static void a_reaped_slot_has_no_name(void **state)
{
	char path[200], name[32];
	uint32_t theirs;
	pid_t pid;
	int pipes[2], st;

	assert_int_equal(pipe(pipes), 0);
	pid = test_fork();
	if (pid == 0) {
		if (ow_clt_take(dom->tables, &theirs) != 0 ||
		    ow_mail_open(dom, theirs) != 0 ||
		    ow_mail_socket_open(dom, theirs) < 0 ||
		    write(pipes[1], &theirs, sizeof(theirs)) < 0)
			_exit(1);
		raise(SIGKILL);
	}
	waitpid(pid, &st, 0);
	assert_int_equal(read(pipes[0], &theirs, sizeof(theirs)),
			 sizeof(theirs));
	snprintf(name, sizeof(name), "poll,%u", theirs);
	ow_domain_shm_path(dom, name, path, sizeof(path));
	assert_int_equal(access(path, F_OK), 0);
	ow_reap_clients(dom);
	assert_int_equal(access(path, F_OK), -1);
	close(pipes[0]);
	close(pipes[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_burst_is_one_byte, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
		    the_owner_acts_between_any_two_steps_of_a_sender, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    a_message_comes_while_the_owner_arms, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    a_message_comes_at_the_end_of_a_wait, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    a_late_sender_leaves_the_mark_or_a_byte, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_sender_is_killed_at_any_step,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_reaped_slot_has_no_name,
						set_up, tear_down),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
