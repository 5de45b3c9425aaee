/* SPDX-License-Identifier: Apache-2.0 */
/* test_frame.c - which messages of other bridges pass the check */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bridge/frame.h"
#include "libatmi/wire/msg.h"

static char room[4096];

static struct ow_br_batch head(enum ow_br_lane lane)
{
	return (struct ow_br_batch){ .magic = OW_BR_MAGIC,
				     .version = OW_BR_VERSION,
				     .lane = (uint8_t)lane,
				     .node = 2,
				     .bridge = 90,
				     .session = 7 };
}

static struct ow_br_frame request(void)
{
	return (struct ow_br_frame){ .kind = OW_BR_REQUEST,
				     .buftype = OW_BUF_STRING,
				     .prio = 50,
				     .id = 1,
				     .total = 5,
				     .len = 5,
				     .svc = "ECHO" };
}

/* A batch of one frame in `room`; its length. */
static size_t make(struct ow_br_batch h, struct ow_br_frame f)
{
	char payload[1024] = "abcd";

	memcpy(room, &h, sizeof(h));
	return sizeof(h) + ow_br_frame_put(room + sizeof(h), &f, payload);
}

static int check(struct ow_br_batch h, struct ow_br_frame f)
{
	struct ow_br_batch got;

	return ow_br_batch_check(room, make(h, f), &got);
}

static void a_whole_batch_is_read(void **state)
{
	struct ow_br_batch got;
	struct ow_br_frame f;
	size_t at = 0, len = make(head(OW_BR_REQUESTS), request());
	const char *payload;

	assert_int_equal(ow_br_batch_check(room, len, &got), 0);
	assert_int_equal(got.node, 2);
	payload = ow_br_frame_next(room, len, &at, &f);
	assert_non_null(payload);
	assert_string_equal(payload, "abcd");
	assert_string_equal(f.svc, "ECHO");
	assert_null(ow_br_frame_next(room, len, &at, &f));
}

static void another_version_is_told_apart(void **state)
{
	struct ow_br_batch h = head(OW_BR_REQUESTS);

	h.version++;
	assert_int_equal(check(h, request()), -EPROTO);
	h = head(OW_BR_REQUESTS);
	h.magic = __builtin_bswap32(h.magic);
	assert_int_equal(check(h, request()), -EPROTO);
}

static void each_wrong_number_is_refused(void **state)
{
	struct ow_br_batch h = head(OW_BR_REQUESTS);
	struct ow_br_frame f;

#define WRONG(change)                                                        \
	f = request();                                                       \
	change;                                                              \
	assert_int_equal(check(h, f), -EBADMSG)
	WRONG(f.kind = 0);
	WRONG(f.kind = OW_BR_KINDS);
	WRONG(f.kind = OW_BR_REPLY);
	WRONG(f.kind = OW_BR_PING);
	WRONG(f.buftype = OW_BUF_TYPE_END);
	WRONG(f.buftype = 1);
	WRONG(f.buftype = OW_BUF_NULL);
	WRONG(f.sub_len = 6);
	WRONG(f.sub_len = 200);
	WRONG(f.prio = 101);
	WRONG(f.total = 4);
	WRONG(f.total = OW_BR_LARGEST + 1);
	WRONG(f.offset = 1);
	WRONG(f.svc[0] = '\0');
	WRONG(memset(f.svc, 'x', sizeof(f.svc)));
	WRONG(f.kind = OW_BR_PART);
#undef WRONG
	h.session = 0;
	assert_int_equal(check(h, request()), -EBADMSG);
	h = head(OW_BR_REQUESTS);
	h.lane = OW_BR_LANES;
	assert_int_equal(check(h, request()), -EBADMSG);
}

static void news_have_as_many_names_as_they_say(void **state)
{
	struct ow_br_frame f = { .kind = OW_BR_NEWS,
				 .len = sizeof(struct ow_br_news) + 64 };
	struct ow_br_news n = { .gen = 1, .plus = 1, .minus = 1 };
	struct ow_br_batch h = head(OW_BR_CONTROL), got;
	size_t len = make(h, f);

	memcpy(room + sizeof(h) + sizeof(f), &n, sizeof(n));
	assert_int_equal(ow_br_batch_check(room, len, &got), 0);
	n.minus = 2;
	memcpy(room + sizeof(h) + sizeof(f), &n, sizeof(n));
	assert_int_equal(ow_br_batch_check(room, len, &got), -EBADMSG);
	n.plus = UINT32_MAX;
	memcpy(room + sizeof(h) + sizeof(f), &n, sizeof(n));
	assert_int_equal(ow_br_batch_check(room, len, &got), -EBADMSG);
}

static void no_damage_reads_beyond_the_message(void **state)
{
	size_t i, n, len = make(head(OW_BR_REQUESTS), request());
	struct ow_br_batch got;
	struct ow_br_frame f;
	char *copy;

	srandom(1);
	for (i = 0; i < 200000; i++) {
		n = (size_t)random() % (len + 1);
		copy = malloc(n + 1); /* the sanitizer sees its end */
		memcpy(copy, room, n);
		if (n > 0)
			copy[(size_t)random() % n] = (char)random();
		if (ow_br_batch_check(copy, n, &got) == 0)
			for (size_t at = 0;
			     ow_br_frame_next(copy, n, &at, &f) != NULL;)
				assert_true(at <= n);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_batch_is_read),
		cmocka_unit_test(another_version_is_told_apart),
		cmocka_unit_test(each_wrong_number_is_refused),
		cmocka_unit_test(news_have_as_many_names_as_they_say),
		cmocka_unit_test(no_damage_reads_beyond_the_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
