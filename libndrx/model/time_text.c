/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time_text.c - a span of time in few characters
 */
#include "libndrx/model/time_text.h"

#include <math.h>
#include <stdio.h>

void ow_time_text(double us, char *buf, size_t size)
{
	unsigned long long s = us < 1e17 ? (unsigned long long)(us / 1e6) : 0;

	if (isnan(us))
		snprintf(buf, size, "-");
	else if (us < 999.5)
		snprintf(buf, size, "%.0fus", us);
	else if (us < 99.95e3)
		snprintf(buf, size, "%.1fms", us / 1e3);
	else if (us < 999.5e3)
		snprintf(buf, size, "%.0fms", us / 1e3);
	else if (us < 59.95e6)
		snprintf(buf, size, "%.1fs", us / 1e6);
	else if (s < 3600)
		snprintf(buf, size, "%llum%02llus", s / 60, s % 60);
	else if (s < 86400)
		snprintf(buf, size, "%lluh%02llum", s / 3600, s % 3600 / 60);
	else if (s / 86400 < 100)
		snprintf(buf, size, "%llud%02lluh", s / 86400,
			 s % 86400 / 3600);
	else
		snprintf(buf, size, "%llud", s / 86400 % 100000);
}
