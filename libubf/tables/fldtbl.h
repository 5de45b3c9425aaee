/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fldtbl.h - tables of fields: names to ids and back
 *
 * The first thread that asks loads the table of the process from FLDTBLDIR and
 * FIELDTBLS; a load that failed is tried again at the next call. A table never
 * changes, so readers need no lock. If a name or id is not found and the files
 * have changed since, a new table replaces the old one. The old one stays in
 * memory: names given to the program are valid as long as the process lives,
 * and other threads may still read it. The files are checked at most once a
 * second. While a file that was loaded is missing or malformed, the old table
 * stays in use. The field data base is searched last, if there is one (flddb.h).
 */
#ifndef OW_UBF_FLDTBL_H
#define OW_UBF_FLDTBL_H

#include "libubf/tables/fldtbl_read.h"

struct ow_fldtbl;

/* ---- the table of the process: fldtbl_load.c ---- */

/* Load the table if none is loaded yet: 0; -ENOENT (variables not set),
 * -EBADMSG, -EIO, -ENOMEM: `error` (OW_TABFILE_ERROR_MAX bytes) says why. */
int ow_fldtbl_get(const struct ow_fldtbl **ret_table, char *error);
/* The table if one is loaded, else NULL. */
const struct ow_fldtbl *ow_fldtbl_known(void);
/* The Berror for a failure of ow_fldtbl_get(). */
int ow_fldtbl_code(int r);
/* As ow_fldtbl_name() and ow_fldtbl_id(), but if nothing is found and the files
 * have changed, load them, set *t (from ow_fldtbl_get()) to the new table and
 * search that. Files that cannot be loaded count as unchanged. A name that only
 * the data base has is valid until the thread looks up another one. */
const char *ow_fldtbl_name_now(const struct ow_fldtbl **t, BFLDID id);
BFLDID ow_fldtbl_id_now(const struct ow_fldtbl **t, const char *name);

/* ---- any table: fldtbl.c ---- */

int ow_fldtbl_new(struct ow_fldtbl **ret_table);
void ow_fldtbl_freep(struct ow_fldtbl **tp);
/* Add a field: 0, -ENOMEM, or -EBADMSG if another field has its name or id
 * (r->in.error says which). With ubf_dupfidok in NDRX_APIFLAGS, fields may
 * share an id. */
int ow_fldtbl_add(struct ow_fldtbl *t, struct ow_fldtbl_reader *r,
		  const struct ow_fldtbl_item *item);
/* Whether the name or the id of a field is there. */
int ow_fldtbl_has(const struct ow_fldtbl *t, const struct ow_fldtbl_item *item);
/* Note that a file of this name is in no folder: 0 or -ENOMEM. The first one
 * stays noted. */
int ow_fldtbl_set_missing(struct ow_fldtbl *t, const char *name);
/* The file that is in no folder, or NULL. */
const char *ow_fldtbl_missing(const struct ow_fldtbl *t);
/* The name of an id, or NULL. */
const char *ow_fldtbl_name(const struct ow_fldtbl *t, BFLDID id);
/* The id of a name, or BBADFLDID. */
BFLDID ow_fldtbl_id(const struct ow_fldtbl *t, const char *name);
/* Call `fn` for each field, in the order of the files. */
void ow_fldtbl_each(const struct ow_fldtbl *t,
		    void (*fn)(const char *name, BFLDID id, void *arg),
		    void *arg);

#endif
