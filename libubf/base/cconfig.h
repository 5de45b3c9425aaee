/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cconfig.h - the ini configuration that NDRX_CCONFIG names
 *
 * Files: NDRX_CCONFIG, then NDRX_CCONFIG1 to NDRX_CCONFIG5; each is a file, or
 * a folder whose *.ini, *.cfg, *.conf and *.config are read in the order of
 * their names. A later one wins. Where none is set and NDRX_QPREFIX is not set
 * either, the file TUXCONFIG, if tmloadcf made it.
 *
 * A section [@name] may have sub-sections [@name/TAG]: those of the tags in
 * NDRX_CCTAG (TAG or TAG1/TAG2) win over [@name], later tags over earlier
 * ones, and [@name/TAG1/TAG2] over all.
 *
 * In values, ${NAME} is replaced by the value of that key of the section, else
 * by the variable; \${ is a plain ${. ${dec=TEXT} is decrypted by libatmi
 * (libatmi/base/encrypted.h), which is a layer above: it gives its function
 * before main(). A key whose value cannot be decrypted is left out, and the
 * reason is said on standard error; programs without libatmi leave it out
 * without a word.
 *
 * When a process loads the library, [@global] becomes part of its environment,
 * before main() and before any other thread. It replaces variables. The key
 * resource of [@ubfdb] becomes NDRX_UBFDB.
 */
#ifndef OW_CCONFIG_H
#define OW_CCONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "libubf/base/ini.h"

/* The first line of a TUXCONFIG that is one of these files. */
#define OW_CCONFIG_MARK "# Onewake, made by tmloadcf"

struct ow_cconfig_item {
	char *key, *value;
	int level;    /* of the sub-section it is from */
	int expanded; /* what has become of its ${...} */
	bool hidden;  /* something of it was encrypted */
};

struct ow_cconfig {
	struct ow_cconfig_item *items;
	size_t n;
	void *key; /* of who decrypts, while values are expanded */
};

/* Read a section, such as "@debug". What is wrong with a file or a value is
 * said on standard error, and left out. Without memory: less than all. */
void ow_cconfig_read(const char *section, struct ow_cconfig *ret);
/* The same with other tags than those of NDRX_CCTAG; NULL: with those. */
void ow_cconfig_read_tagged(const char *section, const char *tags,
			    struct ow_cconfig *ret);
void ow_cconfig_free(struct ow_cconfig *c);
/* The value of a key; NULL: it is not there. */
const char *ow_cconfig_value(const struct ow_cconfig *c, const char *key);
/* Read a file, or the ini files of a folder. What is wrong with a file is told to
 * `wrong` (NULL: to nobody), and the others are read. 0, or the first result
 * that was not 0. */
int ow_cconfig_source(const char *path, ow_ini_fn *take, void *arg,
		      void (*wrong)(const char *path, const char *why));
/* NDRX_CCONFIG, NDRX_CCONFIG1 ... of this process, by number; NULL: not set. */
#define OW_CCONFIG_SOURCES 6
const char *ow_cconfig_source_path(size_t number);
/* The value of a key with ${NAME} replaced by variables: 0 with *ret, to be
 * freed; OW_CCONFIG_LEFT_OUT: it cannot be decrypted; -ENOMEM. */
#define OW_CCONFIG_LEFT_OUT 1
int ow_cconfig_expanded(const char *key, const char *value, char **ret);
/* Who decrypts: 0 with *ret, to be freed; -1 with the reason in `why`. *key: NULL
 * before the first of several values; what it has become is forgotten after the
 * last one. */
#define OW_CCONFIG_WHY 640
typedef int ow_cconfig_decrypt_fn(void **key, const char *text, size_t len,
				  char **ret, char why[OW_CCONFIG_WHY]);
typedef void ow_cconfig_forget_fn(void *key);
void ow_cconfig_decrypt_by(ow_cconfig_decrypt_fn *fn,
			   ow_cconfig_forget_fn *forget_fn);
/* Put [@global] and [@ubfdb] into the environment again, after a change of
 * NDRX_CCONFIG or NDRX_CCTAG. No other thread may use the environment. */
void ow_cconfig_load(void);
/* Has that put a variable of this name there whose value was encrypted? No listing
 * shows it. */
bool ow_cconfig_is_hidden(const char *name);

#endif
