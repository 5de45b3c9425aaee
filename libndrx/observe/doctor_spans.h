/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_spans.h - check whether the spans of the domain reach their receiver
 */
#ifndef OW_DOCTOR_SPANS_H
#define OW_DOCTOR_SPANS_H

#include "libndrx/observe/doctor.h"

struct ow_observer;

void ow_doctor_spans(struct ow_doctor *doc, const struct ow_observer *v);

#endif
