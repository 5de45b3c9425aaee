/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.h - the one place where Berror is set
 *
 * Public functions fail by `return ow_ubf_fail(BSYNTAX, "...")`; private code
 * returns negative errno values and leaves Berror alone. The state is per
 * thread. Correct programs meet "not present" all the time, so that error only
 * stores three numbers; tables/errtext.c makes its text when a program asks.
 */
#ifndef OW_UBF_ERROR_H
#define OW_UBF_ERROR_H

#include <ubf.h>

#define OW_UBF_DETAIL_MAX 512

struct ow_ubf_err {
	int code;	/* Berror */
	int lazy;	/* the detail text is still to be made of id and occ */
	BFLDID id;
	BFLDOCC occ;
};

extern __thread struct ow_ubf_err ow_ubf_err
	__attribute__((tls_model("initial-exec")));

/* Set Berror and its detail text; returns -1. */
int ow_ubf_fail(int code, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), cold));
/* The same, returning NULL. */
void *ow_ubf_fail_null(int code, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), cold));
/* Turn a negative errno of private code into Berror; returns -1. */
int ow_ubf_fail_errno(int r, const char *what) __attribute__((cold));
/* The detail text of this thread, OW_UBF_DETAIL_MAX bytes. */
char *ow_ubf_err_detail(void);

static inline void ow_ubf_clear(void)
{
	ow_ubf_err.code = BMINVAL;
}

/* Berror for an occurrence that is not there: BNOTPRES, below -1 BEINVAL;
 * returns -1. */
static inline int ow_ubf_notpres(BFLDID id, BFLDOCC occ)
{
	ow_ubf_err.code = occ < -1 ? BEINVAL : BNOTPRES;
	ow_ubf_err.lazy = 1;
	ow_ubf_err.id = id;
	ow_ubf_err.occ = occ;
	return -1;
}

#endif
