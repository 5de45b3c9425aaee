/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor.h - findings, and the groups of checks that make them
 *
 * A finding is one line: how it is, what was looked at, what was found, what
 * that means, and the line that would change it. Checks change nothing; what
 * they create to try something out they remove at once.
 */
#ifndef OW_DOCTOR_H
#define OW_DOCTOR_H

#include <stdbool.h>

#include "clients/xadmin/json.h"
#include "clients/xadmin/term.h"
#include "libatmi/domain.h"

enum ow_doctor_grade {
	OW_DOCTOR_OK,
	OW_DOCTOR_WARN,
	OW_DOCTOR_FAIL,
};

struct ow_doctor {
	struct ow_json *json; /* NULL: lines of text */
	const struct ow_term *term;
	struct ow_domain env;
	bool env_good; /* `env` is usable */
	int counts[3];
};

/* What is found about one thing. */
struct ow_doctor_finding {
	enum ow_doctor_grade grade;
	const char *what;
	const char *found;
	const char *meaning;
	const char *cure; /* NULL: none needed */
};

void ow_doctor_say(struct ow_doctor *doc, const struct ow_doctor_finding *f);

/* The groups, in the order in which they are run. */
void ow_doctor_environment(struct ow_doctor *doc); /* doctor_env.c */
void ow_doctor_limits(struct ow_doctor *doc);	   /* doctor_limits.c */
void ow_doctor_kernel(struct ow_doctor *doc);	   /* doctor_kernel.c */
void ow_doctor_domain(struct ow_doctor *doc);	   /* doctor_domain.c */

#endif
