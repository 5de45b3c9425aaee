/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_binary.c - Bwrite and Bread: any buffer, any byte order, damaged bytes
 */
#include "tests/unit/libubf/view_test.h"

#include <stdio.h>

#include "libubf/io/binary.h"
#include "libubf/store/check.h"
#include "libubf/store/header.h"
#include "libubf/base/type.h"

#define HEAD sizeof(struct ow_ubf_binary_head)

struct stream {
	char *data;
	size_t len, at;
	size_t most;	/* bytes given at once */
};

static long give(char *buffer, long n, void *arg)
{
	struct stream *s = arg;
	size_t left = s->len - s->at;

	left = left < (size_t)n ? left : (size_t)n;
	left = left < s->most ? left : s->most;
	memcpy(buffer, s->data + s->at, left);
	s->at += left;
	return (long)left;
}

static int read_bytes(UBFH *p, const void *data, size_t len)
{
	struct stream s = { (char *)data, len, 0, 1000 };

	return Breadcb(p, give, &s);
}

static char *written(UBFH *p, size_t *len)
{
	char *data = NULL;
	FILE *f = open_memstream(&data, len);

	assert_int_equal(Bwrite(p, f), 0);
	fclose(f);
	return data;
}

/* CRC-32 bit by bit, independent of the library. */
static uint32_t crc_of(const unsigned char *p, size_t n)
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

/* ---- the bytes of the form, which must never change ---- */

static const unsigned char little[] = {
	'O', 'W', 'U', 'B', 1, 0, 0x02, 0x01, 0, 0, 0, 0, 0, 0, 0, 0,
	69, 0, 0, 0, 0, 0, 0, 0,
	4, 0, 0, 0,				/* fields */
	101, 0, 0, 0, 2, 0, 0, 0, 0xfe, 0xff,	/* short -2 */
	102, 0, 0, 2, 8, 0, 0, 0, 0x15, 0xcd, 0x5b, 0x07, 0, 0, 0, 0,
	106, 0, 0, 10, 3, 0, 0, 0, 'h', 'i', 0,
	109, 0, 0, 20, 20, 0, 0, 0,		/* a buffer in it */
	1, 0, 0, 0,
	105, 0, 0, 8, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f,
};

static const unsigned char big[] = {
	'O', 'W', 'U', 'B', 0, 1, 0x01, 0x02, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 69,
	0, 0, 0, 4,
	0, 0, 0, 101, 0, 0, 0, 2, 0xff, 0xfe,
	2, 0, 0, 102, 0, 0, 0, 8, 0, 0, 0, 0, 0x07, 0x5b, 0xcd, 0x15,
	10, 0, 0, 106, 0, 0, 0, 3, 'h', 'i', 0,
	20, 0, 0, 109, 0, 0, 0, 20,
	0, 0, 0, 1,
	8, 0, 0, 105, 0, 0, 0, 8, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0,
};

#define LEN sizeof(little)

_Static_assert(sizeof(big) == LEN, "the same in both orders");

/* The buffer that `little` and `big` describe. */
static UBFH *as_bytes(void)
{
	UBFH *p = Balloc(10, 500), *in = Balloc(4, 100);

	assert_int_equal(Badds(p, F_SHORT, (char *)"-2"), 0);
	assert_int_equal(Badds(p, F_LONG, (char *)"123456789"), 0);
	assert_int_equal(Badds(p, F_STRING, (char *)"hi"), 0);
	assert_int_equal(Badds(in, F_DOUBLE, (char *)"1.5"), 0);
	assert_int_equal(Badd(p, F_UBF, (char *)in, 0), 0);
	Bfree(in);
	return p;
}

/* A copy of the bytes with the right checksum. */
static unsigned char *summed(const unsigned char *bytes, unsigned char *to)
{
	uint32_t crc = crc_of(bytes + HEAD, LEN - HEAD);
	int swap = bytes[6] == 0x01, i;

	memmove(to, bytes, LEN);
	for (i = 0; i < 4; i++)
		to[8 + i] = (unsigned char)(crc >> 8 * (swap ? 3 - i : i));
	return to;
}

static void both_byte_orders_are_read(void **state)
{
	unsigned char bytes[LEN];
	UBFH *p = as_bytes(), *q = Balloc(20, 500);

	assert_int_equal(read_bytes(q, summed(little, bytes), LEN), 0);
	assert_int_equal(Bcmp(p, q), 0);
	assert_int_equal(Binit(q, 500), 0);
	assert_int_equal(read_bytes(q, summed(big, bytes), LEN), 0);
	assert_int_equal(Bcmp(p, q), 0);
	Bfree(p);
	Bfree(q);
}

static void the_binary_form_has_fixed_bytes(void **state)
{
	unsigned char bytes[LEN];
	UBFH *p = as_bytes();
	size_t len;
	char *data = written(p, &len);

	assert_int_equal(len, LEN);
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		assert_memory_equal(data, summed(little, bytes), LEN);
	else
		assert_memory_equal(data, summed(big, bytes), LEN);
	free(data);
	Bfree(p);
}

