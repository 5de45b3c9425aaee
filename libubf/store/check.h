/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - whether foreign bytes are a valid UBF buffer
 *
 * A UBF buffer is sent as its first Bused() bytes. The receiver checks them,
 * copies them into memory of its own and tells the copy how large that memory
 * is (ow_ubf_adopt(), header.h). Exported for libatmi; not part of the public
 * interface. Berror is left alone.
 */
#ifndef OW_UBF_CHECK_H
#define OW_UBF_CHECK_H

#include <stddef.h>

/* Check `len` bytes, which an attacker may have written: after 0 every
 * function is safe on an adopted copy. One pass. `buf` must be at a multiple
 * of 8; `len` may be more than the buffer uses. Returns 0, -EBADMSG or
 * -ENOMEM. */
int ow_ubf_check(const void *buf, size_t len);

#endif
