/* SPDX-License-Identifier: Apache-2.0 */
/*
 * login.h - the user name and password of tpinit()
 */
#ifndef OW_CALL_LOGIN_H
#define OW_CALL_LOGIN_H

struct ow_ctx;
struct tpinfo_t;

/* TPNOAUTH, TPSYSAUTH, TPAPPAUTH: what the domain wants; TPNOAUTH also if it
 * does not run. -1 with tperrno. */
int ow_login_level(struct ow_ctx *c);
/* Log in, if the domain wants it and the context has not: 0, or -1 with
 * tperrno (TPEPERM: refused). `info` may be NULL. */
int ow_login(struct ow_ctx *c, const struct tpinfo_t *info);

#endif
