/* SPDX-License-Identifier: Apache-2.0 */
/* test_frame.c - what a guest and the gate say to each other */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "libatmi/wire/frame.h"

static void every_operation_passes_as_composed(void **state)
{
	struct ow_frame f;
	uint32_t op;

	for (op = OW_FRAME_CALL; op < OW_FRAME_OP_END; op++) {
		bool guests = op <= OW_FRAME_CEASE || op == OW_FRAME_LOGIN;

		ow_frame_init(&f, (enum ow_frame_op)op);
		if (op == OW_FRAME_LOGIN) {
			f.msg.buftype = OW_BUF_CARRAY;
			f.msg.len = sizeof(struct ow_frame_login);
		}
		assert_int_equal(ow_frame_check(&f, OW_MSG_REQUEST),
				 guests ? 0 : -EBADMSG);
		assert_int_equal(ow_frame_check(&f, OW_MSG_REPLY),
				 !guests ? 0 : -EBADMSG);
	}
}

static void a_login_has_the_length_of_a_login_and_its_data(void **state)
{
	const uint64_t least = sizeof(struct ow_frame_login);
	const uint64_t most = least + OW_FRAME_LOGIN_DATA;
	struct ow_frame f;
	uint64_t len;

	for (len = 0; len < most + 100; len++) {
		ow_frame_init(&f, OW_FRAME_LOGIN);
		f.msg.buftype = OW_BUF_CARRAY;
		f.msg.len = len;
		assert_int_equal(ow_frame_check(&f, OW_MSG_REQUEST),
				 len >= least && len <= most ? 0 : -EBADMSG);
	}
}

/* A CALL with 100 bytes of CARRAY, with one change. */
static int check(void (*change)(struct ow_frame *f))
{
	struct ow_frame f;

	ow_frame_init(&f, OW_FRAME_CALL);
	f.msg.buftype = OW_BUF_CARRAY;
	f.msg.len = 100;
	strcpy(f.text, "ECHO");
	if (change != NULL)
		change(&f);
	return ow_frame_check(&f, OW_MSG_REQUEST);
}

static void huge(struct ow_frame *f)
{
	f->msg.len = OW_FRAME_PAYLOAD_MAX + 1;
}

static void wraps(struct ow_frame *f)
{
	f->msg.len = UINT64_MAX - sizeof(f->msg) + 1;
}

static void in_a_block(struct ow_frame *f)
{
	f->msg.block = 1;
}

static void get_with_payload(struct ow_frame *f)
{
	f->op = OW_FRAME_GET;
}

static void tpinit(struct ow_frame *f)
{
	f->msg.buftype = OW_BUF_TPINIT;
}

static void subtype_of_carray(struct ow_frame *f)
{
	f->msg.sub_len = 8;
}

static void long_subtype(struct ow_frame *f)
{
	f->msg.buftype = OW_BUF_VIEW;
	f->msg.sub_len = OW_MSG_SUBTYPE_MAX + 1;
}

static void view_without_subtype(struct ow_frame *f)
{
	f->msg.buftype = OW_BUF_VIEW;
}

static void text_without_end(struct ow_frame *f)
{
	memset(f->text, 'x', sizeof(f->text));
}

static void escape(struct ow_frame *f)
{
	strcpy(f->text, "\033[2J");
}

static void wrong_cd(struct ow_frame *f)
{
	f->msg.cd = 16384;
}

static void negative_error(struct ow_frame *f)
{
	f->msg.tperr = -1;
}

static void wrong_prio(struct ow_frame *f)
{
	f->prio = 101;
}

static void wrong_prio_set(struct ow_frame *f)
{
	f->prio_set = 3;
}

static void each_wrong_field_is_refused(void **state)
{
	static void (*const changes[])(struct ow_frame *) = {
		huge, wraps, in_a_block, get_with_payload, tpinit,
		subtype_of_carray, long_subtype, view_without_subtype,
		text_without_end, escape, wrong_cd, negative_error,
		wrong_prio, wrong_prio_set,
	};
	size_t i;

	assert_int_equal(check(NULL), 0);
	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		assert_int_equal(check(changes[i]), -EBADMSG);
}

/* What passes is safe to use, whatever bytes were changed. */
static void what_passes_keeps_to_the_bounds(void **state)
{
	unsigned int seed = 4711, passed = 0;
	struct ow_frame f;
	int i, n;

	for (i = 0; i < 300000; i++) {
		ow_frame_init(&f, (enum ow_frame_op)(1 + i % 5));
		for (n = rand_r(&seed) % 6; n > 0; n--)
			((uint8_t *)&f)[(size_t)rand_r(&seed) % sizeof(f)] =
			    (uint8_t)rand_r(&seed);
		if (ow_frame_check(&f, OW_MSG_REQUEST) != 0)
			continue;
		passed++;
		assert_true(f.msg.len <= OW_FRAME_PAYLOAD_MAX);
		assert_true(f.msg.sub_len <= f.msg.len);
		assert_true(f.msg.sub_len <= OW_MSG_SUBTYPE_MAX);
		assert_true(f.msg.cd >= 0 && f.msg.cd < 16384);
		assert_true(f.op >= OW_FRAME_CALL && f.op <= OW_FRAME_CEASE);
		assert_non_null(memchr(f.text, '\0', sizeof(f.text)));
		assert_null(memchr(f.text, '\033', strlen(f.text)));
	}
	assert_true(passed > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_operation_passes_as_composed),
		cmocka_unit_test(
			a_login_has_the_length_of_a_login_and_its_data),
		cmocka_unit_test(each_wrong_field_is_refused),
		cmocka_unit_test(what_passes_keeps_to_the_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
