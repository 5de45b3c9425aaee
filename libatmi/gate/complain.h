/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complain.h - log what a guest did, now and then
 */
#ifndef OW_COMPLAIN_H
#define OW_COMPLAIN_H

/* Log it, at most once a second: a guest must not fill the log. */
void ow_guest_complain(const char *what);

#endif
