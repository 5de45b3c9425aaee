/* SPDX-License-Identifier: Apache-2.0 */
/* test_queue.c - queues: deadlines, shapes, limits, wake-ups */
#include "tests/unit/libatmi/messages.h"

#include <sys/resource.h>
#include <sys/time.h>

#define MS OW_NS_PER_MS

static char msg[256];

static uint64_t in_ms(uint64_t ms)
{
	return ow_clock_mono_ns() + ms * MS;
}

static void assert_took(uint64_t since, uint64_t min_ms, uint64_t max_ms)
{
	assert_in_range((ow_clock_mono_ns() - since) / MS, min_ms, max_ms);
}

static void fill(struct ow_queue *q)
{
	while (send_bytes(q, msg, 10, 50, OW_DEADLINE_NOW) == 0)
		;
}

static void drain(struct ow_queue *q)
{
	char buf[8192];
	size_t len;

	while (recv_bytes(q, buf, sizeof(buf), OW_DEADLINE_NOW, &len) == 0)
		;
}

static void a_received_message_equals_the_message_sent(void **state)
{
	struct ow_queue *q = dom_queue("io", 3, 256), *p = NULL;
	uint32_t depth = 9;
	char buf[256];
	size_t len = 0;

	assert_int_equal(ow_queue_open(dom, ow_service_queue("io"), &p), 0);
	assert_int_equal(p->msgsize, 256);
	assert_int_equal(send_bytes(q, "low", 4, 1, 0), 0);
	assert_int_equal(send_bytes(q, "high", 5, 100, 0), 0);
	assert_int_equal(ow_queue_peek(dom, ow_service_queue("io"), &depth), 0);
	assert_int_equal(depth, 2);
	assert_int_equal(recv_bytes(p, buf, sizeof(buf), 0, &len), 0);
	assert_int_equal(len, 5);
	assert_string_equal(buf, "high");
	assert_int_equal(recv_bytes(p, buf, sizeof(buf), 1, &len), 0);
	assert_string_equal(buf, "low");
	assert_int_equal(recv_bytes(p, buf, sizeof(buf), OW_DEADLINE_NOW,
				       &len), OW_QUEUE_EMPTY);
	ow_queue_close(p);
	ow_queue_close(q);
}

static void a_removed_queue_works_for_processes_that_have_it_open(void **state)
{
	struct ow_queue *q = dom_queue("gone", 2, 256), *p = NULL;
	char buf[256];
	size_t len;

	assert_int_equal(ow_queue_remove(dom, ow_service_queue("gone")), 0);
	assert_int_equal(ow_queue_remove(dom, ow_service_queue("gone")),
			 OW_QUEUE_GONE);
	assert_int_equal(ow_queue_open(dom, ow_service_queue("gone"), &p),
			 OW_QUEUE_GONE);
	assert_int_equal(send_bytes(q, "x", 1, 1, OW_DEADLINE_NOW), 0);
	assert_int_equal(recv_bytes(q, buf, sizeof(buf), 0, &len), 0);
	ow_queue_close(q);
}

static void deadlines_are_kept_and_NOW_returns_at_once(void **state)
{
	struct ow_queue *q = dom_queue("dead", 2, 256);
	uint64_t t0;
	char buf[256];
	size_t len = 77;

	t0 = ow_clock_mono_ns();
	assert_int_equal(recv_bytes(q, buf, 256, in_ms(60), &len),
			 OW_QUEUE_TIMEOUT);
	assert_took(t0, 60, 5000);
	fill(q);
	t0 = ow_clock_mono_ns();
	assert_int_equal(send_bytes(q, msg, 1, 1, in_ms(60)),
			 OW_QUEUE_TIMEOUT);
	assert_took(t0, 60, 5000);
	t0 = ow_clock_mono_ns();
	assert_int_equal(send_bytes(q, msg, 1, 1, OW_DEADLINE_NOW),
			 OW_QUEUE_FULL);
	/* With a deadline in the past only what succeeds at once does. */
	assert_int_equal(send_bytes(q, msg, 1, 1, 2), OW_QUEUE_TIMEOUT);
	assert_int_equal(recv_bytes(q, buf, 256, 2, &len), 0);
	assert_int_equal(send_bytes(q, msg, 1, 1, 2), 0);
	drain(q);
	assert_int_equal(recv_bytes(q, buf, 256, 2, &len),
			 OW_QUEUE_TIMEOUT);
	assert_took(t0, 0, 5000);
	assert_int_equal(len, 10);
	ow_queue_close(q);
}

