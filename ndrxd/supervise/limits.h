/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits.h - servers that outgrew <rssmax>, <vszmax>, or whose program file
 * has changed (<reloadonchange>)
 */
#ifndef OW_LIMITS_H
#define OW_LIMITS_H

struct ndrxd;

/*
 * Look at every running server; the first one found is replaced in an
 * orderly way (stop, then start), the next one at the next call. Does
 * nothing while a job is in progress.
 */
void ow_limits_check(struct ndrxd *d);

#endif
