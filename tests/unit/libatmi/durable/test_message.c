/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_message.c - requests to a tmqueue and its answers: what is not one is
 * refused
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/durable/message.h"
#include "libatmi/wire/msg.h"

/* A request with a payload of three bytes, and what is read of it. */
static struct {
	struct ow_mq_request head;
	char payload[8];
} whole;

static int read_request(long len)
{
	struct ow_mq_message m;

	return ow_mq_request_read((char *)&whole, len, &m);
}

#define SIZE ((long)sizeof(whole.head) + 3)

static int setup(void **state)
{
	memset(&whole, 0, sizeof(whole));
	memcpy(whole.payload, "abc", 3);
	whole.head.magic = OW_MQ_MESSAGE;
	whole.head.op = OW_MQ_ENQUEUE;
	whole.head.type = OW_BUF_CARRAY;
	whole.head.len = 3;
	return 0;
}

static void a_request_is_read_as_it_was_written(void **state)
{
	struct ow_mq_request head = { .op = OW_MQ_MOVE, .token = 7 };
	struct ow_mq_message m;
	long len = 0;
	char *p = ow_mq_request_bytes(&head, "S", 2, &len);

	assert_non_null(p);
	assert_int_equal(len, sizeof(head) + 2);
	assert_int_equal(ow_mq_request_read(p, len, &m), 0);
	assert_int_equal(m.head.op, OW_MQ_MOVE);
	assert_int_equal(m.head.token, 7);
	assert_int_equal(m.head.len, 2);
	assert_string_equal(m.payload, "S");
	tpfree(p);
	p = ow_mq_request_bytes(&head, NULL, 0, &len);
	assert_int_equal(ow_mq_request_read(p, len, &m), 0);
	assert_int_equal(m.head.len, 0);
	tpfree(p);
}

static void a_length_that_is_another_is_refused(void **state)
{
	struct ow_mq_message m;

	assert_int_equal(read_request(SIZE), 0);
	assert_int_equal(read_request(SIZE - 1), -EBADMSG);
	assert_int_equal(read_request(SIZE + 1), -EBADMSG);
	whole.head.len = 0;
	assert_int_equal(read_request(sizeof(whole.head)), 0);
	whole.head.len = (uint64_t)-1;
	assert_int_equal(read_request(sizeof(whole.head) - 1), -EBADMSG);
	assert_int_equal(ow_mq_request_read(NULL, SIZE, &m), -EBADMSG);
}

static void what_no_request_has_is_refused(void **state)
{
	whole.head.magic = OW_MQ_ANSWER;
	assert_int_equal(read_request(SIZE), -EBADMSG);
	setup(state);
	whole.head.op = 0;
	assert_int_equal(read_request(SIZE), -EBADMSG);
	whole.head.op = OW_MQ_OP_END;
	assert_int_equal(read_request(SIZE), -EBADMSG);
	whole.head.op = OW_MQ_OP_END - 1;
	assert_int_equal(read_request(SIZE), 0);
	whole.head.type = OW_BUF_TYPE_END;
	assert_int_equal(read_request(SIZE), -EBADMSG);
	setup(state);
	whole.head.sub_len = 3;
	assert_int_equal(read_request(SIZE), 0);
	whole.head.sub_len = 4; /* more than all */
	assert_int_equal(read_request(SIZE), -EBADMSG);
}

static void a_subtype_has_at_most_so_many_bytes(void **state)
{
	static char p[sizeof(whole.head) + 100];
	struct ow_mq_message m;

	whole.head.len = 100;
	whole.head.sub_len = OW_MSG_SUBTYPE_MAX;
	memcpy(p, &whole.head, sizeof(whole.head));
	assert_int_equal(ow_mq_request_read(p, sizeof(p), &m), 0);
	whole.head.sub_len++;
	memcpy(p, &whole.head, sizeof(whole.head));
	assert_int_equal(ow_mq_request_read(p, sizeof(p), &m), -EBADMSG);
}

static void an_id_of_a_branch_fits(void **state)
{
	whole.head.xid.gtrid = whole.head.xid.bqual = 64;
	assert_int_equal(read_request(SIZE), 0);
	whole.head.xid.gtrid = 65;
	assert_int_equal(read_request(SIZE), -EBADMSG);
	whole.head.xid.gtrid = 64;
	whole.head.xid.bqual = 65;
	assert_int_equal(read_request(SIZE), -EBADMSG);
}

