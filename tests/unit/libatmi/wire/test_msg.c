/* SPDX-License-Identifier: Apache-2.0 */
/* test_msg.c - which messages pass the check */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "libatmi/wire/msg.h"
#include "libatmi/domain/tables.h"

static const struct ow_msg good = {
	.magic = OW_MSG_MAGIC,
	.version = OW_MSG_VERSION,
	.kind = OW_MSG_REQUEST,
	.buftype = OW_BUF_STRING,
	.cd = 1,
	.prio = 50,
	.len = 10,
};
#define GOOD_LEN (sizeof(struct ow_msg) + 10)

static void a_whole_message_is_accepted(void **state)
{
	struct ow_msg m = good;

	assert_int_equal(ow_msg_check(&m, GOOD_LEN), 0);
	m.kind = OW_MSG_REPLY;
	m.svc = OW_SVC_MAX - 1;
	m.clt_slot = OW_CLT_MAX - 1;
	m.cd = 16383;
	m.prio = 100;
	assert_int_equal(ow_msg_check(&m, GOOD_LEN), 0);
	m.block = 1;
	m.len = UINT64_C(1) << 40;
	assert_int_equal(ow_msg_check(&m, sizeof(m)), 0);
}

static void every_other_length_is_refused(void **state)
{
	struct ow_msg m = good;
	size_t len;

	for (len = 0; len < 2 * GOOD_LEN; len++)
		if (len != GOOD_LEN)
			assert_int_equal(ow_msg_check(&m, len), -EBADMSG);
}

static void each_number_out_of_range_is_refused(void **state)
{
#define BAD(field, value)                                                 \
	do {                                                              \
		struct ow_msg m = good;                                   \
		m.field = (value);                                        \
		assert_int_equal(ow_msg_check(&m, GOOD_LEN), -EBADMSG);   \
	} while (0)
	BAD(magic, 0);
	BAD(magic, OW_MSG_MAGIC + 1);
	BAD(version, OW_MSG_VERSION + 1);
	BAD(kind, 0);
	BAD(kind, 3);
	BAD(buftype, 1);
	BAD(buftype, OW_BUF_TYPE_END);
	BAD(buftype, 255);
	BAD(buftype, OW_BUF_NULL); /* but a payload */
	BAD(svc, OW_SVC_MAX);
	BAD(clt_slot, OW_CLT_MAX);
	BAD(cd, -1);
	BAD(cd, 16384);
	BAD(prio, 101);
	BAD(len, 9);
	BAD(len, 11);
	BAD(len, UINT64_MAX);
	BAD(len, UINT64_MAX - sizeof(struct ow_msg) + 11);
	BAD(sub_len, 11);
	BAD(block, 1); /* but an inline payload */
#undef BAD
}

static void a_block_length_that_overflows_is_refused(void **state)
{
	struct ow_msg m = good;

	m.block = 7;
	m.len = UINT64_MAX;
	assert_int_equal(ow_msg_check(&m, sizeof(m)), -EBADMSG);
	m.len = (uint64_t)INT64_MAX / 2 + 1;
	assert_int_equal(ow_msg_check(&m, sizeof(m)), -EBADMSG);
}

/* Random changes of a good message. */
static void accepted_messages_are_in_range(void **state)
{
	unsigned int seed = 1;
	int i, k;

	for (i = 0; i < 200000; i++) {
		struct ow_msg m = good;
		uint8_t *p = (uint8_t *)&m;

		for (k = 0; k < 3; k++)
			p[(size_t)rand_r(&seed) % sizeof(m)] =
			    (uint8_t)rand_r(&seed);
		if (ow_msg_check(&m, GOOD_LEN) != 0)
			continue;
		assert_true(m.svc < OW_SVC_MAX && m.clt_slot < OW_CLT_MAX);
		assert_true(m.cd >= 0 && m.cd < 16384);
		assert_true(m.block == 0 && m.len == 10);
		assert_true(m.buftype < OW_BUF_TYPE_END);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_message_is_accepted),
		cmocka_unit_test(every_other_length_is_refused),
		cmocka_unit_test(each_number_out_of_range_is_refused),
		cmocka_unit_test(
		    a_block_length_that_overflows_is_refused),
		cmocka_unit_test(accepted_messages_are_in_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
