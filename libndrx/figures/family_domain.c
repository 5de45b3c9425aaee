/* SPDX-License-Identifier: Apache-2.0 */
/*
 * family_domain.c - figures of the domain as a whole
 */
#include "libndrx/figures/family.h"

#include <ndrx_config.h>

#include "libatmi/base/clock.h"

void ow_family_info(const struct ow_figures *f, const struct ow_family *fam,
		    struct ow_text *t)
{
	const char *const name[2] = { fam->name, "_info" };
	struct ow_text_label labels[] = { { "domain", f->view.d.prefix },
					  { "version", NDRX_VERSION },
					  { NULL, NULL } };

	ow_text_uint(t, name, labels, 1);
}

void ow_family_up(const struct ow_figures *f, const struct ow_family *fam,
		  struct ow_text *t)
{
	ow_family_uint(fam, t, NULL, f->up);
}

void ow_family_ndrxd(const struct ow_figures *f, const struct ow_family *fam,
		     struct ow_text *t)
{
	ow_family_uint(fam, t, NULL, ow_observer_ndrxd(&f->view) > 0);
}

void ow_family_events(const struct ow_figures *f, const struct ow_family *fam,
		      struct ow_text *t)
{
	for (uint32_t k = OW_EVENT_NONE + 1; k < OW_EVENT_KIND_END; k++) {
		struct ow_text_label labels[] = {
			{ "kind", ow_event_word(k) }, { NULL, NULL }
		};

		ow_family_uint(fam, t, labels,
			       f->events == NULL
				       ? 0
				       : ow_events_count(f->events, k));
	}
}

/* A word of the tables' head. */
void ow_family_head(const struct ow_figures *f, const struct ow_family *fam,
		    struct ow_text *t)
{
	ow_family_uint(fam, t, NULL,
		       ow_family_word(fam, f->view.d.tables->head));
}

/* The word of servers or callers that look, with its label. */
static uint64_t look_word(const struct ow_figures *f,
			  const struct ow_family *fam, int kind,
			  struct ow_text_label labels[2])
{
	const struct ow_looks *l = &f->view.d.tables->head->looks;

	labels[0] = (struct ow_text_label){
		"by", kind == OW_LOOK_SERVER ? "server" : "caller"
	};
	labels[1] = (struct ow_text_label){ 0 };
	return ow_family_word(fam, &l->kind[kind].figures);
}

void ow_family_looks(const struct ow_figures *f, const struct ow_family *fam,
		     struct ow_text *t)
{
	struct ow_text_label labels[2];
	int i;

	for (i = 0; i < OW_LOOK_KINDS; i++) {
		uint64_t n = look_word(f, fam, i, labels);

		ow_family_uint(fam, t, labels, n);
	}
}

void ow_family_look_time(const struct ow_figures *f,
			 const struct ow_family *fam, struct ow_text *t)
{
	struct ow_text_label labels[2];
	int i;

	for (i = 0; i < OW_LOOK_KINDS; i++) {
		uint64_t ns = look_word(f, fam, i, labels);

		ow_family_us(fam, t, labels, ns / OW_NS_PER_US);
	}
}

void ow_family_mq_limit(const struct ow_figures *f, const struct ow_family *fam,
			struct ow_text *t)
{
	if (f->view.d.mq_limit != 0)
		ow_family_uint(fam, t, NULL, f->view.d.mq_limit);
}

void ow_family_clients(const struct ow_figures *f, const struct ow_family *fam,
		       struct ow_text *t)
{
	ow_family_uint(fam, t, NULL,
		       ow_family_word(fam, ow_totals_clients(f->totals)));
}

void ow_family_health(const struct ow_figures *f, const struct ow_family *fam,
		      struct ow_text *t)
{
	for (int i = 0; i < f->nhealth; i++) {
		struct ow_text_label labels[] = {
			{ "what", f->health[i].what }, { NULL, NULL }
		};

		ow_family_uint(fam, t, labels, f->health[i].grade);
	}
}
