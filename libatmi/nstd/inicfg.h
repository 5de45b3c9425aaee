/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inicfg.h - what cconfig.c uses of a configuration that inicfg.c has read
 *
 * 0, -ENOMEM, or -errno of a file.
 */
#ifndef OW_INICFG_H
#define OW_INICFG_H

#include <inicfg.h>

/* Read a resource, in place of what was read of it. */
int ow_inicfg_read(ndrx_inicfg_t *cfg, const char *path, char **starts);
int ow_inicfg_reread(ndrx_inicfg_t *cfg, char **starts);

/* Add the keys of one section; of a section and those above it. Later resources
 * win; keys that *out has stay. */
int ow_inicfg_section(ndrx_inicfg_t *cfg, char **resources, const char *name,
		      ndrx_inicfg_section_keyval_t **out);
int ow_inicfg_with_parents(ndrx_inicfg_t *cfg, char **resources,
			   const char *section,
			   ndrx_inicfg_section_keyval_t **out);

/* 0, or Nerror is set and -1. */
int ow_inicfg_end(int result, const char *what);

#endif