static void names_of_others_end_somewhere(void **state)
{
	struct ow_mq_message m;

	memset(whole.head.queue, 'q', sizeof(whole.head.queue));
	memset(whole.head.subtype, 's', sizeof(whole.head.subtype));
	memset(whole.head.ctl.replyqueue, 'r',
	       sizeof(whole.head.ctl.replyqueue));
	memset(whole.head.ctl.failurequeue, 'f',
	       sizeof(whole.head.ctl.failurequeue));
	assert_int_equal(ow_mq_request_read((char *)&whole, SIZE, &m), 0);
	assert_int_equal(strlen(m.head.queue), TMQNAMELEN);
	assert_int_equal(strlen(m.head.subtype), XATMI_SUBTYPE_LEN);
	assert_int_equal(strlen(m.head.ctl.replyqueue), TMQNAMELEN);
	assert_int_equal(strlen(m.head.ctl.failurequeue), TMQNAMELEN);
	assert_memory_equal(m.payload, "abc", 3);
}

static void an_answer_that_is_none_is_refused(void **state)
{
	struct ow_mq_answer a = { .magic = OW_MQ_ANSWER, .len = 3,
				  .sub_len = 3 }, got;
	const char *payload;
	long len = 0;
	char *p;

	memset(a.why, 'w', sizeof(a.why));
	memset(a.ctl.replyqueue, 'r', sizeof(a.ctl.replyqueue));
	memset(a.ctl.failurequeue, 'f', sizeof(a.ctl.failurequeue));
	p = ow_mq_answer_write(&a, "abc", &len);
	assert_non_null(p);
	assert_int_equal(ow_mq_answer_read(p, len, &got, &payload), 0);
	assert_memory_equal(payload, "abc", 3);
	assert_int_equal(strlen(got.why), sizeof(got.why) - 1);
	assert_int_equal(strlen(got.ctl.replyqueue), TMQNAMELEN);
	assert_int_equal(strlen(got.ctl.failurequeue), TMQNAMELEN);
	assert_int_equal(ow_mq_answer_read(p, len - 1, &got, &payload),
			 -EBADMSG);
	assert_int_equal(ow_mq_answer_read(p, sizeof(a) - 1, &got, &payload),
			 -EBADMSG);
	assert_int_equal(ow_mq_answer_read(NULL, len, &got, &payload),
			 -EBADMSG);
	((struct ow_mq_answer *)p)->sub_len = 4;
	assert_int_equal(ow_mq_answer_read(p, len, &got, &payload), -EBADMSG);
	((struct ow_mq_answer *)p)->sub_len = 0;
	((struct ow_mq_answer *)p)->magic = OW_MQ_MESSAGE;
	assert_int_equal(ow_mq_answer_read(p, len, &got, &payload), -EBADMSG);
	tpfree(p);
	a.len = a.sub_len = 0; /* most have no payload */
	p = ow_mq_answer_write(&a, NULL, &len);
	assert_int_equal(ow_mq_answer_read(p, len, &got, &payload), 0);
	tpfree(p);
}

/* As tmqueue forwards it: the bytes that a program gave, and back. */
static void a_payload_becomes_the_buffer_that_it_was(void **state)
{
	struct ow_mq_request head = { .type = OW_BUF_NULL };
	char *bytes = NULL, *data = tpalloc((char *)"STRING", NULL, 16), *odd;
	long len = 0;

	strcpy(data, "text");
	assert_int_equal(ow_mq_payload_write(data, 0, &head, &bytes), 0);
	assert_int_equal(head.type, OW_BUF_STRING);
	assert_int_equal(head.sub_len, 0);
	assert_int_equal(head.len, 5);
	strcpy(data, "xxxx");
	odd = malloc(head.len + 1); /* at an address that is not aligned */
	memcpy(odd + 1, bytes, head.len);
	assert_int_equal(ow_mq_payload_read(head.type, head.sub_len, odd + 1,
					    head.len, &data, &len), 0);
	assert_string_equal(data, "text");
	strcpy(data, "xxxx");
	assert_int_equal(ow_mq_payload_read(head.type, head.sub_len, bytes,
					    head.len, &data, &len), 0);
	assert_string_equal(data, "text");
	free(odd);
	free(bytes);
	assert_int_equal(ow_mq_payload_read(OW_BUF_NULL, 0, NULL, 0, &data,
					    &len), 0);
	assert_null(data);
	assert_int_equal(len, 0);
	assert_int_equal(ow_mq_payload_read(OW_BUF_TYPE_END, 0, "", 0, &data,
					    &len), -EBADMSG);
	assert_int_equal(ow_mq_payload_write((char *)"no buffer", 0, &head,
					     &bytes), -EINVAL);
}

int main(void)
{
#define FACT(name) cmocka_unit_test_setup(name, setup)
	const struct CMUnitTest tests[] = {
		FACT(a_request_is_read_as_it_was_written),
		FACT(a_length_that_is_another_is_refused),
		FACT(what_no_request_has_is_refused),
		FACT(a_subtype_has_at_most_so_many_bytes),
		FACT(an_id_of_a_branch_fits),
		FACT(names_of_others_end_somewhere),
		FACT(an_answer_that_is_none_is_refused),
		FACT(a_payload_becomes_the_buffer_that_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