/* ---- damage ---- */

static void every_damaged_byte_is_detected(void **state)
{
	unsigned char bytes[LEN];
	UBFH *p = Balloc(20, 500);
	size_t i;

	assert_int_equal(Badds(p, F_LONG, (char *)"7"), 0);
	for (i = 0; i < 8 * LEN; i++) {
		if (i / 8 >= 12 && i / 8 < 16)
			continue;	/* reserved */
		summed(little, bytes);
		bytes[i / 8] ^= (unsigned char)(1u << i % 8);
		assert_int_equal(read_bytes(p, bytes, LEN), -1);
		assert_true(Berror == BNOTFLD || Berror == BEUNIX);
		assert_int_equal(Bnum(p), 1);
	}
	for (i = 0; i < LEN; i++) {
		summed(little, bytes);
		assert_int_equal(read_bytes(p, bytes, i), -1);
		assert_int_equal(Berror, BEUNIX);
		assert_int_equal(Bnum(p), 1);
	}
	Bfree(p);
}

/* The checksum is right: what Bread() accepts must be a valid buffer. */
static void forged_bytes_are_refused(void **state)
{
	unsigned char bytes[LEN];
	UBFH *p = Balloc(40, 2000);
	uint64_t seed = 5;
	int i, k, taken = 0;

	for (i = 0; i < 200000; i++) {
		memcpy(bytes, rnd_below(&seed, 2) ? little : big, LEN);
		for (k = (int)rnd_below(&seed, 3); k >= 0; k--)
			bytes[HEAD + rnd_below(&seed, LEN - HEAD)] =
				(unsigned char)rnd(&seed);
		taken += read_bytes(p, summed(bytes, bytes), LEN) == 0;
		assert_int_equal(ow_ubf_check(p, ow_ubf_used(p)), 0);
	}
	assert_true(taken > 1000);
	assert_true(taken < 190000);
	Bfree(p);
}

static void other_versions_are_reported(void **state)
{
	unsigned char bytes[LEN];
	UBFH *p = Balloc(20, 500);

	summed(little, bytes);
	bytes[4] = 2;
	assert_int_equal(read_bytes(p, bytes, LEN), -1);
	assert_int_equal(Berror, BNOTFLD);
	assert_non_null(strstr(Bstrerror(Berror), "another version"));
	Bfree(p);
}

/* The head claims gigabytes that do not follow: no memory is allocated for
 * them. */
static void claimed_sizes_allocate_nothing(void **state)
{
	unsigned char bytes[LEN];
	UBFH *p = Balloc(20, 500);

	summed(little, bytes);
	bytes[19] = 0xf0;
	assert_int_equal(read_bytes(p, bytes, LEN), -1);
	assert_int_equal(Berror, BEUNIX);
	bytes[20] = 1;
	assert_int_equal(read_bytes(p, bytes, LEN), -1);
	assert_int_equal(Berror, BNOTFLD);
	Bfree(p);
}

/* ---- files ---- */

static void buffers_written_are_read_back(void **state)
{
	UBFH *p = as_bytes(), *q = Balloc(30, 3000), *small = Balloc(1, 10);
	UBFH *empty = Balloc(1, 10);
	FILE *f = tmpfile();

	assert_int_equal(Bwrite(p, f), 0);
	assert_int_equal(Bwrite(empty, f), 0);
	rewind(f);
	assert_int_equal(Bread(q, f), 0);
	assert_int_equal(Bcmp(p, q), 0);
	assert_int_equal(Bsizeof(q), Bneeded(30, 3000));
	assert_int_equal(Bread(q, f), 0);
	assert_int_equal(Bnum(q), 0);
	assert_int_equal(Bread(q, f), -1);
	assert_int_equal(Berror, BEUNIX);
	rewind(f);
	assert_int_equal(Bread(small, f), -1);
	assert_int_equal(Berror, BNOSPACE);
	rewind(f);
	fprintf(f, "%200s", "text");
	rewind(f);
	assert_int_equal(Bread(q, f), -1);
	assert_int_equal(Berror, BNOTFLD);
	fclose(f);
	Bfree(p);
	Bfree(q);
	Bfree(small);
	Bfree(empty);
}

static void views_and_pointers_are_written(void **state)
{
	struct SAMPLE *s = view_sample();
	BVIEWFLD f = { 7, "SAMPLE", (char *)s }, none = { 0 };
	UBFH *p = Balloc(20, 4000), *q = Balloc(20, 4000);
	void *pointer = s;
	size_t len;
	char *data, *at;

	setenv("NDRX_APIFLAGS", "ubf_ptrparse", 1);
	s->two = 5;
	assert_int_equal(Badd(p, F_VIEW, (char *)&f, 0), 0);
	assert_int_equal(Badd(p, F_VIEW, (char *)&none, 0), 0);
	assert_int_equal(Badd(p, F_PTR, (char *)&pointer, 0), 0);
	assert_int_equal(Badd(p, F_CARRAY, (char *)"\0\1", 2), 0);
	assert_int_equal(Badd(p, F_CARRAY, (char *)"", 0), 0);
	data = written(p, &len);
	assert_int_equal(read_bytes(q, data, len), 0);
	assert_int_equal(Bcmp(p, q), 0);
	assert_int_equal(((BVIEWFLD *)Bfind(q, F_VIEW, 0, NULL))->vflags, 7);
	/* Change the name of the view to that of another one. */
	at = memmem(data, len, "SAMPLE", 7);
	memcpy(at, "SMALL\0", 6);
	((struct ow_ubf_binary_head *)data)->crc =
		crc_of((unsigned char *)data + HEAD, len - HEAD);
	assert_int_equal(read_bytes(q, data, len), -1);
	assert_int_equal(Berror, BBADVIEW);
	assert_int_equal(Bcmp(p, q), 0);
	unsetenv("NDRX_APIFLAGS");
	free(data);
	free(s);
	Bfree(p);
	Bfree(q);
}

