/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_blackbox.h - check whether anybody records the domain
 */
#ifndef OW_DOCTOR_BLACKBOX_H
#define OW_DOCTOR_BLACKBOX_H

#include "libndrx/observe/doctor.h"

/* Of a domain that ndrxd runs. */
void ow_doctor_blackbox(struct ow_doctor *doc, const struct ow_observer *v);

#endif
