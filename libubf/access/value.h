/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.h - move values between the memory of a program and a buffer
 *
 * Shared by the functions that add, change and get. Results are 0 or -errno,
 * which ow_ubf_fail_errno() turns into Berror.
 */
#ifndef OW_UBF_VALUE_H
#define OW_UBF_VALUE_H

#include <errno.h>

#include "libubf/access/enter.h"
#include "libubf/convert/conv.h"
#include "libubf/store/store.h"

/* A value in the memory of the program. */
struct ow_ubf_user {
	const char *buf;
	BFLDLEN len;
	int type;
};

/* Convert a value of the program to the type of a field. c->val may point to
 * *ret_copy; the caller frees that. */
int ow_ubf_import(const struct Ubfh *h, BFLDID id,
		  const struct ow_ubf_user *user, struct ow_ubf_conv *c,
		  void **ret_copy);
/* Set Berror, naming field and cause, if a value cannot be stored in a field or
 * read from it as another type; r is -errno. Return -1. */
int ow_ubf_put_failed(int r, const char *what, const struct Ubfh *h, BFLDID id,
		      const struct ow_ubf_user *user) __attribute__((cold));
int ow_ubf_get_failed(int r, const char *what, BFLDID id, int usrtype)
	__attribute__((cold));
/* Set Berror if the memory of the program is too small. Returns -1. */
int ow_ubf_small(const char *what, BFLDID id, size_t need, const BFLDLEN *have)
	__attribute__((cold));
/* Change one occurrence (-1: add one), adding default values before it. */
int ow_ubf_chg_value(struct Ubfh *h, BFLDID id, BFLDOCC occ,
		     struct ow_ubf_val v);

/* ow_ubf_export() for BFLD_UBF and BFLD_VIEW. A buffer is copied into the
 * buffer at `buf`, or makes one of *buflen bytes there (buflen NULL: of as many as
 * it takes). For a view, `buf` is a BVIEWFLD. */
int ow_ubf_export_embedded(unsigned int type, struct ow_ubf_val v, char *buf,
			   BFLDLEN *buflen);

/* Most values have 8 to 16 bytes: copy two words, which may overlap. */
static inline void ow_ubf_copy_out(char *to, const char *from, size_t n)
{
	if (n - 8 <= 8) {
		memcpy(to, from, 8);
		memcpy(to + n - 8, from + n - 8, 8);
	} else {
		memcpy(to, from, n);
	}
}

/* Copy a value of `type` to *buflen bytes of the program (NULL: large enough)
 * and set *buflen. 0, -ENOSPC, or a failure of ow_ubf_export_embedded(). */
static inline int ow_ubf_export(unsigned int type, struct ow_ubf_val v,
				char *buf, BFLDLEN *buflen)
{
	if (type >= BFLD_UBF)
		return ow_ubf_export_embedded(type, v, buf, buflen);
	if (buflen != NULL) {
		if (*buflen < 0 || (size_t)*buflen < v.len)
			return -ENOSPC;
		*buflen = (BFLDLEN)v.len;
	}
	ow_ubf_copy_out(buf, v.data, v.len - (type == BFLD_STRING));
	if (type == BFLD_STRING)
		buf[v.len - 1] = '\0';
	return 0;
}

#endif
