/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pointers.h - JSON of a UBF buffer with what its fields point to
 *
 * A field that points to a typed buffer is an object as tpexport() writes it; one
 * that points elsewhere is null, or with ubf_ptrparse in NDRX_APIFLAGS an
 * address. tpexport.c writes, import.c reads.
 */
#ifndef OW_BUF_POINTERS_H
#define OW_BUF_POINTERS_H

#include "libubf/json/ubf.h"

/* As ow_json_from_ubf() and ow_json_to_ubf(). Buffers that were made for fields
 * belong to the buffer; after a failure, too. */
int ow_buf_ubf_to_json(struct ow_json_out *o, const UBFH *p_ub, char *error);
int ow_buf_ubf_from_json(UBFH *p_ub, const char *text, size_t len, char *error);

#endif
