/* SPDX-License-Identifier: Apache-2.0 */
/* test_trace.c - the request and trace ids of calls */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "libatmi/wire/msg.h"
#include "libatmi/wire/trace.h"

static const char parent[] =
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
static const uint8_t trace[16] = { 0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d,
				   0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e,
				   0x47, 0x36 };

static void requests_outside_of_a_request_begin_new_traces(void **state)
{
	struct ow_msg a = { .len = 0 }, b = { .len = 0 };
	struct ow_trace c = { .flags = 0 };

	ow_trace_stamp(&c, &a);
	ow_trace_stamp(&c, &b);
	assert_memory_not_equal(a.trace_id, b.trace_id, 16);
	assert_memory_not_equal(a.span_id, b.span_id, 8);
	assert_memory_not_equal(a.trace_id, c.trace_id, 16); /* not zeros */
}

static void a_request_made_while_serving_continues_the_trace(void **state)
{
	struct ow_msg in = { .len = 0 }, a = { .len = 0 }, b = { .len = 0 };
	struct ow_trace client = { .flags = 0 }, server = { .flags = 0 };

	ow_trace_stamp(&client, &in);
	in.trace_flags = 1;
	ow_trace_enter(&server, &in);
	ow_trace_stamp(&server, &a);
	ow_trace_leave(&server);
	ow_trace_stamp(&server, &b);
	assert_memory_equal(a.trace_id, in.trace_id, 16);
	assert_memory_not_equal(a.span_id, in.span_id, 8);
	assert_int_equal(a.trace_flags, 1);
	assert_memory_not_equal(b.trace_id, in.trace_id, 16);
}

static void TRACEPARENT_names_the_trace_of_a_program(void **state)
{
	struct ow_msg m = { .len = 0 };
	struct ow_trace c = { .flags = 0 };

	setenv("TRACEPARENT", parent, 1);
	ow_trace_inherit(&c);
	ow_trace_stamp(&c, &m);
	unsetenv("TRACEPARENT");
	assert_memory_equal(m.trace_id, trace, 16);
	assert_int_equal(m.trace_flags, 1);
}

static void only_the_documented_form_is_accepted(void **state)
{
	static const char *const bad[] = {
		"", "00", "hello",
		"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
		"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
		"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01",
		"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
		"ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		"00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
		"00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
	};
	uint8_t t[16] = { 9 }, s[8] = { 9 }, flags = 9;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(ow_trace_parse(bad[i], t, s, &flags),
				 -EINVAL);
	assert_int_equal(t[0], 9);
	assert_int_equal(ow_trace_parse(parent, t, s, &flags), 0);
	assert_memory_equal(t, trace, 16);
	/* A later version may have more fields. */
	assert_int_equal(
	    ow_trace_parse("01-4bf92f3577b34da6a3ce929d0e0e4736-"
			   "00f067aa0ba902b7-01-more", t, s, &flags), 0);
}

static void a_forked_child_does_not_repeat_ids(void **state)
{
	struct ow_msg *m = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct ow_trace c = { .flags = 0 };

	assert_ptr_not_equal(m, MAP_FAILED);
	ow_trace_stamp(&c, &m[0]);
	if (fork() == 0) {
		ow_trace_stamp(&c, &m[1]);
		_exit(0);
	}
	wait(NULL);
	ow_trace_stamp(&c, &m[2]);
	assert_memory_not_equal(m[1].trace_id, m[2].trace_id, 16);
	munmap(m, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    requests_outside_of_a_request_begin_new_traces),
		cmocka_unit_test(
		    a_request_made_while_serving_continues_the_trace),
		cmocka_unit_test(TRACEPARENT_names_the_trace_of_a_program),
		cmocka_unit_test(only_the_documented_form_is_accepted),
		cmocka_unit_test(a_forked_child_does_not_repeat_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
