/* SPDX-License-Identifier: Apache-2.0 */
/*
 * family_service.c - figures of each service
 */
#include "clients/ndrxmetrics/family.h"

#include <stdio.h>
#include <string.h>

#include "libatmi/base/clock.h"

/* Exported buckets: 16 us to 67 s. Buckets below count in the first one, those
 * above in +Inf. */
#define BUCKET_FIRST 3u
#define BUCKET_LAST  25u

/* A service that exists. */
struct service {
	const struct ow_svc *svc;
	const struct ow_total *total;
	char name[OW_SVC_NAME];
	struct ow_text_label labels[3]; /* the second is free */
};

/* The next service from *i on; false: no more. */
static bool next_service(const struct ow_figures *f, uint32_t *i,
			 struct service *s)
{
	const struct ow_svc *first = f->view.d.tables->svc;

	memset(s, 0, sizeof(*s));
	for (; *i < ow_view_services(&f->view); (*i)++) {
		s->svc = ow_view_service(&f->view, *i, s->name);
		if (s->svc == NULL)
			continue;
		s->total = ow_totals_service(f->totals,
					     (uint32_t)(s->svc - first));
		s->labels[0].name = "service";
		s->labels[0].value = s->name;
		(*i)++;
		return true;
	}
	return false;
}

#define EACH_SERVICE(f, s) \
	for (uint32_t i_ = 0; next_service(f, &i_, &(s));)

void ow_family_calls(const struct ow_figures *f, const struct ow_family *fam,
		     struct ow_text *t)
{
	struct service s;

	EACH_SERVICE(f, s) {
		s.labels[1].name = "result";
		s.labels[1].value = "ok";
		ow_family_uint(fam, t, s.labels, s.total->counts.n[OW_CNT_OK]);
		s.labels[1].value = "fail";
		ow_family_uint(fam, t, s.labels, s.total->counts.n[OW_CNT_FAIL]);
	}
}

/* A word of struct ow_total. */
void ow_family_total(const struct ow_figures *f, const struct ow_family *fam,
		     struct ow_text *t)
{
	struct service s;

	EACH_SERVICE(f, s)
		ow_family_uint(fam, t, s.labels, ow_family_word(fam, s.total));
}

/* A word of struct ow_svc. */
void ow_family_service(const struct ow_figures *f, const struct ow_family *fam,
		       struct ow_text *t)
{
	struct service s;

	EACH_SERVICE(f, s)
		ow_family_uint(fam, t, s.labels, ow_family_word(fam, s.svc));
}

/* Requests waiting; 0 without a queue. */
static uint32_t depth_of(const struct ow_figures *f, const struct service *s)
{
	uint32_t depth = 0;

	return ow_view_depth(&f->view, s->name, &depth) ? depth : 0;
}

void ow_family_depth(const struct ow_figures *f, const struct ow_family *fam,
		     struct ow_text *t)
{
	struct service s;

	EACH_SERVICE(f, s)
		ow_family_uint(fam, t, s.labels, depth_of(f, &s));
}

void ow_family_oldest(const struct ow_figures *f, const struct ow_family *fam,
		      struct ow_text *t)
{
	struct service s;

	EACH_SERVICE(f, s) {
		uint64_t now = ow_clock_mono_ns(), age = 0;

		if (depth_of(f, &s) > 0 && s.total->front_ns != 0 &&
		    now > s.total->front_ns)
			age = (now - s.total->front_ns) / OW_NS_PER_US;
		ow_family_us(fam, t, s.labels, age);
	}
}

static void write_buckets(const struct ow_family *fam, struct ow_text *t,
			  struct service *s, const uint64_t *hist)
{
	const char *const name[2] = { fam->name, "_bucket" };
	const char *const count[2] = { fam->name, "_count" };
	uint64_t sum = 0;
	char le[32];

	s->labels[1] = (struct ow_text_label){ "le", le };
	for (unsigned int b = 0; b < OW_HIST_BUCKETS; b++) {
		sum += hist[b];
		if (b < BUCKET_FIRST || b > BUCKET_LAST)
			continue;
		snprintf(le, sizeof(le), "%.9g",
			 ow_family_seconds(ow_bucket_to(b)));
		ow_text_uint(t, name, s->labels, sum);
	}
	snprintf(le, sizeof(le), "+Inf");
	ow_text_uint(t, name, s->labels, sum);
	s->labels[1].name = NULL;
	ow_text_uint(t, count, s->labels, sum);
}

void ow_family_histogram(const struct ow_figures *f,
			 const struct ow_family *fam, struct ow_text *t)
{
	const char *const name[2] = { fam->name, "_sum" };
	struct service s;

	EACH_SERVICE(f, s) {
		const uint64_t *n = s.total->counts.n;
		bool wait = fam->off ==
			    offsetof(struct ow_total,
				     counts.n[OW_CNT_WAIT_HIST]);

		write_buckets(fam, t, &s,
			      n + (wait ? OW_CNT_WAIT_HIST : OW_CNT_HIST));
		ow_text_real(t, name, s.labels,
			     ow_family_seconds(n[wait ? OW_CNT_WAIT_US
						      : OW_CNT_SUM_US]));
	}
}
