/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_binary.c - fuzz the body of what Bread reads, in both byte orders
 *
 * The first byte chooses the order; head and checksum are made right. An
 * accepted buffer is valid, and the same after it is written and read again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ubf.h>

#include "libubf/io/binary.h"
#include "libubf/store/check.h"
#include "libubf/store/header.h"
#include "tests/fuzz/sample.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	fuzz_sample_load();
	return 0;
}

static uint32_t crc_of(const uint8_t *p, size_t n)
{
	uint32_t c = 0xffffffffu;
	int k;

	while (n-- > 0) {
		c ^= *p++;
		for (k = 0; k < 8; k++)
			c = c >> 1 ^ (0xedb88320u & (0 - (c & 1)));
	}
	return ~c;
}

static struct ow_ubf_binary_head make_head(const uint8_t *body, size_t len,
					   int swap)
{
	struct ow_ubf_binary_head head = { OW_UBF_BINARY_MAGIC,
					   OW_UBF_BINARY_VERSION,
					   OW_UBF_BINARY_ORDER,
					   crc_of(body, len), 0, len };

	if (swap) {
		head.version = __builtin_bswap16(head.version);
		head.order = __builtin_bswap16(head.order);
		head.crc = __builtin_bswap32(head.crc);
		head.len = __builtin_bswap64(head.len);
	}
	return head;
}

static void write_and_read_back(const UBFH *p)
{
	struct ow_ubf_binary_head head;
	UBFH *q = NULL;
	size_t len;
	char *out;

	fuzz_sample_must(ow_ubf_binary_encode(p, true, &out, &len) == 0);
	memcpy(&head, out, sizeof(head));
	fuzz_sample_must(ow_ubf_binary_decode(&head, out + sizeof(head),
					      true, &q) == 0);
	fuzz_sample_must(Bcmp((UBFH *)p, q) == 0);
	free(out);
	free(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ow_ubf_binary_head head;
	UBFH *p = NULL;
	char *body;

	if (size == 0)
		return 0;
	/* malloc'ed, so that the sanitizer knows its end. */
	body = malloc(size - 1 + (size == 1));
	fuzz_sample_must(body != NULL);
	memcpy(body, data + 1, size - 1);
	head = make_head(data + 1, size - 1, data[0] & 1);
	if (ow_ubf_binary_decode(&head, body, true, &p) == 0) {
		fuzz_sample_must(ow_ubf_check(p, ow_ubf_used(p)) == 0);
		write_and_read_back(p);
		free(p);
	}
	free(body);
	return 0;
}
