/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.c - the domain that figures are read from: the one that exists now
 */
#include "libndrx/figures/figures.h"

#include "libatmi/log/log.h"
#include "libatmi/member/join.h"

void ow_figures_close(struct ow_figures *f)
{
	if (f->up)
		ow_observer_close(&f->view);
	f->totals = ow_totals_close(f->totals);
	f->events = ow_events_close(f->events);
	f->up = false;
}

/* Attach to the event ring of the present or last ndrxd. */
static void attach_events(struct ow_figures *f)
{
	char path[256];

	if (f->events != NULL && !ow_events_stale(f->events))
		return;
	f->events = ow_events_close(f->events);
	ow_domain_shm_path(&f->view.d, "events", path, sizeof(path));
	if (ow_events_open(path, false, &f->events) != 0)
		log_debug("%s: no events yet", path);
}

/* Attach to the domain that exists now. */
static void attach(struct ow_figures *f)
{
	char why[512];

	if (f->up && ow_domain_is_gone(&f->view.d))
		ow_figures_close(f);
	if (f->up)
		return;
	if (ow_observer_open(&f->view, why, sizeof(why)) != 0) {
		log_debug("%s", why);
		return;
	}
	f->totals = ow_totals_open();
	f->up = f->totals != NULL && !ow_domain_is_gone(&f->view.d);
	f->domain += f->up;
	if (!f->up) {
		ow_observer_close(&f->view);
		f->totals = ow_totals_close(f->totals);
	}
}

void ow_figures_look(struct ow_figures *f)
{
	attach(f);
	if (f->up)
		attach_events(f);
	if (f->up && ow_totals_look(f->totals, &f->view) < 0)
		log_error("no memory: some figures are missing");
}
