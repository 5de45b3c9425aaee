/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - the records in the log of a tmsrv, and which of them hold
 */
#include "servers/tmsrv/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define MAGIC  UINT32_C(0x3254574f) /* "OWT2" */
#define BEFORE UINT32_C(0x4c54574f) /* of a log without a chain */
#define STEP   8		    /* records begin at multiples of this */

/* A record of a log without a chain: it is taken over. */
struct unchained {
	uint32_t magic, crc;
	uint16_t kind, pad;
	uint32_t n;
	uint64_t value;
};

size_t record_size(uint32_t n)
{
	return sizeof(struct record) + n * sizeof(struct tmlog_branch);
}

static uint32_t sum(const char *r, size_t size, size_t at)
{
	static const uint32_t none;
	uLong crc = crc32(0, (const Bytef *)r, (uInt)at);

	crc = crc32(crc, (const Bytef *)&none, sizeof(none));
	return (uint32_t)crc32(crc, (const Bytef *)r + at + 4,
			       (uInt)(size - at - 4));
}

static uint32_t sum_of(const struct record *r)
{
	return sum((const char *)r, record_size(r->n),
		   offsetof(struct record, crc));
}

struct record *record_new(enum kind kind, uint64_t value,
			  const struct tmlog_branch *b, uint32_t n)
{
	struct record *r = calloc(1, record_size(n));

	if (r == NULL)
		return NULL;
	r->magic = MAGIC;
	r->kind = (uint16_t)kind;
	r->n = n;
	r->value = value;
	if (n > 0)
		memcpy(r + 1, b, n * sizeof(*b));
	return r;
}

void record_chain(struct record *r, uint64_t number, uint32_t before,
		  uint64_t on_disk)
{
	uint64_t behind = number - on_disk;

	r->number = number;
	r->before = before;
	r->behind = behind < UINT32_MAX ? (uint32_t)behind : UINT32_MAX;
	r->crc = sum_of(r);
}

/* ---- reading ---- */

/* The record at `at`, if it is whole; NULL: there is none. */
static struct record *whole(char *bytes, size_t size, size_t at)
{
	struct record *r = (struct record *)(bytes + at);

	if (at > size || size - at < sizeof(*r) || r->magic != MAGIC ||
	    r->n > (size - at - sizeof(*r)) / sizeof(struct tmlog_branch) ||
	    sum_of(r) != r->crc)
		return NULL;
	return r;
}

static int add(struct record_scan *s, struct record *r)
{
	struct record **all;

	if (s->n % 1024 == 0) {
		all = realloc(s->all, (s->n + 1024) * sizeof(r));
		if (all == NULL)
			return -ENOMEM;
		s->all = all;
	}
	s->all[s->n++] = r;
	return 0;
}

static bool follows(const struct record *r, const struct record *last)
{
	return last == NULL ? r->kind == IDENTITY && r->before == 0
			    : r->number == last->number + 1 &&
				      r->before == last->crc;
}

/* Those of the chain, then all others that are whole: they prove what was on
 * disk. */
static int scan(char *bytes, size_t size, struct record_scan *s)
{
	struct record *r, *last = NULL;
	bool chain = true;
	size_t at = 0;
	int e = 0;

	while (e == 0 && at < size) {
		r = whole(bytes, size, at);
		chain = chain && r != NULL && follows(r, last);
		if (r == NULL) {
			at += STEP;
			continue;
		}
		e = add(s, r);
		at += record_size(r->n);
		if (r->number - r->behind > s->proof)
			s->proof = r->number - r->behind;
		if (chain) {
			last = r;
			s->chained = s->n;
			s->end = at;
			s->last = r->number;
		}
	}
	return e;
}

/* A log without a chain ends at the first record that is not whole. */
static int scan_unchained(char *bytes, size_t size, struct record_scan *s)
{
	const struct unchained *u;
	size_t at = 0, all;
	struct record *r;

	for (; size - at >= sizeof(*u); at += all) {
		u = (const struct unchained *)(bytes + at);
		if (u->magic != BEFORE ||
		    u->n > (size - at - sizeof(*u)) /
				   sizeof(struct tmlog_branch))
			break;
		all = sizeof(*u) + u->n * sizeof(struct tmlog_branch);
		if (sum(bytes + at, all, offsetof(struct unchained, crc)) !=
		    u->crc)
			break;
		r = record_new(u->kind, u->value,
			       (const struct tmlog_branch *)(u + 1), u->n);
		if (r == NULL || add(s, r) != 0) {
			free(r);
			return -ENOMEM;
		}
	}
	s->chained = s->n;
	s->end = at;
	return 0;
}

int record_scan(char *bytes, size_t size, uint64_t mark,
		struct record_scan *ret)
{
	uint32_t magic = 0;

	memset(ret, 0, sizeof(*ret));
	ret->proof = mark;
	if (size >= sizeof(magic))
		memcpy(&magic, bytes, sizeof(magic));
	ret->copies = magic == BEFORE && mark == 0;
	if (ret->copies) {
		if (scan_unchained(bytes, size, ret) != 0)
			return -ENOMEM;
	} else if (scan(bytes, size, ret) != 0) {
		return -ENOMEM;
	}
	ret->foreign = size > 0 && ret->chained == 0;
	return 0;
}

void record_scan_free(struct record_scan *s)
{
	size_t i;

	for (i = 0; s->copies && i < s->n; i++)
		free(s->all[i]);
	free(s->all);
	s->all = NULL;
	s->n = 0;
}
