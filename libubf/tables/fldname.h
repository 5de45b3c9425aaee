/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fldname.h - the field tables for functions that set Berror
 */
#ifndef OW_UBF_FLDNAME_H
#define OW_UBF_FLDNAME_H

#include "libubf/tables/fldtbl.h"

/* The tables of the process: 0, or -1 with Berror. */
int ow_fldname_tables(const struct ow_fldtbl **ret_table);

#endif
