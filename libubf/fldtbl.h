/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fldtbl.h - the field tables of this process: names to ids and back
 *
 * Loaded from FLDTBLDIR and FIELDTBLS by the first thread that asks, then
 * never changed, so readers need no lock. A load that failed is tried again
 * with the next question.
 */
#ifndef OW_UBF_FLDTBL_H
#define OW_UBF_FLDTBL_H

#include "libubf/fldtbl_read.h"

struct ow_fldtbl;

/* 0; -ENOENT (variables not set), -EBADMSG, -EIO, -ENOMEM: `error`
 * (OW_FLDTBL_ERROR_MAX bytes) says what. */
int ow_fldtbl_get(const struct ow_fldtbl **ret_table, char *error);
/* A table of one's own, to add to. */
int ow_fldtbl_new(struct ow_fldtbl **ret_table);
void ow_fldtbl_freep(struct ow_fldtbl **tp);
/* Add a field: 0, -ENOMEM, or -EBADMSG if its name or id is taken (r->error
 * says by which). With ubf_dupfidok in NDRX_APIFLAGS ids may be shared. */
int ow_fldtbl_add(struct ow_fldtbl *t, struct ow_fldtbl_reader *r,
		  const struct ow_fldtbl_item *item);
/* Name of a field, or NULL. */
const char *ow_fldtbl_name(const struct ow_fldtbl *t, BFLDID id);
/* Id of a name, or BBADFLDID. */
BFLDID ow_fldtbl_id(const struct ow_fldtbl *t, const char *name);

#endif
