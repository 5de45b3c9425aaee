/* SPDX-License-Identifier: Apache-2.0 */
/* test_doze.c - servers that doze are woken without a byte, and what deaths
 * leave */
#include "tests/unit/libatmi/transport/posix/posix_queue.h"

#include <signal.h>
#include <sys/eventfd.h>

#include "libatmi/base/fault.h"
#include "libatmi/transport/posix/announce.h"
#include "libatmi/transport/posix/bell.h"
#include "libatmi/transport/posix/doze.h"
#include "libatmi/transport/posix/fifo.h"

#define SRVID 5

static const char *dies_at = "", *posts_at = "";
static struct ow_queue *posts_to[2];
static struct ow_waitset *kicked;
static uint32_t alerted;
static const char *other_at = ""; /* another server dozes, in this service */
static struct ow_svc *other_in;

void ow_fault_hit(const char *name)
{
	struct ow_queue *to[2] = { posts_to[0], posts_to[1] };
	struct ow_waitset *w = kicked;
	uint64_t now;

	if (strcmp(name, dies_at) == 0)
		raise(SIGKILL);
	if (strcmp(name, other_at) == 0) {
		other_at = "";
		now = ow_clock_mono_ns();
		ow_doze_enter(other_in, ow_announcement(
			      SRVID + 1, now + OW_NS_PER_SEC), now);
	}
	if (strcmp(name, posts_at) != 0)
		return;
	posts_to[0] = posts_to[1] = NULL;
	kicked = NULL;
	if (to[0] != NULL)
		post(to[0], 1);
	if (to[1] != NULL)
		post(to[1], 1);
	if (w != NULL)
		ow_waitset_kick(w);
	if (alerted != 0)
		ow_server_alert(dom, alerted);
}

/* A wait set of a server with these queues. Their bytes are gone. */
static struct ow_waitset *wait_set(struct ow_queue *a, struct ow_queue *b)
{
	struct ow_waitset *w = NULL;

	assert_int_equal(ow_waitset_open(dom, SRVID, &w), 0);
	assert_int_equal(ow_waitset_add_queue(w, a, 1), 0);
	if (b != NULL)
		assert_int_equal(ow_waitset_add_queue(w, b, 2), 0);
	return w;
}

static int wait_for(struct ow_waitset *w, uint32_t *ret_tag)
{
	uint32_t events = 0;

	*ret_tag = 0;
	return ow_waitset_wait(w, true, ret_tag, &events);
}

static uint64_t places_of(const struct ow_queue *q)
{
	const struct ow_svc *s = posix_of((struct ow_queue *)q)->svc;
	uint64_t n = 0;
	int i;

	for (i = 0; i < OW_DOZERS; i++)
		n += atomic_load(&s->dozing[i]) != 0;
	return n;
}

/* The server waits, and gets the one message of this queue; no byte and no place
 * is left. */
static void assert_woken_once(struct ow_waitset *w, struct ow_queue *q)
{
	uint32_t tag;

	assert_int_equal(wait_for(w, &tag), 0);
	assert_int_equal(tag, 1);
	assert_int_equal(bytes_in(q), 0);
	assert_int_equal(places_of(q), 0);
	assert_int_equal(recv_msg(q, NULL, OW_DEADLINE_NOW), 0);
}

/* The server has its place, and looks for a byte. */
static void a_server_that_dozes_is_woken_without_a_byte(void **state)
{
	struct ow_queue *q = make_queue("DOZES");
	struct ow_waitset *w = wait_set(q, NULL);

	posts_at = "posix.dozes";
	posts_to[0] = q;
	assert_woken_once(w, q);
	ow_waitset_close(w);
	ow_queue_close(q);
}

static void a_byte_that_came_before_is_found(void **state)
{
	struct ow_queue *q = make_queue("BEFORE");
	struct ow_waitset *w = wait_set(q, NULL);

	post(q, 1);
	assert_int_equal(bytes_in(q), 1);
	assert_woken_once(w, q);
	ow_waitset_close(w);
	ow_queue_close(q);
}

