/* SPDX-License-Identifier: Apache-2.0 */
/* test_log_changes.c - the debug log of a running process changes its files */
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

#include "libatmi/base/clock.h"
#include "libatmi/log/order.h"
#include "tests/unit/libatmi/log/log_fixture.h"

static void reopen_continues_in_a_new_file_after_rotation(void **state)
{
	const char *old = scratch_path("old.log");

	log_error("one");
	assert_int_equal(rename(log_path, old), 0);
	log_error("two");
	assert_int_equal(tplogreopen(), 0);
	log_error("three");
	assert_int_equal(lines_in(old, "one$|two$"), 2);
	assert_int_equal(lines_like("three$"), 1);
	assert_int_equal(lines_like("."), 1);
}

static void write_many(void)
{
	for (int i = 0; i < 500; i++)
		log_info("line %03d end", i);
}

static void *thread_writer(void *arg)
{
	write_many();
	return NULL;
}

static void levels_and_files_change_while_threads_log(void **state)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, thread_writer, NULL);
	for (int i = 0; i < 50; i++) {
		tplogconfig(ALL, i % 2 == 0 ? 5 : 2, NULL, NULL,
			    i % 3 == 0 ? scratch_path("other.log") : log_path);
		assert_int_equal(tplogreopen(), 0);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert_int_equal(lines_like("^N:.*end$"), lines_like("."));
}

static void *log_from_thread(void *arg)
{
	TP_LOG(log_info, "of a thread");
	return NULL;
}

static void threaded_gives_threads_their_own_files(void **state)
{
	pthread_t t[2];

	tplogconfig(ALL, -1, "threaded=y", NULL, NULL);
	for (int i = 0; i < 2; i++) {
		pthread_create(&t[i], NULL, log_from_thread, NULL);
		pthread_join(t[i], NULL);
	}
	TP_LOG(log_info, "of the first");
	tplogconfig(ALL, -1, "threaded=n", NULL, NULL);
	pthread_create(&t[0], NULL, log_from_thread, NULL);
	pthread_join(t[0], NULL);
	assert_int_equal(lines_in(scratch_path("test.1.log"),
				  "^t:.*of a thread$"), 1);
	assert_int_equal(lines_in(scratch_path("test.2.log"),
				  "^t:.*of a thread$"), 1);
	assert_int_equal(lines_like("^t:.*of the first$"), 1);
	assert_int_equal(lines_like("^t:.*of a thread$"), 1);
}

/* Look for changes as if two more seconds had passed. */
static void look(void)
{
	static uint64_t ahead;

	ahead += UINT64_C(2000000000);
	ow_log_tick(ow_clock_mono_ns() + ahead);
}

static void a_renamed_file_is_replaced_and_no_line_is_lost(void **state)
{
	const char *old = scratch_path("renamed.log");

	log_error("one");
	assert_int_equal(rename(log_path, old), 0);
	log_error("two");
	look();
	log_error("three");
	assert_int_equal(unlink(log_path), 0);
	look();
	log_error("four");
	assert_int_equal(lines_in(old, "one$|two$"), 2);
	assert_int_equal(lines_like("four$"), 1);
	assert_int_equal(lines_like("."), 1);
}

static void a_relative_path_still_holds_after_chdir(void **state)
{
	char home[256];

	assert_non_null(getcwd(home, sizeof(home)));
	assert_int_equal(chdir(scratch_dir), 0);
	assert_int_equal(tplogconfig(ALL, -1, NULL, NULL, "relative.log"), 0);
	assert_int_equal(chdir("/"), 0);
	log_error("one");
	assert_int_equal(unlink(scratch_path("relative.log")), 0);
	look();
	log_error("two");
	assert_int_equal(chdir(home), 0);
	assert_int_equal(lines_in(scratch_path("relative.log"), "two$"), 1);
}

static void orders_change_levels_and_file(void **state)
{
	const char *path = scratch_path("orders"), *other;
	struct ow_log_order all = { .who = "*", .text = "tp=3 ndrx=3" };
	struct ow_log_order mine = { .text = "tp=6" };
	struct ow_log_order not_me = { .who = "somebody", .text = "tp=1" };
	char self[64], text[128];

	snprintf(self, sizeof(self), "pid:%d", (int)getpid());
	memcpy(mine.who, self, sizeof(mine.who));
	ow_log_obey(path);
	assert_int_equal(ow_log_orders_add(path, &all), 0);
	assert_int_equal(ow_log_orders_add(path, &mine), 0);
	assert_int_equal(ow_log_orders_add(path, &not_me), 0);
	look();
	assert_int_equal(ow_log_level(OW_LOG_TP), 6);
	assert_int_equal(ow_log_level(OW_LOG_NDRX), 3);
	other = scratch_path("ordered.log");
	snprintf(text, sizeof(text), "file=%s", other);
	memcpy(all.text, text, sizeof(text));
	assert_int_equal(ow_log_orders_add(path, &all), 0);
	look();
	log_error("by order");
	assert_int_equal(lines_in(other, "by order$"), 1);
	assert_int_equal(ow_log_orders_clear(path), 0);
	look();
	assert_int_equal(ow_log_level(OW_LOG_TP), 2);
}

static void orders_writable_by_other_users_are_ignored(void **state)
{
	const char *path = scratch_path("orders");
	struct ow_log_order o = { .who = "*", .text = "tp=6" };

	assert_int_equal(ow_log_orders_add(path, &o), 0);
	assert_int_equal(chmod(path, 0666), 0);
	look();
	assert_int_not_equal(ow_log_level(OW_LOG_TP), 6);
	assert_int_equal(unlink(path), 0);
	look();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(test) cmocka_unit_test_setup(test, fresh)
		T(reopen_continues_in_a_new_file_after_rotation),
		T(levels_and_files_change_while_threads_log),
		T(threaded_gives_threads_their_own_files),
		T(a_renamed_file_is_replaced_and_no_line_is_lost),
		T(a_relative_path_still_holds_after_chdir),
		T(orders_change_levels_and_file),
		T(orders_writable_by_other_users_are_ignored),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
