/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_msg.c - a message as it comes out of a queue, on its way to the user
 *
 * The way of dispatch.c and reply/send.c: check the header, make a typed buffer of
 * the payload, read the buffer as a program would. Magic, version and length
 * are filled in where the input has them wrong by little, so that the fuzzer
 * need not find them.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ubf.h>

#include "libatmi/buffer/buf.h"
#include "libatmi/buffer/parts.h"
#include "libatmi/wire/msg.h"
#include "libatmi/domain/tables.h"

_Static_assert(sizeof(struct ow_msg) == 120,
	       "each file of seeds/ begins with one");

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void read_fields(char *data)
{
	char text[64];
	BFLDID id = BFIRSTFLDID;
	BFLDOCC occ;
	BFLDLEN len;

	while (Bnext((UBFH *)data, &id, &occ, NULL, NULL) == 1) {
		len = sizeof(text);
		(void)CBget((UBFH *)data, id, occ, text, &len, BFLD_STRING);
		(void)Bfind((UBFH *)data, id, occ, NULL);
	}
	(void)Bchg((UBFH *)data, Bmkfldid(BFLD_STRING, 9), 0, "new", 0);
}

static void read_as_user(enum ow_buf_type type, char *data, long len)
{
	struct ow_buf_info info;
	char *flat = NULL;
	size_t wire;

	if (data == NULL)
		return;
	if (ow_buf_find(data, &info) != 0 || info.type != type ||
	    len < 0 || (size_t)len > info.size)
		abort();
	if (type == OW_BUF_UBF)
		read_fields(data);
	else if (type == OW_BUF_VIEW)
		(void)Bvnull(data, "member", 0, (char *)info.subtype);
	else if (type == OW_BUF_NULL && len != 0)
		abort();
	else if ((type == OW_BUF_STRING || type == OW_BUF_JSON) &&
		 strlen(data) + 1 != (size_t)len)
		abort();
	/* What came in can go out again. */
	if (ow_buf_wire_len(data, &info, len, &wire) != 0 ||
	    (type == OW_BUF_UBF && ow_parts_flatten(data, &flat, &wire) != 0))
		abort();
	free(flat);
}

/* `data`: NULL, or a buffer of another type that the user passed. */
static void receive(const struct ow_msg *m, const void *payload, char *data)
{
	char *before = data;
	long got = -1;
	int r = ow_buf_from_msg(m, payload, &data, &got);

	if (r == 0)
		read_as_user((enum ow_buf_type)m->buftype, data, got);
	else if (data != before || got != -1)
		abort();
	ow_buf_free_deep(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static _Alignas(16) uint8_t rx[OW_RX_SIZE];
	struct ow_msg *m = (struct ow_msg *)rx;
	uint8_t *payload;

	if (len > sizeof(rx))
		len = sizeof(rx);
	memcpy(rx, bytes, len);
	(void)ow_msg_check(m, len);
	if (len < sizeof(*m))
		return 0;
	m->magic = OW_MSG_MAGIC;
	m->version = OW_MSG_VERSION;
	m->len = len - sizeof(*m);
	m->block = 0;
	if (ow_msg_check(m, len) != 0)
		return 0;
	/* A copy of exactly this size: nobody reads beyond it. */
	payload = aligned_alloc(16, (m->len + 31) / 16 * 16);
	if (payload == NULL)
		return 0;
	memcpy(payload, m + 1, m->len);
	receive(m, payload, NULL);
	receive(m, payload, ow_buf_new(OW_BUF_STRING, 600));
	receive(m, payload, ow_buf_new(OW_BUF_UBF, 1024));
	free(payload);
	return 0;
}