/* Neither written nor read, in embedded buffers, too, without ubf_ptrparse. */
static void pointers_are_dropped(void **state)
{
	UBFH *in = Balloc(20, 500);
	UBFH *p = Balloc(20, 2000), *q = Balloc(20, 2000);
	void *pointer = p;
	size_t len;
	char *data;
	int i;

	assert_int_equal(Badd(in, F_PTR, (char *)&pointer, 0), 0);
	assert_int_equal(Badd(in, F_STRING, (char *)"in", 0), 0);
	assert_int_equal(Badd(p, F_PTR, (char *)&pointer, 0), 0);
	assert_int_equal(Badd(p, F_UBF, (char *)in, 0), 0);
	for (i = 0; i < 2; i++) {
		setenv("NDRX_APIFLAGS", i == 0 ? "" : "ubf_ptrparse", 1);
		data = written(p, &len);
		unsetenv("NDRX_APIFLAGS");
		assert_int_equal(read_bytes(q, data, len), 0);
		assert_int_equal(Bnum(q), 1);
		assert_int_equal(Bnum((UBFH *)Bfind(q, F_UBF, 0, NULL)), 1);
		free(data);
	}
	Bfree(in);
	Bfree(p);
	Bfree(q);
}

/* A body of one view, in the other byte order. */
static void views_of_the_other_byte_order_are_refused(void **state)
{
	unsigned char bytes[HEAD + 12 + 56] = "OWUB";
	struct ow_ubf_binary_head *head = (void *)bytes;
	uint32_t *word = (void *)(bytes + HEAD);
	UBFH *p = Balloc(10, 500);
	size_t len;

	for (len = 48; len <= 56; len += 8) {
		head->version = __builtin_bswap16(OW_UBF_BINARY_VERSION);
		head->order = __builtin_bswap16(OW_UBF_BINARY_ORDER);
		head->len = __builtin_bswap64(12 + len);
		word[0] = __builtin_bswap32(1);
		word[1] = __builtin_bswap32(F_VIEW);
		word[2] = __builtin_bswap32((uint32_t)len);
		head->crc = __builtin_bswap32(crc_of(bytes + HEAD, 12 + len));
		if (len == 48) {	/* no structure, nothing to swap */
			assert_int_equal(read_bytes(p, bytes, HEAD + 60), 0);
			assert_int_equal(Bnum(p), 1);
			strcpy((char *)(word + 3), "SMALL");
		} else {
			assert_int_equal(read_bytes(p, bytes, HEAD + 68), -1);
			assert_int_equal(Berror, BBADVIEW);
		}
	}
	Bfree(p);
}

static void nesting_has_a_limit(void **state)
{
	UBFH *p = malloc(20000), *q = malloc(20000);
	int depth, r = 0;
	size_t len;
	char *data;

	assert_int_equal(Binit(p, 20000), 0);
	for (depth = 0; r == 0; depth++) {
		data = written(p, &len);
		assert_int_equal(Binit(q, 20000), 0);
		r = read_bytes(q, data, len);
		if (r == 0)
			assert_int_equal(Bcmp(p, q), 0);
		free(data);
		assert_int_equal(Binit(q, 20000), 0);
		assert_int_equal(Badd(q, F_UBF, (char *)p, 0), 0);
		assert_int_equal(Bcpy(p, q), 0);
	}
	assert_int_equal(depth - 1, OW_UBF_DEPTH_MAX + 1);
	free(p);
	free(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_byte_orders_are_read),
		cmocka_unit_test(the_binary_form_has_fixed_bytes),
		cmocka_unit_test(every_damaged_byte_is_detected),
		cmocka_unit_test(forged_bytes_are_refused),
		cmocka_unit_test(other_versions_are_reported),
		cmocka_unit_test(claimed_sizes_allocate_nothing),
		cmocka_unit_test(buffers_written_are_read_back),
		cmocka_unit_test(views_and_pointers_are_written),
		cmocka_unit_test(pointers_are_dropped),
		cmocka_unit_test(views_of_the_other_byte_order_are_refused),
		cmocka_unit_test(nesting_has_a_limit),
	};

	return cmocka_run_group_tests(tests, view_setup, view_teardown);
}
