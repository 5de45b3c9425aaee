/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path.h - find a program, as a shell does
 */
#ifndef OW_PATH_H
#define OW_PATH_H

#include <stddef.h>

#include "libatmi/wire/ctl.h"

/* Find `name` in `dirs` (a PATH; NULL: /usr/bin:/bin). 0
 * with the path in `buf`, else errno with the best guess there. */
int ow_path_find(const char *name, const char *dirs, char *buf,
		   size_t size);

/* The state of a server that could not be started for that errno. */
enum ow_proc_state ow_path_state(int err);

#endif
