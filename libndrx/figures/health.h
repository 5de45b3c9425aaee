/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health.h - run the checks of xadmin's doctor once a minute
 *
 * Some checks wait (is a request really stuck?), so the checks run in a thread
 * of their own and never delay a reader of the figures.
 */
#ifndef OW_HEALTH_H
#define OW_HEALTH_H

#include <stdint.h>

#define OW_HEALTH_MAX  64
#define OW_HEALTH_NAME 48

struct ow_health_finding {
	char what[OW_HEALTH_NAME];
	uint32_t grade; /* 0 ok, 1 warning, 2 failure */
};

struct ow_health;

/* Start the checks, every `period_s` (0: once, before this returns). 0 or
 * -errno. */
int ow_health_open(unsigned int period_s, struct ow_health **ret);
struct ow_health *ow_health_close(struct ow_health *h);

/* Copy the last findings to `ret` (room for OW_HEALTH_MAX). Their number; 0:
 * none yet. */
int ow_health_get(struct ow_health *h, struct ow_health_finding *ret);

#endif
