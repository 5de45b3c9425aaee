/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.h - values between the caller's memory and the buffer
 *
 * What the functions that add, change and get have in common. Private results
 * are 0 or -errno, which ow_ubf_fail_errno() turns into Berror.
 */
#ifndef OW_UBF_VALUE_H
#define OW_UBF_VALUE_H

#include <errno.h>

#include "libubf/access/enter.h"
#include "libubf/convert/conv.h"
#include "libubf/store/store.h"

/* A value in the caller's memory, of the caller's type. */
struct ow_ubf_user {
	const char *buf;
	BFLDLEN len;
	int type;
};

/* Measure and convert a caller's value to the type of a field. *ret_copy is
 * memory that c->val may point to: free it afterwards. */
int ow_ubf_import(const struct Ubfh *h, BFLDID id,
		  const struct ow_ubf_user *user, struct ow_ubf_conv *c,
		  void **ret_copy);
/* Berror for a value that could not be put into a field, or taken from one as
 * another type; r is -errno. They say which field, and what was in the way.
 * Return -1. */
int ow_ubf_put_failed(int r, const char *what, const struct Ubfh *h, BFLDID id,
		      const struct ow_ubf_user *user) __attribute__((cold));
int ow_ubf_get_failed(int r, const char *what, BFLDID id, int usrtype)
	__attribute__((cold));
/* Berror when the caller's memory is too small. Returns -1. */
int ow_ubf_small(const char *what, BFLDID id, size_t need, const BFLDLEN *have)
	__attribute__((cold));
/* Change one occurrence, adding default values up to it. */
int ow_ubf_chg_value(struct Ubfh *h, BFLDID id, BFLDOCC occ,
		     struct ow_ubf_val v);

/* ow_ubf_export() for BFLD_UBF, where `buf` is or becomes a buffer (of *buflen
 * bytes; -EDESTADDRREQ: neither), and BFLD_VIEW, where it is a BVIEWFLD. */
int ow_ubf_export_embedded(unsigned int type, struct ow_ubf_val v, char *buf,
			   BFLDLEN *buflen);

/* Most values have 8 to 16 bytes: two words, which may overlap. */
static inline void ow_ubf_copy_out(char *to, const char *from, size_t n)
{
	if (n - 8 <= 8) {
		memcpy(to, from, 8);
		memcpy(to + n - 8, from + n - 8, 8);
	} else {
		memcpy(to, from, n);
	}
}

/* Copy a value of `type` to the caller's memory of *buflen bytes (NULL: as
 * much as needed) and set *buflen. 0, -ENOSPC, -EBADMSG, of views those of
 * ow_ubf_view_export(). */
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
