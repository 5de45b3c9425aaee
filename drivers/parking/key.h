/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key.h - the key of a decision's row: a gtrid in hexadecimal digits
 */
#ifndef OW_PARKING_KEY_H
#define OW_PARKING_KEY_H

#include <xa.h>

#define KEY_SIZE	   (2 * MAXGTRIDSIZE + 1)
#define KEY_IDENTITY_BYTES 8 /* of a log: the first ones of a gtrid */

/* Of the first `bytes` of a gtrid. */
void key_of(const XID *x, long bytes, char to[KEY_SIZE]);
/* The XID has the gtrid only. */
void key_read(const char *key, XID *ret);

#endif
