/* SPDX-License-Identifier: Apache-2.0 */
/*
 * family.c - write one sample of a family
 */
#include "clients/ndrxmetrics/family.h"

#include <stdatomic.h>
#include <string.h>

static const char *suffix_of(const struct ow_family *fam)
{
	return strcmp(fam->type, OW_FAMILY_COUNTER) == 0 ? "_total" : "";
}

uint64_t ow_family_word(const struct ow_family *fam, const void *base)
{
	const void *word = (const char *)base + fam->off;

	if (fam->size == sizeof(uint32_t))
		return atomic_load((const _Atomic uint32_t *)word);
	return atomic_load((const _Atomic uint64_t *)word);
}

void ow_family_uint(const struct ow_family *fam, struct ow_text *t,
		    const struct ow_text_label *labels, uint64_t value)
{
	const char *const name[2] = { fam->name, suffix_of(fam) };

	ow_text_uint(t, name, labels, value);
}

void ow_family_us(const struct ow_family *fam, struct ow_text *t,
		  const struct ow_text_label *labels, uint64_t us)
{
	const char *const name[2] = { fam->name, suffix_of(fam) };

	ow_text_real(t, name, labels, ow_family_seconds(us));
}
