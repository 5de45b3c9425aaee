/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inicfg.h - read ini files: sections, keys, values
 *
 * A section begins with [NAME]; a line is KEY=VALUE; a line that begins with a
 * blank continues the value above; # and ; begin comments. In values ${NAME}
 * is replaced by the variable NAME of the environment, \${ is a plain ${.
 * A section NAME/TAG is a sub-section of NAME.
 *
 * Sections and keys that are returned are hash tables of exhash.h. A
 * configuration may be used by one thread at a time. Functions return 0 or -1:
 * NEINVAL (an argument is NULL) NEINVALINI (a file cannot be read) NEMALLOC.
 * (ours; names of Enduro/X)
 */
#ifndef INICFG_H
#define INICFG_H

#include <exhash.h>
#include <nerror.h>

/* Between the name of a section and that of a sub-section. */
#define NDRX_INICFG_SUBSECT_SPERATOR	 '/'
#define NDRX_INICFG_SUBSECT_SPERATOR_STR "/"

/* A configuration: what was read of files and folders. Opaque. */
typedef struct ndrx_inicfg ndrx_inicfg_t;

/* A key with its value; in a hash table by `key`. */
typedef struct ndrx_inicfg_section_keyval ndrx_inicfg_section_keyval_t;
struct ndrx_inicfg_section_keyval {
	char *section; /* in which it stands */
	char *key;
	char *val;
	EX_hash_handle hh;
};

/* A section with its keys; in a hash table by `section`. */
typedef struct ndrx_inicfg_section ndrx_inicfg_section_t;
struct ndrx_inicfg_section {
	char *section;
	ndrx_inicfg_section_keyval_t *values;
	EX_hash_handle hh;
};

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* An empty configuration, to be freed by ndrx_inicfg_free(); NULL: NEMALLOC.
 * `load_global_env` of ndrx_inicfg_new2(): not 0: [@global] of each file that
 * is added becomes part of the environment. */
extern ndrx_inicfg_t *ndrx_inicfg_new(void);
extern ndrx_inicfg_t *ndrx_inicfg_new2(int load_global_env);
extern void ndrx_inicfg_free(ndrx_inicfg_t *cfg);

/*
 * Read a file, or the *.ini, *.cfg, *.conf and *.config of a folder in the order
 * of their names, into the configuration; what it had of that resource is
 * dropped. Sections are taken whose names begin with one of the texts of
 * `section_start_with`, an array that ends with NULL; NULL: all.
 */
extern int ndrx_inicfg_add(ndrx_inicfg_t *cfg, char *resource,
			   char **section_start_with);

/* Read again what has changed since: one resource; all. */
extern int ndrx_inicfg_update_single(ndrx_inicfg_t *cfg, char *resource,
				     char **section_start_with);
extern int ndrx_inicfg_reload(ndrx_inicfg_t *cfg, char **section_start_with);

/*
 * The keys of `section` and, for NAME/TAG, those of NAME that NAME/TAG does not
 * have, added to *out (NULL at first); keys that *out has already stay. Of
 * resources given in `resources` (an array that ends with NULL; NULL: all).
 * Free *out by ndrx_keyval_hash_free(); it is a copy.
 */
extern int ndrx_inicfg_get_subsect(ndrx_inicfg_t *cfg, char **resources,
				   char *section,
				   ndrx_inicfg_section_keyval_t **out);

/* Copies of the sections whose names begin with one of `section_start_with`, in
 * *out; free them by ndrx_inicfg_sections_free(). */
extern int ndrx_inicfg_iterate(ndrx_inicfg_t *cfg, char **resources,
			       char **section_start_with,
			       ndrx_inicfg_section_t **out);
extern void ndrx_inicfg_sections_free(ndrx_inicfg_section_t *sections);

/* The entry of a key, part of the table; NULL: it is not there. Free all. */
extern ndrx_inicfg_section_keyval_t *ndrx_keyval_hash_get(
    ndrx_inicfg_section_keyval_t *h, char *key);
extern void ndrx_keyval_hash_free(ndrx_inicfg_section_keyval_t *h);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
