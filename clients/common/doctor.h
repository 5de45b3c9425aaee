/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor.h - findings, and the groups of checks that make them
 *
 * A finding is one line: how it is, what was looked at, what was found, what
 * that means, and the line that would change it. Checks change nothing; what
 * they create to try something out they remove at once. Who hears of the
 * findings is the caller's affair: xadmin prints them, ndrxmetrics counts.
 */
#ifndef OW_DOCTOR_H
#define OW_DOCTOR_H

#include <stdbool.h>

#include "libatmi/domain/domain.h"

enum ow_doctor_grade {
	OW_DOCTOR_OK,
	OW_DOCTOR_WARN,
	OW_DOCTOR_FAIL,
};

/* What is found about one thing. */
struct ow_doctor_finding {
	enum ow_doctor_grade grade;
	const char *what;
	const char *found;
	const char *meaning;
	const char *cure; /* NULL: none needed */
};

/* The texts of `f` last as long as the call. */
typedef void ow_doctor_fn(const struct ow_doctor_finding *f, void *arg);

struct ow_doctor {
	struct ow_domain env;
	bool env_good; /* `env` is usable */
	ow_doctor_fn *on_finding;
	void *arg;
};

void ow_doctor_say(struct ow_doctor *doc, const struct ow_doctor_finding *f);

/* The groups that any program can run. */
void ow_doctor_limits(struct ow_doctor *doc); /* doctor_limits.c */
void ow_doctor_domain(struct ow_doctor *doc); /* doctor_domain.c */

#endif