static void send_later(void *arg)
{
	/* longer than a slice of a wait */
	struct timespec nap = { .tv_sec = 1, .tv_nsec = 100000000 };

	nanosleep(&nap, NULL);
	_exit(send_bytes(arg, "x", 1, 1, OW_DEADLINE_NOW));
}

static void a_wait_without_deadline_ends_with_the_message(void **state)
{
	struct ow_queue *q = dom_queue("ever", 2, 256);
	pid_t pid = test_fork();
	char buf[256];
	size_t len = 0;

	if (pid == 0)
		send_later(q);
	assert_int_equal(recv_bytes(q, buf, 256, OW_DEADLINE_NEVER, &len),
			 0);
	assert_int_equal(len, 1);
	waitpid(pid, NULL, 0);
	ow_queue_close(q);
}

/* The mailbox of a context of its own. */
static struct ow_queue *mailbox(void)
{
	uint32_t slot;

	assert_int_equal(ow_clt_take(dom->tables, &slot), 0);
	return dom_mailbox(slot);
}

static void on_alarm(int sig)
{
}

static void alarm_each(long us)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	struct itimerval it = { .it_value.tv_usec = us,
				.it_interval.tv_usec = us };

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &it, NULL);
}

static void a_signal_interrupts_every_wait(void **state)
{
	struct ow_queue *q = dom_queue("sig", 2, 256);
	struct ow_queue *e = dom_queue("sige", 2, 256), *in = mailbox();
	struct ow_waitset *w = NULL;
	char buf[256];
	uint32_t tag;
	size_t len;
	int r;

	fill(q);
	assert_int_equal(dom_waitset(OW_WAKE_EXCLUSIVE, &w), 0);
	alarm_each(20000);
	assert_int_equal(send_bytes(q, msg, 1, 1, 0), OW_QUEUE_SIGNAL);
	assert_int_equal(recv_bytes(e, buf, 256, 0, &len),
			 OW_QUEUE_SIGNAL);
	assert_int_equal(recv_bytes(in, buf, 256, 0, &len), OW_QUEUE_SIGNAL);
	/* A sleep of 2 ms, between two looks, is met now and then. */
	while ((r = ow_queue_wait_either(q, in, 0)) == 0)
		;
	assert_int_equal(r, OW_QUEUE_SIGNAL);
	assert_int_equal(ow_waitset_wait(w, true, &tag, NULL), OW_QUEUE_SIGNAL);
	alarm_each(0);
	ow_waitset_close(w);
	ow_queue_close(q);
	ow_queue_close(e);
	ow_queue_close(in);
}

static void wait_either_sees_room_and_messages(void **state)
{
	struct ow_queue *full = dom_queue("wfull", 2, 256);
	struct ow_queue *in = mailbox();
	char buf[256];
	uint64_t t0;
	size_t len;

	fill(full);
	t0 = ow_clock_mono_ns();
	assert_int_equal(ow_queue_wait_either(full, in, 2), OW_QUEUE_TIMEOUT);
	assert_int_equal(send_bytes(in, "x", 1, 1, 1), 0);
	assert_int_equal(ow_queue_wait_either(full, in, 0), 0);
	drain(in);
	assert_int_equal(recv_bytes(full, buf, 256, 1, &len), 0);
	assert_int_equal(ow_queue_wait_either(full, in, 0), 0);
	assert_took(t0, 0, 5000);
	fill(full);
	t0 = ow_clock_mono_ns();
	while (ow_queue_wait_either(full, in, t0 + 50 * MS) == 0)
		;
	assert_took(t0, 50, 5000);
	ow_queue_close(full);
	ow_queue_close(in);
}

/* ---- shapes and limits ---- */

