/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_files.h - what servers write about themselves in the folder of the domain
 *
 * Each writes run/NAME.SRVID, as a whole. A file of somebody else is passed by.
 */
#ifndef OW_RUN_FILES_H
#define OW_RUN_FILES_H

#include <stdio.h>

struct ow_domain;

/* Call `fn` for each run/NAME.SRVID; none where the domain has no folder. `f` is
 * closed afterwards. */
void ow_run_files_each(const struct ow_domain *d, const char *name,
		       void (*fn)(long srvid, FILE *f, void *arg), void *arg);

#endif
