/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_calls.h - check whether calls wait for each other in a circle
 *
 * Part of ow_doctor_domain().
 */
#ifndef OW_DOCTOR_CALLS_H
#define OW_DOCTOR_CALLS_H

#include "libndrx/observe/doctor.h"
#include "libndrx/observe/observer.h"

void ow_doctor_calls(struct ow_doctor *doc, const struct ow_observer *v);

#endif
