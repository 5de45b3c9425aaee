/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor.c - hand a finding to the caller of the checks
 */
#include "libndrx/observe/doctor.h"

void ow_doctor_say(struct ow_doctor *doc, const struct ow_doctor_finding *f)
{
	doc->on_finding(f, doc->arg);
}
