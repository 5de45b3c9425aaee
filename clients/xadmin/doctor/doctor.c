/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor.c - doctor: check machine, environment and domain
 */
#include <stdio.h>

#include "clients/xadmin/command/command.h"
#include "clients/xadmin/doctor/checks.h"
#include "libubf/base/printable.h"

/* The findings so far. */
struct report {
	struct ow_listing out; /* for people, lines of text */
	const struct ow_term *term;
	int counts[3]; /* by grade */
};

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

static void say_line(const struct ow_term *term,
		     const struct ow_doctor_finding *f)
{
	printf("%s%-4s%s  ", ow_term_colour(term, grade_colours[f->grade]),
	       grade_words[f->grade], ow_term_colour(term, OW_COLOUR_NONE));
	ow_print(stdout, "%s: %s: %s%s%s\n", f->what, f->found, f->meaning,
		 f->cure != NULL ? ": " : "", f->cure != NULL ? f->cure : "");
}

static void say(const struct ow_doctor_finding *f, void *arg)
{
	struct report *report = arg;

	report->counts[f->grade]++;
	if (report->out.json != NULL)
		say_json(report->out.json, f);
	else
		say_line(report->term, f);
}

int ow_doctor_run(struct ow_args *a)
{
	struct report report = { .term = &a->form.term };
	struct ow_doctor doc = { .on_finding = say, .arg = &report };

	ow_listing_begin(&report.out, &a->form, NULL);
	ow_doctor_environment(&doc);
	ow_doctor_limits(&doc);
	ow_doctor_kernel(&doc);
	if (doc.env_good) {
		ow_doctor_domain(&doc);
		ow_doctor_gates(&doc);
	}
	ow_listing_end(&report.out);
	fflush(stdout);
	fprintf(stderr, "%d ok, %d warnings, %d failures\n",
		report.counts[OW_DOCTOR_OK], report.counts[OW_DOCTOR_WARN],
		report.counts[OW_DOCTOR_FAIL]);
	return report.counts[OW_DOCTOR_FAIL] > 0 ? OW_EXIT_FAILED : OW_EXIT_OK;
}
