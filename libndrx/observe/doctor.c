/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor.c - what all checks use: findings, and the names in their texts
 */
#include "libndrx/observe/doctor.h"

#include <stdio.h>
#include <string.h>

#define NAMED 3 /* examples named in a finding */

void ow_doctor_say(struct ow_doctor *doc, const struct ow_doctor_finding *f)
{
	doc->on_finding(f, doc->arg);
}

void ow_doctor_name(struct ow_doctor_names *l, const char *name)
{
	size_t len = strlen(l->text);

	if (l->n < NAMED)
		snprintf(l->text + len, sizeof(l->text) - len, "%s%.64s",
			 l->n > 0 ? ", " : "", name);
	else if (l->n == NAMED)
		snprintf(l->text + len, sizeof(l->text) - len, ", ...");
	l->n++;
}
