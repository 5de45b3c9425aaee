/* SPDX-License-Identifier: Apache-2.0 */
/* test_announce.c - a server that looks gets messages without a byte */
#include "tests/unit/libatmi/messages.h"

#include "libatmi/transport/posix/announce.h"
#include "libatmi/transport/posix/fifo.h"
#include "libatmi/transport/posix/posix.h"

#define SRVID 5

/* The queue of a service that has a name in the tables. */
static struct ow_queue *make_queue(const char *service, struct ow_svc **ret)
{
	int svc;

	assert_int_equal(ow_tables_lock(dom->tables), 0);
	svc = ow_svc_name(dom->tables, service);
	ow_tables_unlock(dom->tables);
	assert_true(svc >= 0);
	*ret = &dom->tables->svc[svc];
	return dom_queue(service, 4, 256);
}

static uint64_t announce_for(struct ow_svc *s, uint64_t ns)
{
	uint64_t now = ow_clock_mono_ns(), word;

	word = ow_announcement(SRVID, now + ns);
	assert_true(ow_announce(s, word, now));
	return word;
}

static bool has_byte(struct ow_queue *q)
{
	return ow_fifo_take(posix_of(q)->fifo) == 0;
}

static void a_server_that_looks_is_told_without_a_byte(void **state)
{
	struct ow_svc *s;
	struct ow_queue *q = make_queue("TOLD", &s);
	uint64_t word = announce_for(s, OW_NS_PER_SEC);

	assert_false(ow_announce_is_taken(s, word));
	assert_int_equal(send_bytes(q, "m", 1, 5, OW_DEADLINE_NOW), 0);
	assert_true(ow_announce_is_taken(s, word));
	assert_false(has_byte(q));
	assert_false(ow_announce_withdraw(s, word));
	ow_queue_close(q);
}

static void the_second_message_has_a_byte(void **state)
{
	struct ow_svc *s;
	struct ow_queue *q = make_queue("SECOND", &s);

	announce_for(s, OW_NS_PER_SEC);
	assert_int_equal(send_bytes(q, "m", 1, 5, OW_DEADLINE_NOW), 0);
	assert_int_equal(send_bytes(q, "m", 1, 5, OW_DEADLINE_NOW), 0);
	assert_true(has_byte(q));
	assert_false(has_byte(q));
	ow_queue_close(q);
}

static void after_the_look_messages_have_bytes(void **state)
{
	struct ow_svc *s;
	struct ow_queue *q = make_queue("WITHDRAWN", &s);
	uint64_t word = announce_for(s, OW_NS_PER_SEC);

	assert_true(ow_announce_withdraw(s, word));
	assert_int_equal(send_bytes(q, "m", 1, 5, OW_DEADLINE_NOW), 0);
	assert_true(has_byte(q));
	ow_queue_close(q);
}

static void the_announcement_of_a_dead_server_is_void_after_its_time(
    void **state)
{
	struct ow_svc *s;
	struct ow_queue *q = make_queue("DEAD", &s);
	uint64_t now = ow_clock_mono_ns();

	atomic_store(&s->looker, ow_announcement(SRVID, now - OW_NS_PER_MS));
	assert_int_equal(send_bytes(q, "m", 1, 5, OW_DEADLINE_NOW), 0);
	assert_true(has_byte(q));
	announce_for(s, OW_NS_PER_SEC); /* another server may look now */
	ow_queue_close(q);
}

static void one_server_looks_for_a_service(void **state)
{
	struct ow_svc *s;
	struct ow_queue *q = make_queue("ONE", &s);
	uint64_t now = ow_clock_mono_ns();

	announce_for(s, OW_NS_PER_SEC);
	assert_false(ow_announce(s, ow_announcement(SRVID + 1, now + 1000000),
				 now));
	ow_queue_close(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_server_that_looks_is_told_without_a_byte),
		cmocka_unit_test(the_second_message_has_a_byte),
		cmocka_unit_test(after_the_look_messages_have_bytes),
		cmocka_unit_test(
		    the_announcement_of_a_dead_server_is_void_after_its_time),
		cmocka_unit_test(one_server_looks_for_a_service),
	};

	setenv("NDRX_TRANSPORT", "posix", 1);
	setenv("NDRX_WAKE", "bell", 1);
	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
