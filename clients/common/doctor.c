/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor.c - a finding on its way to whoever asked
 */
#include "clients/common/doctor.h"

void ow_doctor_say(struct ow_doctor *doc, const struct ow_doctor_finding *f)
{
	doc->on_finding(f, doc->arg);
}
