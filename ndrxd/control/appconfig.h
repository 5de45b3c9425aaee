/* SPDX-License-Identifier: Apache-2.0 */
/*
 * appconfig.h - show and change settings of <appconfig> while ndrxd runs
 */
#ifndef OW_APPCONFIG_H
#define OW_APPCONFIG_H

#include <stddef.h>

struct ndrxd;

/*
 * Show setting `name` (value ""; both "": all), or set it until the next
 * reload. 0 with the setting in `text`, or 1 with the reason.
 */
int ow_appconfig(struct ndrxd *d, const char *name, const char *value,
		 char *text, size_t size);

#endif
