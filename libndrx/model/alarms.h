/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alarms.h - the problems of the domain, a line each, worst first
 *
 * The first thing that an operator reads at three in the morning.
 */
#ifndef OW_ALARMS_H
#define OW_ALARMS_H

#include <stddef.h>

#include "libndrx/model/rows.h"

struct ow_model;

#define OW_ALARMS_MAX 32

struct ow_alarm {
	enum ow_grade grade;
	size_t found; /* its place among those found */
	char text[160];
};

/* Fill in the alarms. Their number. */
size_t ow_alarms_find(const struct ow_model *m,
		      struct ow_alarm list[OW_ALARMS_MAX]);

#endif
