/* SPDX-License-Identifier: Apache-2.0 */
/* test_fifo.c - the FIFO beside a service queue: one byte per message */
#include "tests/unit/libatmi/messages.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/owned.h"
#include "libatmi/transport/posix/fifo.h"

static const char *path_of(const char *service)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s,shm/bell,%s", dom->shm_dir,
		 dom->prefix, service);
	return path;
}

static void a_service_queue_has_a_fifo(void **state)
{
	struct ow_queue *svc = dom_queue("BELL", 4, 256);
	struct stat st;

	assert_int_equal(stat(path_of("BELL"), &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(ow_queue_remove(dom, ow_service_queue("BELL")), 0);
	assert_int_equal(stat(path_of("BELL"), &st), -1);
	ow_queue_close(svc);
}

static void each_message_wakes_once(void **state)
{
	struct ow_queue *q = dom_queue("ONCE", 4, 256);
	struct ow_waitset *w = NULL;
	char buf[256];
	uint32_t tag = 0;
	size_t len;
	int i;

	assert_int_equal(dom_waitset(OW_WAKE_BELL, &w), 0);
	assert_int_equal(ow_waitset_add_queue(w, q, 7), 0);
	assert_int_equal(ow_waitset_wait(w, false, &tag, NULL),
			 OW_QUEUE_TIMEOUT);
	for (i = 0; i < 3; i++)
		assert_int_equal(send_bytes(q, "m", 1, 5, OW_DEADLINE_NOW),
				 0);
	for (i = 0; i < 3; i++) {
		assert_int_equal(ow_waitset_wait(w, true, &tag, NULL), 0);
		assert_int_equal(tag, 7);
		assert_int_equal(recv_bytes(q, buf, sizeof(buf),
					       OW_DEADLINE_NOW, &len), 0);
	}
	assert_int_equal(ow_waitset_wait(w, false, &tag, NULL),
			 OW_QUEUE_TIMEOUT);
	ow_waitset_close(w);
	ow_queue_close(q);
}

static void a_surplus_byte_does_no_harm(void **state)
{
	struct ow_queue *q = dom_queue("SURPLUS", 4, 256);
	struct ow_waitset *w = NULL;
	int fd = open(path_of("SURPLUS"), O_RDWR | O_NONBLOCK);
	uint32_t tag = 0;
	char buf[256];
	size_t len;

	assert_true(fd >= 0);
	ow_fifo_put(fd);
	assert_int_equal(dom_waitset(OW_WAKE_BELL, &w), 0);
	assert_int_equal(ow_waitset_add_queue(w, q, 1), 0);
	assert_int_equal(ow_waitset_wait(w, true, &tag, NULL), 0);
	assert_int_equal(recv_bytes(q, buf, sizeof(buf), OW_DEADLINE_NOW,
				       &len), OW_QUEUE_EMPTY);
	assert_int_equal(ow_waitset_wait(w, false, &tag, NULL),
			 OW_QUEUE_TIMEOUT);
	close(fd);
	ow_waitset_close(w);
	ow_queue_close(q);
}

static void a_full_fifo_is_no_error(void **state)
{
	struct ow_queue *q = dom_queue("FULL", 4, 256);
	int fd = open(path_of("FULL"), O_RDWR | O_NONBLOCK);
	char page[4096] = "";

	assert_true(fd >= 0);
	while (write(fd, page, sizeof(page)) > 0)
		;
	while (write(fd, page, 1) > 0)
		;
	assert_int_equal(send_bytes(q, "m", 1, 5, OW_DEADLINE_NOW), 0);
	close(fd);
	ow_queue_close(q);
}

static void a_file_that_is_not_a_fifo_is_refused(void **state)
{
	struct ow_queue_shape shape = { 4, 256 };
	struct ow_queue *q = NULL;
	int fd = open(path_of("FILE"), O_CREAT | O_WRONLY, 0600);

	close(fd);
	assert_int_equal(ow_queue_create(dom, ow_service_queue("FILE"), &shape,
					 &q),
			 -EPERM);
	assert_non_null(strstr(ow_owned_strerror(-EPERM), "is not a FIFO"));
	assert_null(q);
	ow_queue_remove(dom, ow_service_queue("FILE"));
}

static void wake_mode_exclusive_has_no_fifo(void **state)
{
	struct ow_queue *q;
	struct stat st;

	dom->wake = OW_WAKE_EXCLUSIVE;
	q = dom_queue("QUIET", 4, 256);
	dom->wake = OW_WAKE_BELL;
	assert_int_equal(stat(path_of("QUIET"), &st), -1);
	ow_queue_close(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_service_queue_has_a_fifo),
		cmocka_unit_test(each_message_wakes_once),
		cmocka_unit_test(a_surplus_byte_does_no_harm),
		cmocka_unit_test(a_full_fifo_is_no_error),
		cmocka_unit_test(a_file_that_is_not_a_fifo_is_refused),
		cmocka_unit_test(wake_mode_exclusive_has_no_fifo),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
