/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flddb.h - fields in a data base that processes share (LMDB)
 *
 * NDRX_UBFDB names its folder. Names and ids that no field table has are looked
 * up there, so a field that one process adds is known to all at once. A process
 * opens it at the first use, once: LMDB wants that. Two tables have the same
 * records (struct ow_flddb_field), one by id, one by name; one transaction
 * changes both. Readers take no lock of writers. A writer that is killed leaves
 * the data base as it was: its lock is robust, and pages are not written over.
 *
 * The folder and its files belong to the user who made them, and nobody else
 * may write there: what is found otherwise is refused. A forked child opens the
 * data base anew.
 */
#ifndef OW_UBF_FLDDB_H
#define OW_UBF_FLDDB_H

#include <stddef.h>
#include <ubf.h>

#include "libubf/base/tabfile.h"

struct MDB_env;

struct ow_flddb {
	struct MDB_env *env;
	EDB_dbi ids, names;
};

struct ow_flddb_field {
	BFLDID id;
	char name[UBFFLDMAX + 1];
};

/* Whether a folder is named. */
int ow_flddb_is_configured(void);
/* Open it if it is not open, and keep it open until ow_flddb_release(). 0;
 * -ENOENT (no folder is named), -EPERM (of another user), -EIO, -ENOMEM:
 * `error`, of OW_TABFILE_ERROR_MAX bytes, says why. */
int ow_flddb_hold(const struct ow_flddb **ret_db, char *error);
void ow_flddb_release(void);
/* Close it, when nobody holds it. */
void ow_flddb_close(void);
/* Close it and remove its files; as ow_flddb_hold(). */
int ow_flddb_unlink(char *error);
/* Read a record: 0, or -EBADMSG if it is none. */
int ow_flddb_parse(const void *data, size_t len,
		   struct ow_flddb_field *ret_field);
/* Look up a field by id, or if that is BBADFLDID by name. 0; -ENXIO (there is
 * none), or as ow_flddb_hold(). */
int ow_flddb_find(BFLDID id, const char *name,
		  struct ow_flddb_field *ret_field, char *error);

#endif
