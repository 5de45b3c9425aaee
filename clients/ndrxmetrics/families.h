/* SPDX-License-Identifier: Apache-2.0 */
/*
 * families.h - the figures of a domain as families of OpenMetrics
 *
 * One table says what there is: name, type, unit, help, and where the value
 * comes from. doc/metrics.md lists the same for people.
 */
#ifndef OW_FAMILIES_H
#define OW_FAMILIES_H

#include "clients/ndrxmetrics/health.h"
#include "clients/ndrxmetrics/text.h"
#include "clients/ndrxmetrics/totals.h"
#include "libatmi/domain/events.h"

/* What the figures are taken from. */
struct ow_figures {
	bool up;	  /* there is a domain: view and totals are good */
	struct ow_view view;
	struct ow_totals *totals;
	struct ow_events *events; /* ndrxd's, NULL: none yet */
	struct ow_health_finding health[OW_HEALTH_MAX];
	int nhealth;
};

/* Everything, up to and with "# EOF". */
void ow_families_write(const struct ow_figures *f, struct ow_text *t);

#endif
