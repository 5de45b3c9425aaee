/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cconfig.h - the ini configuration that NDRX_CCONFIG names
 *
 * NDRX_CCONFIG, NDRX_CCONFIG1 to NDRX_CCONFIG5: files or folders, read by
 * inicfg.h; a later one wins. Functions return 0 or -1 as those of inicfg.h do.
 * (ours; names of Enduro/X)
 */
#ifndef CCONFIG_H
#define CCONFIG_H

#include <inicfg.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Read the configuration of the process, which later calls use; it is done once.
 * [@global] is in the environment since the library was loaded. */
extern int ndrx_cconfig_load(void);

/* Read it again, what has changed. */
extern int ndrx_cconfig_reload(void);

/* The configuration of the process, read if need be; NULL: as -1. It stays the
 * library's. */
extern ndrx_inicfg_t *ndrx_get_G_cconfig(void);

/* Read it into a configuration of the caller's own, made if *cfg is NULL. */
extern int ndrx_cconfig_load_general(ndrx_inicfg_t **cfg);

/*
 * The keys of `section` for this process: [section/TAG] for the tags of
 * NDRX_CCTAG, then those of [section]; as ndrx_inicfg_get_subsect(). _cf: of
 * the configuration `cfg`.
 */
extern int ndrx_cconfig_get(char *section, ndrx_inicfg_section_keyval_t **out);
extern int ndrx_cconfig_get_cf(ndrx_inicfg_t *cfg, char *section,
			       ndrx_inicfg_section_keyval_t **out);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
