/* SPDX-License-Identifier: Apache-2.0 */
/*
 * common.h - checksums and fields shared by the test server and test client
 *
 * Both compare payloads by a checksum: FNV-1a, cut to 31 bits, so that it fits
 * tpurcode. The programs use public headers only, as applications do.
 */
#ifndef TEST_COMMON_H
#define TEST_COMMON_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <ubf.h>
#include <xatmi.h>

/* The field that carries the bytes of a UBF payload. */
#define TEST_FIELD Bmkfldid(BFLD_CARRAY, 10001)

/* The field that points to other buffers. */
#define TEST_POINTER Bmkfldid(BFLD_PTR, 10002)

#define TEST_VIEW_TEXT 65536

static inline long test_sum(const void *data, size_t len)
{
	const uint8_t *p = data;
	uint32_t h = 2166136261u;

	while (len-- > 0)
		h = (h ^ *p++) * 16777619u;
	return (long)(h & 0x7fffffff);
}

static inline int test_view_line(char **line, long len, void *to,
				 int *do_write, FILE *outf, int fid)
{
	char *text = to;

	(void)do_write;
	(void)outf;
	(void)fid;
	if (strlen(text) + (size_t)len < TEST_VIEW_TEXT)
		strcat(text, *line);
	return 0;
}

/* A structure as text, valid until the next call of the thread. */
static inline char *test_view_text(char *data, char *view)
{
	static __thread char text[TEST_VIEW_TEXT];

	text[0] = '\0';
	if (Bvfprintcb(data, view, test_view_line, text) < 0)
		strcpy(text, Bstrerror(Berror));
	return text;
}

/* The bytes of a buffer, whatever its type; NULL data: no bytes. */
static inline const char *test_bytes(char *data, long len, size_t *ret_len)
{
	char type[XATMI_TYPE_LEN + 1] = "", sub[XATMI_SUBTYPE_LEN + 1];
	BFLDLEN n = 0;
	char *p;

	*ret_len = 0;
	if (data == NULL || tptypes(data, type, sub) < 0)
		return "";
	if (strcmp(type, "VIEW") == 0) {
		p = test_view_text(data, sub);
		*ret_len = strlen(p);
		return p;
	}
	if (strncmp(type, "UBF", 3) == 0 || strncmp(type, "FML", 3) == 0) {
		p = Bfind((UBFH *)data, TEST_FIELD, 0, &n);
		*ret_len = p != NULL ? (size_t)n : 0;
		return p != NULL ? p : "";
	}
	*ret_len = strcmp(type, "STRING") == 0 || strcmp(type, "JSON") == 0
			   ? strlen(data) : (size_t)len;
	return data;
}

#endif
