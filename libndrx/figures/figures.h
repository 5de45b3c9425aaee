/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.h - where the figures of a domain come from
 */
#ifndef OW_FIGURES_H
#define OW_FIGURES_H

#include "libndrx/figures/health.h"
#include "libndrx/figures/totals.h"
#include "libatmi/domain/events.h"

struct ow_figures {
	bool up;	  /* the domain exists: view and totals are valid */
	unsigned int domain; /* one more with each that it was attached to */
	struct ow_observer view;
	struct ow_totals *totals;
	struct ow_events *events; /* ndrxd's, NULL: none yet */
	struct ow_health_finding health[OW_HEALTH_MAX];
	int nhealth;
};

/* Attach to the domain that exists now, add the growth of its counters. Once a
 * second: what a server counts between two looks and its death is lost. */
void ow_figures_look(struct ow_figures *f);
void ow_figures_close(struct ow_figures *f);

#endif
