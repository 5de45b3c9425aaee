/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_http.h - check the gates for HTTP: dead, hanging, certificates, services
 */
#ifndef OW_DOCTOR_HTTP_H
#define OW_DOCTOR_HTTP_H

#include "libndrx/observe/doctor.h"

struct ow_observer;

void ow_doctor_http(struct ow_doctor *doc, const struct ow_observer *v);

#endif
