/* SPDX-License-Identifier: Apache-2.0 */
/*
 * getter.c - the value of a member written as text
 */
#include "libndrx/config/getter.h"

#include <inttypes.h>

#include "libndrx/config/config.h"
#include "libndrx/config/value.h"

static const void *member_of(const struct ow_field *f, const void *base)
{
	return (const char *)base + f->offset;
}

bool ow_config_field_is_absent(const struct ow_field *f, const void *base)
{
	const void *member = member_of(f, base);

	if ((f->flags & OW_FIELD_CHECKED) != 0)
		return true;
	switch (f->kind) {
	case OW_FIELD_TEXT:
	case OW_FIELD_COMMAND:
		return *(const char *const *)member == NULL;
	case OW_FIELD_CYCLES:
	case OW_FIELD_SECONDS:
		/* 0 means "not given" where the file cannot say 0. */
		return (f->flags & OW_FIELD_POSITIVE) != 0 &&
		       *(const uint64_t *)member == 0;
	case OW_FIELD_SCALE:
		return ((const struct ow_config_scale *)member)->wait_ms == 0;
	default:
		return false;
	}
}

void ow_config_field_xml(FILE *out, const struct ow_field *f, const void *base)
{
	const void *member = member_of(f, base);
	const struct ow_config_scale *scale = member;
	const int *signals = member;

	switch (f->kind) {
	case OW_FIELD_INT:
		fprintf(out, "%d", *(const int *)member);
		break;
	case OW_FIELD_BOOL:
		fputs(*(const bool *)member ? "Y" : "N", out);
		break;
	case OW_FIELD_CYCLES:
	case OW_FIELD_SECONDS:
		fprintf(out, "%" PRIu64 "ms", *(const uint64_t *)member);
		break;
	case OW_FIELD_SIZE:
		fprintf(out, "%" PRId64, *(const int64_t *)member);
		break;
	case OW_FIELD_SHARE:
		if (*(const int *)member == OW_VALUE_ALWAYS)
			fputs("always", out);
		else
			fprintf(out, "%d", *(const int *)member);
		break;
	case OW_FIELD_KILLSEQ:
		for (int i = 0; i < 3 && signals[i] != 0; i++)
			fprintf(out, "%s%d", i > 0 ? "," : "", signals[i]);
		break;
	case OW_FIELD_SCALE:
		fprintf(out,
			"wait=%" PRIu64 "ms after=%" PRIu64 "ms calm=%" PRIu64
			"ms",
			scale->wait_ms, scale->after_ms, scale->calm_ms);
		break;
	default:
		/* A ${ left in a command line is a process variable. */
		ow_config_text_put(out, *(const char *const *)member,
				   f->kind != OW_FIELD_COMMAND);
	}
}

void ow_config_field_text(FILE *out, const struct ow_field *f,
			  const void *base)
{
	const void *member = member_of(f, base);
	uint64_t ms;

	switch (f->kind) {
	case OW_FIELD_CYCLES:
	case OW_FIELD_SECONDS:
		ms = *(const uint64_t *)member;
		if (ms % 1000 == 0)
			fprintf(out, "%" PRIu64 "s", ms / 1000);
		else
			fprintf(out, "%" PRIu64 "ms", ms);
		break;
	case OW_FIELD_TEXT:
	case OW_FIELD_COMMAND:
		fputs(*(const char *const *)member, out);
		break;
	default:
		ow_config_field_xml(out, f, base);
	}
}
