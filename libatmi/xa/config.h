/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.h - which resource manager this process has: NDRX_XA_*
 */
#ifndef OW_XA_CONFIG_H
#define OW_XA_CONFIG_H

#include <stdbool.h>

#define OW_XA_RMID_MAX 255

struct ow_xa_config {
	int rmid; /* NDRX_XA_RES_ID; 0: none */
	char *open_str, *close_str;
	char *driver, *library; /* "": not given */
	bool own_branches; /* NOJOIN: each service has a branch of its own */
	bool last_resource; /* LASTRESOURCE: its branch may decide */
	char problem[128]; /* why the settings cannot be used; "": they can */
};

/* Read once; valid for ever. */
const struct ow_xa_config *ow_xa_config(void);

#endif