static void make_until_refused(void *arg)
{
	struct rlimit rl = { 30000, 30000 };
	struct ow_queue_shape s;
	struct ow_queue *q;
	char name[16];
	uint32_t last = UINT32_MAX, shrunk = 0;
	int i, r = 0;

	if (setuid(54321 + (uid_t)(getpid() % 1000)) != 0)
		_exit(77); /* the limit counts all queues of a user */
	setrlimit(RLIMIT_MSGQUEUE, &rl);
	for (i = 0; i < 100; i++) {
		s = (struct ow_queue_shape){ 10, 1024 };
		snprintf(name, sizeof(name), "lim%d", i);
		r = ow_queue_create(dom, ow_service_queue(name), &s, &q);
		if (r != 0)
			break;
		if (s.maxmsg * s.msgsize > last)
			_exit(2);
		shrunk += s.maxmsg * s.msgsize < last && i > 0;
		last = s.maxmsg * s.msgsize;
	}
	while (i-- > 0) {
		snprintf(name, sizeof(name), "lim%d", i);
		ow_queue_remove(dom, ow_service_queue(name));
	}
	_exit(r != OW_QUEUE_LIMIT ? 3 : shrunk < 2 ? 4 : 0);
}

static void shapes_shrink_before_the_limit_refuses(void **state)
{
	uint64_t before = dom->tables->head->mq_bytes;
	int r;

	if (geteuid() != 0)
		skip();
	r = in_child(make_until_refused, NULL);
	assert_int_equal(r, 0);
	assert_int_equal(dom->tables->head->mq_bytes, before);
}

static void queues_get_small_shapes_near_the_limit(void **state)
{
	struct ow_queue_shape s = { 10, 1024 };
	uint64_t old = dom->tables->head->mq_bytes;
	struct ow_queue *q = NULL;

	dom->mq_limit = 1000000;
	dom->tables->head->mq_bytes = 900000;
	assert_int_equal(ow_queue_create(dom, ow_service_queue("modest"), &s,
					 &q), 0);
	dom->tables->head->mq_bytes = old;
	ow_queue_remove(dom, ow_service_queue("modest"));
	ow_queue_close(q);
	assert_int_equal(s.maxmsg, 4);
	assert_int_equal(s.msgsize, 256);
}

static void bytes_counted_never_fall_below_zero(void **state)
{
	struct ow_queue *q = dom_queue("older", 2, 256);

	dom->tables->head->mq_bytes = 10; /* tables created after it */
	assert_int_equal(ow_queue_remove(dom, ow_service_queue("older")), 0);
	assert_int_equal(dom->tables->head->mq_bytes, 0);
	ow_queue_close(q);
}

static void a_name_that_is_too_long_is_refused(void **state)
{
	struct ow_queue_shape s = { 2, 256 };
	struct ow_queue *q = NULL;
	char name[400];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(ow_queue_create(dom, ow_service_queue(name), &s, &q),
			 -ENAMETOOLONG);
	assert_int_equal(ow_queue_open(dom, ow_service_queue(name), &q),
			 -ENAMETOOLONG);
	assert_int_equal(ow_queue_remove(dom, ow_service_queue(name)),
			 -ENAMETOOLONG);
	assert_null(q);
}

/* ---- wake-ups ---- */

#define WAITERS 5

/* Wait as a server does, receive, write '1', or '0' for no message. */
static void wait_once(struct ow_queue *q, int out)
{
	struct ow_waitset *w = NULL;
	uint32_t tag = 0;
	char buf[256], c = 'r';
	size_t len;
	int r;

	if (dom_waitset(OW_WAKE_EXCLUSIVE, &w) != 0 ||
	    ow_waitset_add_queue(w, q, 42) != 0 || write(out, &c, 1) != 1)
		_exit(1);
	r = ow_waitset_wait(w, true, &tag, NULL);
	if (r != 0 || tag != 42)
		_exit(2);
	r = recv_bytes(q, buf, sizeof(buf), OW_DEADLINE_NOW, &len);
	c = r == 0 ? '1' : '0';
	_exit(write(out, &c, 1) == 1 ? 0 : 3);
}

static bool sleeps(pid_t pid)
{
	char path[40], text[512] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/wchan", (int)pid);
	f = fopen(path, "r");
	if (f == NULL || fgets(text, sizeof(text), f) == NULL)
		text[0] = '\0';
	if (f != NULL)
		fclose(f);
	if (strstr(text, "poll") != NULL)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (f == NULL || fgets(text, sizeof(text), f) == NULL)
		text[0] = '\0';
	if (f != NULL)
		fclose(f);
	return strstr(text, ") S") != NULL;
}

