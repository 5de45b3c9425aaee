/* SPDX-License-Identifier: Apache-2.0 */
/*
 * family.c - write one sample of a family
 */
#include "libndrx/figures/family.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/domain/buckets.h"

/* Exported buckets: 16 us to 67 s. Buckets below count in the first one, those
 * above in +Inf. */
#define BUCKET_FIRST 3u
#define BUCKET_LAST  25u

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

/* A row for each bucket, in the label behind the others. */
static uint64_t write_buckets(const struct ow_family *fam, struct ow_text *t,
			      struct ow_text_label *labels,
			      const uint64_t *hist,
			      const struct ow_family_exemplars *x)
{
	const struct ow_text_exemplar *e = NULL;
	struct ow_text_label *le = labels;
	const char *const name[2] = { fam->name, "_bucket" };
	uint64_t sum = 0;
	char text[32];

	while (le->name != NULL)
		le++;
	*le = (struct ow_text_label){ "le", text };
	for (unsigned int b = 0; b < OW_HIST_BUCKETS; b++) {
		sum += hist[b];
		if (x != NULL && x->of[b].trace_id != NULL)
			e = &x->of[b];
		if (b < BUCKET_FIRST || b > BUCKET_LAST)
			continue;
		snprintf(text, sizeof(text), "%.9g",
			 ow_family_seconds(ow_bucket_to(b)));
		ow_text_bucket(t, name, labels, sum, e);
		e = NULL;
	}
	snprintf(text, sizeof(text), "+Inf");
	ow_text_bucket(t, name, labels, sum, e);
	*le = (struct ow_text_label){ NULL, NULL };
	return sum;
}

void ow_family_write_hist(const struct ow_family *fam, struct ow_text *t,
			  struct ow_text_label *labels, const uint64_t *hist,
			  uint64_t sum_us, const struct ow_family_exemplars *x)
{
	const char *const count[2] = { fam->name, "_count" };
	const char *const sum[2] = { fam->name, "_sum" };
	uint64_t n = write_buckets(fam, t, labels, hist, x);

	ow_text_uint(t, count, labels, n);
	ow_text_real(t, sum, labels, ow_family_seconds(sum_us));
}
