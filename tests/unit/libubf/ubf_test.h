/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ubf_test.h - field ids and random numbers for the tests of libubf
 */
#ifndef OW_UBF_TEST_H
#define OW_UBF_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <ubf.h>

#define ID(type, number) ((BFLDID)((type) << 25 | (number)))
#define F_SHORT ID(BFLD_SHORT, 101)
#define F_LONG ID(BFLD_LONG, 102)
#define F_CHAR ID(BFLD_CHAR, 103)
#define F_FLOAT ID(BFLD_FLOAT, 104)
#define F_DOUBLE ID(BFLD_DOUBLE, 105)
#define F_STRING ID(BFLD_STRING, 106)
#define F_CARRAY ID(BFLD_CARRAY, 107)
#define F_PTR ID(BFLD_PTR, 108)
#define F_UBF ID(BFLD_UBF, 109)
#define F_VIEW ID(BFLD_VIEW, 110)
#define F_STRING2 ID(BFLD_STRING, 206)
#define F_LONG2 ID(BFLD_LONG, 202)

/* xorshift: the same sequence on every machine. */
static inline uint32_t rnd(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (uint32_t)(*seed >> 16);
}

static inline uint32_t rnd_below(uint64_t *seed, uint32_t n)
{
	return rnd(seed) % n;
}

#endif
