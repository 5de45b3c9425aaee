/* SPDX-License-Identifier: Apache-2.0 */
/*
 * family_service.c - figures of each service
 */
#include "libndrx/figures/family.h"

#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/span/exemplars.h"

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
	for (; *i < ow_observer_services(&f->view); (*i)++) {
		s->svc = ow_observer_service(&f->view, *i, s->name);
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

void ow_family_servers(const struct ow_figures *f,
		       const struct ow_family *fam, struct ow_text *t)
{
	struct service s;
	bool remote;

	EACH_SERVICE(f, s)
	ow_family_uint(fam, t, s.labels,
		       ow_observer_servers(&f->view, s.svc, &remote));
}

void ow_family_suspended(const struct ow_figures *f,
			 const struct ow_family *fam, struct ow_text *t)
{
	struct service s;

	EACH_SERVICE(f, s)
	ow_family_uint(fam, t, s.labels, ow_observer_suspended(s.svc));
}

/* A word of struct ow_cache_figures, of services that were ever cached. */
void ow_family_cache(const struct ow_figures *f, const struct ow_family *fam,
		     struct ow_text *t)
{
	struct ow_cache_figures cache;
	struct service s;

	EACH_SERVICE(f, s)
	if (ow_observer_cache(&f->view, s.name, &cache))
		ow_family_uint(fam, t, s.labels, ow_family_word(fam, &cache));
}

/* Requests waiting; 0 without a queue. */
static uint32_t depth_of(const struct ow_figures *f, const struct service *s)
{
	uint32_t depth = 0;

	return ow_observer_depth(&f->view, s->name, &depth) ? depth : 0;
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

/* What the reader of spans has noted of a service. */
static void find_exemplars(const struct ow_exemplars *all, const char *name,
			   struct ow_family_exemplars *ret)
{
	const struct ow_exemplar *e;
	uint32_t i;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; all != NULL && i < all->n; i++) {
		e = &all->e[i];
		if (strcmp(e->service, name) != 0)
			continue;
		ret->of[ow_bucket_of(e->us)] = (struct ow_text_exemplar){
			e->trace_id, e->id, ow_family_seconds(e->us),
			(double)e->ended_ns / 1e9,
		};
	}
}

void ow_family_histogram(const struct ow_figures *f,
			 const struct ow_family *fam, struct ow_text *t)
{
	bool wait = fam->off ==
		    offsetof(struct ow_total, counts.n[OW_CNT_WAIT_HIST]);
	struct ow_exemplars *all =
	    wait ? NULL : ow_exemplars_get(&f->view.d);
	struct ow_family_exemplars x;
	struct service s;

	EACH_SERVICE(f, s) {
		const uint64_t *n = s.total->counts.n;

		find_exemplars(all, s.name, &x);
		ow_family_write_hist(fam, t, s.labels,
				     n + (wait ? OW_CNT_WAIT_HIST
					       : OW_CNT_HIST),
				     n[wait ? OW_CNT_WAIT_US
					    : OW_CNT_SUM_US], &x);
	}
	free(all);
}
