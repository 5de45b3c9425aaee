/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site.h - where the configuration is that TUXCONFIG names
 *
 * tmloadcf makes the folder $TUXCONFIG.d, which is the folder of the domain,
 * and the file $TUXCONFIG, which every program reads for its environment
 * (libubf/base/cconfig.h).
 */
#ifndef OW_TM_SITE_H
#define OW_TM_SITE_H

#include <stddef.h>

/* $TUXCONFIG, else $NDRX_CONFIG, else "": for messages. */
const char *site_name(void);
/* "$TUXCONFIG.d/FILE". 0, or -1 after a message: TUXCONFIG is not set. */
int site_path(const char *program, const char *file, char *path, size_t size);
/* The name of this machine (LMID) in the UBBCONFIG, else that of the host. */
void site_machine(char *name, size_t size);

#endif