static int number_asleep(const pid_t *pid)
{
	int i, n = 0;

	for (i = 0; i < WAITERS; i++)
		n += kill(pid[i], 0) == 0 && sleeps(pid[i]);
	return n;
}

/* A server that comes back from its wait for nothing ends. The kernel may wake
 * one that finds nothing and sleeps again at once (each receive does, see
 * kernel/README.md); on a busy machine that takes a while. */
static void one_message_wakes_one_of_many_servers(void **state)
{
	struct ow_queue *q = dom_queue("wake", 5, 256);
	struct timespec nap = { .tv_nsec = 30000000 };
	int out[2], i, st;
	pid_t pid[WAITERS];
	char c;

	assert_int_equal(pipe(out), 0);
	for (i = 0; i < WAITERS; i++) {
		pid[i] = test_fork();
		if (pid[i] == 0)
			wait_once(q, out[1]);
	}
	for (i = 0; i < WAITERS; i++)
		assert_int_equal(read(out[0], &c, 1), 1);
	for (i = 0; i < WAITERS; i++)
		WAIT_FOR(sleeps(pid[i]));
	for (i = 0; i < WAITERS; i++) {
		assert_int_equal(send_bytes(q, "x", 1, 1, 1), 0);
		assert_int_equal(read(out[0], &c, 1), 1);
		assert_int_equal(c, '1');
		nanosleep(&nap, NULL); /* no other server wakes up */
		WAIT_FOR(number_asleep(pid) == WAITERS - 1 - i);
	}
	while (wait(&st) > 0)
		assert_int_equal(st, 0);
	close(out[0]);
	close(out[1]);
	ow_queue_close(q);
}

static void a_removed_member_is_not_reported(void **state)
{
	struct ow_queue *q = dom_queue("left", 2, 256);
	struct ow_waitset *w = NULL;
	uint32_t tag = 0;
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	assert_int_equal(dom_waitset(OW_WAKE_HERD, &w), 0);
	assert_int_equal(ow_waitset_add_queue(w, q, 1), 0);
	assert_int_equal(ow_waitset_add_queue(w, q, 1), -EEXIST);
	assert_int_equal(ow_waitset_add_fd(w, fd[0], 0, 2, OW_FD_WATCHED), 0);
	assert_int_equal(ow_waitset_wait(w, false, &tag, NULL),
			 OW_QUEUE_TIMEOUT);
	assert_int_equal(send_bytes(q, "x", 1, 1, 1), 0);
	assert_int_equal(ow_waitset_wait(w, false, &tag, NULL), 0);
	assert_int_equal(tag, 1);
	assert_int_equal(ow_waitset_del_queue(w, q), 0);
	assert_int_equal(ow_waitset_wait(w, false, &tag, NULL),
			 OW_QUEUE_TIMEOUT);
	assert_int_equal(write(fd[1], "x", 1), 1);
	assert_int_equal(ow_waitset_wait(w, false, &tag, NULL), 0);
	assert_int_equal(tag, 2);
	assert_int_equal(ow_waitset_del_fd(w, fd[0], OW_FD_WATCHED), 0);
	assert_int_equal(ow_waitset_del_fd(w, fd[0], OW_FD_WATCHED), -ENOENT);
	ow_waitset_close(w);
	close(fd[0]);
	close(fd[1]);
	ow_queue_close(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_received_message_equals_the_message_sent),
		cmocka_unit_test(
		    a_removed_queue_works_for_processes_that_have_it_open),
		cmocka_unit_test(deadlines_are_kept_and_NOW_returns_at_once),
		cmocka_unit_test(a_wait_without_deadline_ends_with_the_message),
		cmocka_unit_test(a_signal_interrupts_every_wait),
		cmocka_unit_test(wait_either_sees_room_and_messages),
		cmocka_unit_test(shapes_shrink_before_the_limit_refuses),
		cmocka_unit_test(queues_get_small_shapes_near_the_limit),
		cmocka_unit_test(bytes_counted_never_fall_below_zero),
		cmocka_unit_test(a_name_that_is_too_long_is_refused),
		cmocka_unit_test(one_message_wakes_one_of_many_servers),
		cmocka_unit_test(a_removed_member_is_not_reported),
	};

	dom_make();
	dom->wake = OW_WAKE_EXCLUSIVE; /* no FIFO: waits on the queues */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
