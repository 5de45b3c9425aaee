/* SPDX-License-Identifier: Apache-2.0 */
/*
 * login.h - the user name and password of tpinit()
 */
#ifndef OW_GUEST_LOGIN_H
#define OW_GUEST_LOGIN_H

struct ow_ctx;
struct tpinfo_t;

/* As the table of call/guest.h says. */
int ow_login_level(struct ow_ctx *c);
int ow_login(struct ow_ctx *c, const struct tpinfo_t *info);

#endif
