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

#include "servers/bridge/wire/frame.h"
#include "libatmi/domain/waits.h"
#include "libatmi/tran/remote.h"
#include "libatmi/wire/msg.h"

static char room[32768];

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
	char payload[24576] = "abcd";

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

static void what_is_told_of_waits_is_whole_and_not_too_much(void **state)
{
	struct ow_br_frame f = { .kind = OW_BR_WAITS };

	f.len = f.total = 2 * sizeof(struct ow_waits_call);
	assert_int_equal(check(head(OW_BR_CONTROL), f), 0);
	assert_int_equal(check(head(OW_BR_REQUESTS), f), -EBADMSG);
	f.len = f.total = 0;
	assert_int_equal(check(head(OW_BR_CONTROL), f), 0);
	f.len = f.total = sizeof(struct ow_waits_call) - 8;
	assert_int_equal(check(head(OW_BR_CONTROL), f), -EBADMSG);
	f.len = f.total = (OW_WAITS_CALLS + 1) * sizeof(struct ow_waits_call);
	assert_int_equal(check(head(OW_BR_CONTROL), f), -EBADMSG);
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
	WRONG(f.kind = OW_BR_PONG + 1);
	WRONG(f.kind = OW_BR_INTEREST);
	WRONG(f.kind = OW_BR_POST); /* it has an id */
	WRONG(f.kind = UINT8_MAX);
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

/* A message of a conversation, in the lane of replies. */
static struct ow_br_frame conv(enum ow_conv_op op)
{
	struct ow_br_frame f = request();

	f.kind = OW_BR_CONV;
	f.flags = OW_BR_OF_CONV;
	f.tperr = (int32_t)op;
	f.svc[0] = '\0';
	if (op == OW_CONV_DATA)
		return f;
	f.buftype = OW_BUF_NULL;
	f.total = f.len = 0;
	return f;
}

static void a_conversation_begins_in_the_lane_of_requests_and_has_an_id(
    void **state)
{
	struct ow_br_frame f = request();

	f.kind = OW_BR_CONNECT;
	assert_int_equal(check(head(OW_BR_REQUESTS), f), 0);
	assert_int_equal(check(head(OW_BR_REPLIES), f), -EBADMSG);
	assert_int_equal(check(head(OW_BR_CONTROL), f), -EBADMSG);
	f.id = 0;
	assert_int_equal(check(head(OW_BR_REQUESTS), f), -EBADMSG);
	f.id = 1;
	f.svc[0] = '\0';
	assert_int_equal(check(head(OW_BR_REQUESTS), f), -EBADMSG);
}

static void its_messages_are_in_the_lane_of_replies_and_say_what_they_are(
    void **state)
{
	struct ow_br_batch h = head(OW_BR_REPLIES);
	struct ow_br_frame f;
	int op;

	for (op = OW_CONV_ACCEPT; op <= OW_CONV_END; op++) {
		f = conv((enum ow_conv_op)op);
		assert_int_equal(check(h, f), 0);
		assert_int_equal(check(head(OW_BR_REQUESTS), f), -EBADMSG);
		assert_int_equal(check(head(OW_BR_CONTROL), f), -EBADMSG);
		f.id = 0;
		assert_int_equal(check(h, f), -EBADMSG);
	}
	assert_int_equal(check(h, conv(OW_CONV_NONE)), -EBADMSG);
	assert_int_equal(check(h, conv(OW_CONV_CONNECT)), -EBADMSG);
	assert_int_equal(check(h, conv((enum ow_conv_op)(OW_CONV_END + 1))),
			 -EBADMSG);
	f = conv(OW_CONV_DATA);
	f.flags = OW_BR_CONV_BACK;
	assert_int_equal(check(h, f), -EBADMSG);
	f = conv(OW_CONV_DATA);
	f.tperr = OW_CONV_TAKEN; /* it has no data */
	assert_int_equal(check(h, f), -EBADMSG);
}

static void advertisements_have_as_many_names_as_they_say(void **state)
{
	struct ow_br_frame f = { .kind = OW_BR_ADVERT,
				 .len = sizeof(struct ow_br_advert) + 64 };
	struct ow_br_advert n = { .gen = 1, .plus = 1, .minus = 1 };
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

static void a_part_of_an_advertisement_lies_within_the_whole(void **state)
{
	struct ow_br_frame f = { .kind = OW_BR_ADVERT_PART,
				 .len = sizeof(struct ow_br_advert) + 64 };
	struct ow_br_advert n = { .gen = 1, .plus = 3, .minus = 1 };
	struct ow_br_batch h = head(OW_BR_CONTROL), got;
	size_t len;
	unsigned int offset;

	for (offset = 0; offset <= 5; offset++) {
		f.offset = offset;
		len = make(h, f);
		memcpy(room + sizeof(h) + sizeof(f), &n, sizeof(n));
		assert_int_equal(ow_br_batch_check(room, len, &got),
				 offset <= 2 ? 0 : -EBADMSG);
	}
	f.offset = UINT64_MAX;
	len = make(h, f);
	memcpy(room + sizeof(h) + sizeof(f), &n, sizeof(n));
	assert_int_equal(ow_br_batch_check(room, len, &got), -EBADMSG);
	f.offset = 0;
	n.plus = OW_BR_ADVERT_MAX;
	len = make(h, f);
	memcpy(room + sizeof(h) + sizeof(f), &n, sizeof(n));
	assert_int_equal(ow_br_batch_check(room, len, &got), -EBADMSG);
	f.len = sizeof(n); /* no name */
	n.plus = 1;
	len = make(h, f);
	memcpy(room + sizeof(h) + sizeof(f), &n, sizeof(n));
	assert_int_equal(ow_br_batch_check(room, len, &got), -EBADMSG);
	assert_int_equal(check(head(OW_BR_REPLIES), f), -EBADMSG);
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

static void a_caller_is_a_name_with_an_end(void **state)
{
	struct ow_br_frame f = { .kind = OW_BR_CALLER,
				 .total = sizeof(struct ow_br_caller),
				 .len = sizeof(struct ow_br_caller) };
	struct ow_br_batch got;
	size_t len;

	assert_int_equal(check(head(OW_BR_REQUESTS), f), 0);
	assert_int_equal(check(head(OW_BR_REPLIES), f), -EBADMSG);
	assert_int_equal(check(head(OW_BR_CONTROL), f), -EBADMSG);
	len = make(head(OW_BR_REQUESTS), f);
	memset(room + sizeof(got) + sizeof(f), 'x', f.len);
	assert_int_equal(ow_br_batch_check(room, len, &got), -EBADMSG);
	f.len = f.total = 8;
	assert_int_equal(check(head(OW_BR_REQUESTS), f), -EBADMSG);
}

static void a_question_of_a_tmsrv_is_a_call_of_its_size(void **state)
{
	struct ow_br_frame good = { .kind = OW_BR_QUESTION,
				    .buftype = OW_BUF_CARRAY,
				    .id = 1,
				    .total = sizeof(struct ow_tm_remote),
				    .len = sizeof(struct ow_tm_remote) },
			   f;

	assert_int_equal(check(head(OW_BR_REQUESTS), good), 0);
	assert_int_equal(check(head(OW_BR_REPLIES), good), -EBADMSG);
	assert_int_equal(check(head(OW_BR_CONTROL), good), -EBADMSG);
	f = good;
	f.id = 0;
	assert_int_equal(check(head(OW_BR_REQUESTS), f), -EBADMSG);
	f = good;
	f.buftype = OW_BUF_STRING;
	assert_int_equal(check(head(OW_BR_REQUESTS), f), -EBADMSG);
	f = good;
	f.len = --f.total;
	assert_int_equal(check(head(OW_BR_REQUESTS), f), -EBADMSG);
}

static void a_request_in_a_transaction_names_it(void **state)
{
	struct ow_br_frame f = request();

	f.flags = OW_BR_IN_TRAN;
	assert_int_equal(check(head(OW_BR_REQUESTS), f), -EBADMSG);
	f.urcode = 5;
	assert_int_equal(check(head(OW_BR_REQUESTS), f), 0);
	f.id = 0; /* one-way */
	assert_int_equal(check(head(OW_BR_REQUESTS), f), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_batch_is_read),
		cmocka_unit_test(
		    what_is_told_of_waits_is_whole_and_not_too_much),
		cmocka_unit_test(another_version_is_told_apart),
		cmocka_unit_test(each_wrong_number_is_refused),
		cmocka_unit_test(
		    a_conversation_begins_in_the_lane_of_requests_and_has_an_id),
		cmocka_unit_test(
		    its_messages_are_in_the_lane_of_replies_and_say_what_they_are),
		cmocka_unit_test(advertisements_have_as_many_names_as_they_say),
		cmocka_unit_test(
		    a_part_of_an_advertisement_lies_within_the_whole),
		cmocka_unit_test(no_damage_reads_beyond_the_message),
		cmocka_unit_test(a_caller_is_a_name_with_an_end),
		cmocka_unit_test(a_question_of_a_tmsrv_is_a_call_of_its_size),
		cmocka_unit_test(a_request_in_a_transaction_names_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