/* Of two services at once one is served, and a server woken for the other. */
static void who_is_woken_for_two_services_wakes_another(void **state)
{
	struct ow_queue *a = make_queue("TWO_A"), *b = make_queue("TWO_B");
	struct ow_waitset *w = wait_set(a, b);
	uint32_t tag;

	posts_at = "posix.doze_sleeps";
	posts_to[0] = a;
	posts_to[1] = b;
	assert_int_equal(wait_for(w, &tag), 0);
	assert_int_equal(tag, 2);
	assert_int_equal(bytes_in(a), 1);
	assert_int_equal(bytes_in(b), 0);
	assert_int_equal(recv_msg(b, NULL, OW_DEADLINE_NOW), 0);
	assert_int_equal(wait_for(w, &tag), 0);
	assert_int_equal(tag, 1);
	assert_int_equal(recv_msg(a, NULL, OW_DEADLINE_NOW), 0);
	ow_waitset_close(w);
	ow_queue_close(a);
	ow_queue_close(b);
}

static void nobody_is_taken_twice(void **state)
{
	struct ow_queue *q = make_queue("TWICE");
	uint64_t now = ow_clock_mono_ns();
	uint64_t word = ow_announcement(SRVID, now + OW_NS_PER_SEC);

	assert_true(ow_doze_enter(posix_of(q)->svc, word, now));
	assert_true(ow_doze_take(posix_of(q)));
	assert_false(ow_doze_take(posix_of(q)));
	assert_false(ow_doze_leave(posix_of(q)->svc, word));
	ow_queue_close(q);
}

static void places_of_the_dead_are_free_after_their_time(void **state)
{
	struct ow_queue *q = make_queue("VOID");
	uint64_t now = ow_clock_mono_ns();
	uint64_t old = ow_announcement(SRVID, now - OW_NS_PER_MS);
	uint64_t word = ow_announcement(SRVID + 1, now + OW_NS_PER_SEC);
	int i;

	for (i = 0; i < OW_DOZERS; i++)
		atomic_store(&posix_of(q)->svc->dozing[i], old);
	assert_false(ow_doze_take(posix_of(q)));
	assert_true(ow_doze_enter(posix_of(q)->svc, word, now));
	assert_true(ow_doze_leave(posix_of(q)->svc, word));
	for (i = 0; i < OW_DOZERS; i++)
		assert_true(ow_doze_enter(posix_of(q)->svc, word + (uint64_t)i,
					  now));
	assert_false(ow_doze_enter(posix_of(q)->svc, word + 100, now));
	ow_queue_close(q);
}

/* An order of ndrxd, and one of another thread, end a doze at once. */
static void descriptors_are_looked_at_when_somebody_says_so(void **state)
{
	struct ow_queue *q = make_queue("ALERT");
	struct ow_waitset *w = wait_set(q, NULL);
	uint64_t begin = ow_clock_mono_ns();
	uint32_t tag;

	dom->waking.doze_ns = 10 * OW_NS_PER_SEC;
	posts_at = "posix.doze_sleeps";
	kicked = w;
	assert_int_equal(wait_for(w, &tag), 0);
	assert_int_equal(tag, OW_WAITSET_KICK);
	atomic_store(&dom->tables->srv[SRVID].wake_word, OW_DOZE_ASLEEP);
	alerted = SRVID;
	ow_doze_sleep(&dom->tables->srv[SRVID], begin + 10 * OW_NS_PER_SEC);
	alerted = 0;
	posts_at = "";
	assert_true(ow_clock_mono_ns() - begin < 5 * OW_NS_PER_SEC);
	dom->waking.doze_ns = 4 * OW_NS_PER_MS;
	ow_waitset_close(w);
	ow_queue_close(q);
}

static void doze_and_die(void *arg)
{
	struct ow_waitset *w = wait_set(arg, NULL);
	uint32_t tag;

	wait_for(w, &tag);
}

static void post_one(void *arg)
{
	post(arg, 1);
}

/* A server is killed in its place: a sender that takes it wakes nobody, and
 * after pending_ns the next one wakes another server. */
