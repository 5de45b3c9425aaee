/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checks.h - the command doctor, with the checks that only it runs
 *
 * Checks that ndrxmetrics runs too are in libndrx/observe/doctor.h.
 */
#ifndef OW_CHECKS_H
#define OW_CHECKS_H

#include "libndrx/observe/doctor.h"

struct ow_args;

/* The command, behind the table of commands. */
int ow_doctor_run(struct ow_args *a);

/* report.c */
int ow_doctor_report(struct ow_args *a);

void ow_doctor_environment(struct ow_doctor *doc); /* doctor/env.c */
void ow_doctor_kernel(struct ow_doctor *doc);	   /* doctor/kernel.c */
void ow_doctor_gates(struct ow_doctor *doc);	   /* doctor/http.c */

#endif
