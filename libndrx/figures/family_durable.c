/* SPDX-License-Identifier: Apache-2.0 */
/*
 * family_durable.c - figures of durable queues, of each tmqueue
 */
#include "libndrx/figures/family.h"

#include <stdlib.h>

#include "libndrx/observe/snapshots.h"
#include "libatmi/base/clock.h"

/* The next tmqueue behind *id; frees the one before. False: no more. */
static bool next_space(const struct ow_figures *f, uint32_t *id,
		       struct ow_mq_snapshot **p)
{
	free(*p);
	*p = ow_snapshot_space(&f->view, id);
	return *p != NULL;
}

#define EACH_SPACE(f, p)                                                       \
	struct ow_mq_snapshot *p = NULL;                                       \
	for (uint32_t i_ = 0; next_space(f, &i_, &(p));)

#define EACH_QUEUE(p, q)                                                       \
	for (const struct ow_mq_snapshot_queue *q = (p)->queue;                \
	     q < (p)->queue + (p)->n; q++)

static void label(const struct ow_mq_snapshot *p,
		  const struct ow_mq_snapshot_queue *q,
		  struct ow_text_label ret[3])
{
	ret[0] = (struct ow_text_label){ "space", p->space };
	ret[1] = (struct ow_text_label){ q != NULL ? "queue" : NULL,
					 q != NULL ? q->name : NULL };
	ret[2] = (struct ow_text_label){ NULL, NULL };
}

void ow_family_space(const struct ow_figures *f, const struct ow_family *fam,
		     struct ow_text *t)
{
	struct ow_text_label labels[3];

	EACH_SPACE(f, p) {
		label(p, NULL, labels);
		ow_family_uint(fam, t, labels, ow_family_word(fam, p));
	}
}

void ow_family_durable(const struct ow_figures *f, const struct ow_family *fam,
		       struct ow_text *t)
{
	struct ow_text_label labels[3];

	EACH_SPACE(f, p) {
		EACH_QUEUE(p, q) {
			label(p, q, labels);
			ow_family_uint(fam, t, labels, ow_family_word(fam, q));
		}
	}
}

void ow_family_durable_age(const struct ow_figures *f,
			   const struct ow_family *fam, struct ow_text *t)
{
	struct ow_text_label labels[3];

	EACH_SPACE(f, p) {
		EACH_QUEUE(p, q) {
			label(p, q, labels);
			ow_family_us(fam, t, labels,
				     ow_snapshot_age_us(q, ow_clock_real_ns()));
		}
	}
}