static void a_server_that_dies_in_its_place_holds_up_one_message(void **state)
{
	struct ow_queue *q = make_queue("DIES");
	uint64_t before = dom->waking.pending_ns;

	dom->waking.doze_ns = 10 * OW_NS_PER_SEC;
	dies_at = "posix.dozes";
	assert_int_equal(in_child(doze_and_die, q), 128 + SIGKILL);
	dies_at = "";
	assert_int_equal(places_of(q), 1);
	post(q, 1);
	assert_int_equal(places_of(q), 0);
	assert_int_equal(bytes_in(q), 0);
	dom->waking.pending_ns = 0;
	post(q, 1);
	dom->waking.pending_ns = before;
	assert_int_equal(bytes_in(q), 1);
	dom->waking.doze_ns = 4 * OW_NS_PER_MS;
	ow_queue_close(q);
}

/* A server is killed when a sender has taken it out: the same. */
static void a_server_that_dies_when_it_is_woken_holds_up_one_message(
    void **state)
{
	struct ow_queue *q = make_queue("WOKEN");
	uint64_t before = dom->waking.pending_ns;

	dies_at = "posix.dozed";
	posts_at = "posix.dozes";
	posts_to[0] = q;
	assert_int_equal(in_child(doze_and_die, q), 128 + SIGKILL);
	dies_at = posts_at = "";
	posts_to[0] = NULL;
	assert_int_equal(places_of(q), 0);
	assert_int_equal(bytes_in(q), 0);
	dom->waking.pending_ns = 0;
	post(q, 1);
	dom->waking.pending_ns = before;
	assert_int_equal(bytes_in(q), 1);
	assert_int_equal(recv_msg(q, NULL, OW_DEADLINE_NOW), 0);
	assert_int_equal(recv_msg(q, NULL, OW_DEADLINE_NOW), 0);
	ow_queue_close(q);
}

/* A sender is killed between its byte and its second look. */
static void a_sender_that_dies_behind_its_byte_leaves_the_byte(void **state)
{
	struct ow_queue *q = make_queue("BEHIND");
	struct ow_waitset *w = wait_set(q, NULL);

	dies_at = "posix.doze_again";
	assert_int_equal(in_child(post_one, q), 128 + SIGKILL);
	dies_at = "";
	assert_int_equal(bytes_in(q), 1);
	assert_woken_once(w, q);
	ow_waitset_close(w);
	ow_queue_close(q);
}

/* The kernel wakes a server later than at its time, and another one dozes
 * meanwhile: nobody was woken by a sender. */
static void who_wakes_late_does_not_take_another_one_for_a_sender(void **state)
{
	struct ow_queue *q = make_queue("LATE");
	struct ow_waitset *w = wait_set(q, NULL);
	uint32_t tag;

	other_at = "posix.dozed";
	other_in = posix_of(q)->svc;
	kicked = w;
	posts_at = "posix.dozed";
	assert_int_equal(wait_for(w, &tag), 0);
	assert_int_equal(tag, OW_WAITSET_KICK);
	posts_at = "";
	assert_int_equal(places_of(q), 1);
	ow_waitset_close(w);
	ow_queue_close(q);
}

/* A sender is killed between the place and the wake-up: the server finds that
 * when its doze ends. */
static void a_sender_that_dies_after_taking_is_found_by_the_server(
    void **state)
{
	struct ow_queue *q = make_queue("SENDER");
	uint64_t now = ow_clock_mono_ns();
	uint64_t word = ow_announcement(SRVID, now + 10 * OW_NS_PER_SEC);
	struct ow_srv *srv = &dom->tables->srv[SRVID];

	assert_true(ow_doze_enter(posix_of(q)->svc, word, now));
	atomic_store(&srv->wake_word, OW_DOZE_ASLEEP);
	dies_at = "posix.doze_taken";
	assert_int_equal(in_child(post_one, q), 128 + SIGKILL);
	dies_at = "";
	assert_int_equal(ow_doze_sleep(srv, now + 30 * OW_NS_PER_MS),
			 -ETIMEDOUT);
	assert_false(ow_doze_leave(posix_of(q)->svc, word));
	assert_int_equal(recv_msg(q, NULL, OW_DEADLINE_NOW), 0);
	atomic_store(&srv->wake_word, OW_DOZE_AWAKE);
	ow_queue_close(q);
}

