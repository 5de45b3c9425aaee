/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_crc32.c - the CRC-32 that files of Bwrite() and log lines carry
 */
#include "tests/unit/libubf/ubf_test.h"

#include "libubf/base/crc32.h"

/* The definition, bit by bit. */
static uint32_t slow_crc(const unsigned char *p, size_t n)
{
	uint32_t c = 0xffffffffu;
	int bit;

	while (n-- > 0) {
		c ^= *p++;
		for (bit = 0; bit < 8; bit++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
	}
	return ~c;
}

static void known_values_are_the_same(void **state)
{
	assert_int_equal(ow_crc32("", 0), 0);
	assert_int_equal(ow_crc32("123456789", 9), 0xcbf43926u);
	assert_int_equal(ow_crc32("localhost", 9), slow_crc(
		(const unsigned char *)"localhost", 9));
}

static void every_length_and_alignment_agrees_with_the_definition(void **state)
{
	unsigned char bytes[600];
	uint64_t seed = 7;
	size_t i, n;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)rnd(&seed);
	for (i = 0; i < 9; i++)
		for (n = 0; i + n <= sizeof(bytes); n++)
			assert_int_equal(ow_crc32(bytes + i, n),
					 slow_crc(bytes + i, n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_values_are_the_same),
		cmocka_unit_test(
			every_length_and_alignment_agrees_with_the_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
