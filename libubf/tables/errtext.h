/* SPDX-License-Identifier: Apache-2.0 */
/*
 * errtext.h - Berror as text
 */
#ifndef OW_UBF_ERRTEXT_H
#define OW_UBF_ERRTEXT_H

/* Put a text before the detail text of the last error; returns -1. */
int ow_ubf_fail_in(const char *format, ...)
	__attribute__((cold, format(printf, 1, 2)));
/* Put "line N: " before the detail text of the last error; returns -1. */
int ow_ubf_fail_at(unsigned int line) __attribute__((cold));

#endif