static void dozes_in_vain_become_rare(void **state)
{
	struct ow_dozer z = { 0 };
	int i, n = 0;

	assert_true(ow_doze_pays(&z));
	ow_doze_learn(&z, false);
	assert_false(ow_doze_pays(&z));
	for (i = 0; i < 6400; i++)
		if (ow_doze_pays(&z)) {
			ow_doze_learn(&z, false);
			n++;
		}
	assert_in_range(n, 90, 120);
	while (!ow_doze_pays(&z))
		;
	ow_doze_learn(&z, true);
	assert_true(ow_doze_pays(&z));
}

/* A byte passes few that work there. */
static void who_has_a_service_of_few_servers_does_not_doze(void **state)
{
	struct ow_queue *q = make_queue("FEW");
	struct ow_waitset *w = wait_set(q, NULL);
	struct ow_svc *svc = posix_of(q)->svc;
	uint32_t before = atomic_load(&svc->nsrv);

	dom->waking.doze_servers = 16;
	atomic_store(&svc->nsrv, 15);
	post(q, 1);
	dies_at = "posix.dozes";
	assert_woken_once(w, q);
	dies_at = "";
	atomic_store(&svc->nsrv, 16);
	posts_at = "posix.dozes";
	posts_to[0] = q;
	assert_woken_once(w, q);
	posts_at = "";
	atomic_store(&svc->nsrv, before);
	dom->waking.doze_servers = 0;
	ow_waitset_close(w);
	ow_queue_close(q);
}

/* Nobody says when a descriptor of the program is ready: the kernel does. */
static void who_polls_a_descriptor_dozes_again_without_it(void **state)
{
	struct ow_queue *q = make_queue("POLLS");
	struct ow_waitset *w = wait_set(q, NULL);
	int fd = eventfd(0, EFD_NONBLOCK), closed = dup(fd);
	uint32_t tag;

	close(closed);
	assert_int_equal(ow_waitset_add_fd(w, fd, 0, 7, OW_FD_WATCHED), 0);
	assert_true(ow_waitset_add_fd(w, closed, 0, 8, OW_FD_WATCHED) < 0);
	posts_at = "posix.dozes"; /* it would be posted in a doze */
	posts_to[0] = q;
	assert_int_equal(write(fd, &(uint64_t){ 1 }, 8), 8);
	assert_int_equal(wait_for(w, &tag), 0);
	assert_int_equal(tag, 7);
	assert_int_equal(ow_waitset_del_fd(w, fd, OW_FD_WATCHED), 0);
	assert_woken_once(w, q);
	close(fd);
	ow_waitset_close(w);
	ow_queue_close(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_server_that_dozes_is_woken_without_a_byte),
		cmocka_unit_test(a_byte_that_came_before_is_found),
		cmocka_unit_test(who_is_woken_for_two_services_wakes_another),
		cmocka_unit_test(nobody_is_taken_twice),
		cmocka_unit_test(places_of_the_dead_are_free_after_their_time),
		cmocka_unit_test(
		    descriptors_are_looked_at_when_somebody_says_so),
		cmocka_unit_test(
		    a_server_that_dies_in_its_place_holds_up_one_message),
		cmocka_unit_test(
		    a_sender_that_dies_after_taking_is_found_by_the_server),
		cmocka_unit_test(
		    a_server_that_dies_when_it_is_woken_holds_up_one_message),
		cmocka_unit_test(
		    a_sender_that_dies_behind_its_byte_leaves_the_byte),
		cmocka_unit_test(
		    who_wakes_late_does_not_take_another_one_for_a_sender),
		cmocka_unit_test(dozes_in_vain_become_rare),
		cmocka_unit_test(
		    who_has_a_service_of_few_servers_does_not_doze),
		cmocka_unit_test(
		    who_polls_a_descriptor_dozes_again_without_it),
	};

	setenv("NDRX_TRANSPORT", "posix", 1);
	setenv("NDRX_WAKE", "bell", 1);
	dom_make();
	dom->waking.doze_servers = 0; /* the queues here have none */
	atomic_store(&dom->tables->head->srv_high, SRVID + 2);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
