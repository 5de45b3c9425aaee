/* SPDX-License-Identifier: Apache-2.0 */
/* test_remote_caller.c - a client of another node, as a number and as text */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "libatmi/wire/remote_caller.h"
#include "libatmi/wire/msg.h"

static void a_number_and_a_text_say_all(void **state)
{
	const struct ow_remote_caller f = { .node = 255,
					    .slot = 65535,
					    .gen = UINT32_MAX };
	struct ow_remote_caller g = ow_remote_caller_unpack(
				    ow_remote_caller_pack(f)),
				h;
	char text[64];

	assert_memory_equal(&g, &f, sizeof(f));
	ow_remote_caller_write(f, text, sizeof(text));
	assert_string_equal(text, "clt,@abroad,65535,4294967295,255");
	assert_true(ow_remote_caller_read(text, &h));
	assert_memory_equal(&h, &f, sizeof(f));
}

static void other_texts_are_not_of_this_form(void **state)
{
	static const char *const bad[] = {
		"", "clt,prog,1,2,3", "srv,@abroad,1,2,3", "clt,@abroad,1,2",
		"clt,@abroad,1,2,0", "clt,@abroad,1,2,256",
		"clt,@abroad,65536,2,3", "clt,@abroad,1,2,3x",
		"clt,@abroad,1,2,3,4",
	};
	struct ow_remote_caller f;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(ow_remote_caller_read(bad[i], &f));
}

static void a_request_of_a_remote_caller_is_in_no_transaction(void **state)
{
	struct ow_msg m = { .tran = 7 };

	assert_int_equal(ow_msg_tran(&m), 7);
	m.flags = OW_MSG_REMOTE_CALLER;
	assert_int_equal(ow_msg_tran(&m), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_and_a_text_say_all),
		cmocka_unit_test(other_texts_are_not_of_this_form),
		cmocka_unit_test(
		    a_request_of_a_remote_caller_is_in_no_transaction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
