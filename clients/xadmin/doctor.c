/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor.c - what an operator runs first
 */
#include "clients/xadmin/doctor.h"

#include <stdio.h>
#include <string.h>

#include "clients/xadmin/commands.h"

static const char *const grade_words[] = {
	[OW_DOCTOR_OK] = "ok",
	[OW_DOCTOR_WARN] = "warn",
	[OW_DOCTOR_FAIL] = "FAIL",
};

static const enum ow_colour grade_colours[] = {
	[OW_DOCTOR_OK] = OW_COLOUR_GOOD,
	[OW_DOCTOR_WARN] = OW_COLOUR_WARN,
	[OW_DOCTOR_FAIL] = OW_COLOUR_BAD,
};

static void say_json(struct ow_json *j, const struct ow_doctor_finding *f)
{
	ow_json_row_begin(j);
	ow_json_str(j, "result", grade_words[f->grade]);
	ow_json_str(j, "what", f->what);
	ow_json_str(j, "found", f->found);
	ow_json_str(j, "meaning", f->meaning);
	ow_json_str(j, "cure", f->cure != NULL ? f->cure : "");
	ow_json_row_end(j);
}

void ow_doctor_say(struct ow_doctor *doc, const struct ow_doctor_finding *f)
{
	doc->counts[f->grade]++;
	if (doc->json != NULL) {
		say_json(doc->json, f);
		return;
	}
	printf("%s%-4s%s  %s: %s: %s",
	       ow_term_colour(doc->term, grade_colours[f->grade]),
	       grade_words[f->grade],
	       ow_term_colour(doc->term, OW_COLOUR_NONE), f->what, f->found,
	       f->meaning);
	if (f->cure != NULL)
		printf(": %s", f->cure);
	putchar('\n');
}

int ow_doctor_run(struct ow_args *a)
{
	struct ow_json j = { .out = stdout, .as_csv = a->csv };
	struct ow_doctor doc = {
		.json = a->json ? &j : NULL,
		.term = &a->x->term,
	};

	if (a->json)
		ow_json_list_begin(&j, NULL);
	ow_doctor_environment(&doc);
	ow_doctor_limits(&doc);
	ow_doctor_kernel(&doc);
	if (doc.env_good)
		ow_doctor_domain(&doc);
	if (a->json)
		ow_json_list_end(&j);
	fflush(stdout);
	fprintf(stderr, "%d ok, %d warnings, %d failures\n",
		doc.counts[OW_DOCTOR_OK], doc.counts[OW_DOCTOR_WARN],
		doc.counts[OW_DOCTOR_FAIL]);
	return doc.counts[OW_DOCTOR_FAIL] > 0 ? OW_EXIT_FAILED : OW_EXIT_OK;
}
