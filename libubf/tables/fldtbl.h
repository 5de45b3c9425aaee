/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fldtbl.h - tables of fields: names to ids and back
 *
 * The table of the process is loaded from FLDTBLDIR and FIELDTBLS by the first
 * thread that asks; a load that failed is tried again with the next question.
 * A table never changes, so readers need no lock. When a name or an id is
 * missed and the files have changed since, a new table takes the place of the
 * old one, which stays in memory: names that were given out live as long as
 * the process, and other threads may still be reading it. The files are looked
 * at once a second at most. As long as one is missing or malformed that was
 * there, the old table stays.
 */
#ifndef OW_UBF_FLDTBL_H
#define OW_UBF_FLDTBL_H

#include "libubf/tables/fldtbl_read.h"

struct ow_fldtbl;

/* ---- the table of the process: fldtbl_load.c ---- */

/* 0; -ENOENT (variables not set), -EBADMSG, -EIO, -ENOMEM: `error`
 * (OW_TABFILE_ERROR_MAX bytes) says what. */
int ow_fldtbl_get(const struct ow_fldtbl **ret_table, char *error);
/* The table if it has been loaded, else NULL. */
const struct ow_fldtbl *ow_fldtbl_known(void);
/* The Berror for such a result. */
int ow_fldtbl_code(int r);
/* As ow_fldtbl_name() and ow_fldtbl_id(), with *t from ow_fldtbl_get(), which
 * becomes the newer table if there is one. Files that cannot be loaded are as
 * good as unchanged. */
const char *ow_fldtbl_name_now(const struct ow_fldtbl **t, BFLDID id);
BFLDID ow_fldtbl_id_now(const struct ow_fldtbl **t, const char *name);

/* ---- any table: fldtbl.c ---- */

int ow_fldtbl_new(struct ow_fldtbl **ret_table);
void ow_fldtbl_freep(struct ow_fldtbl **tp);
/* Add a field: 0, -ENOMEM, or -EBADMSG if its name or id is taken
 * (r->in.error says by which). With ubf_dupfidok in NDRX_APIFLAGS ids may be
 * shared. */
int ow_fldtbl_add(struct ow_fldtbl *t, struct ow_fldtbl_reader *r,
		  const struct ow_fldtbl_item *item);
/* Name of a field, or NULL. */
const char *ow_fldtbl_name(const struct ow_fldtbl *t, BFLDID id);
/* Id of a name, or BBADFLDID. */
BFLDID ow_fldtbl_id(const struct ow_fldtbl *t, const char *name);

#endif
