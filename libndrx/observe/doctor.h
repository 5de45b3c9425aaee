/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor.h - the checks of xadmin's doctor
 *
 * A check makes findings. A finding is one line: the grade, the thing checked,
 * what was found, what that means, and the line that would cure it. Checks
 * change nothing; objects created for a test are removed at once. The caller
 * decides what becomes of findings: xadmin prints them, ndrxmetrics exports
 * the grades.
 */
#ifndef OW_DOCTOR_H
#define OW_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/domain/domain.h"

enum ow_doctor_grade {
	OW_DOCTOR_OK,
	OW_DOCTOR_WARN,
	OW_DOCTOR_FAIL,
};

struct ow_doctor_finding {
	enum ow_doctor_grade grade;
	const char *what;
	const char *found;
	const char *meaning;
	const char *cure; /* NULL: none needed */
};

/* The texts of `f` are valid during the call. */
typedef void ow_doctor_fn(const struct ow_doctor_finding *f, void *arg);

struct ow_doctor {
	struct ow_domain env;
	bool env_good; /* `env` is usable */
	ow_doctor_fn *on_finding;
	void *arg;
};

void ow_doctor_say(struct ow_doctor *doc, const struct ow_doctor_finding *f);

/* Names for the text of a finding: how many, and the first ones. */
struct ow_doctor_names {
	unsigned int n;
	char text[240];
};
void ow_doctor_name(struct ow_doctor_names *l, const char *name);

struct ow_observer;

/* The groups of checks that any program can run. */
void ow_doctor_limits(struct ow_doctor *doc); /* doctor_limits.c */
void ow_doctor_domain(struct ow_doctor *doc); /* doctor_domain.c */
/* Parts of the latter: doctor_servers.c; of a domain with bridges,
 * doctor_cluster.c */
void ow_doctor_servers(struct ow_doctor *doc, const struct ow_observer *v,
		       bool ndrxd_runs);
void ow_doctor_cluster(struct ow_doctor *doc, const struct ow_observer *v);
/* One-way requests were lost, the last one at `last` (0: not known). */
void ow_doctor_lost(struct ow_doctor *doc, uint64_t n, uint64_t last,
		    uint64_t now);
/* doctor_clients.c: ndrxd runs; `held`: in maintenance mode. */
void ow_doctor_clients(struct ow_doctor *doc, bool held);

#endif
