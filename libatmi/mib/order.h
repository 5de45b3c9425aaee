/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - SET of MIB(5): orders to ndrxd
 */
#ifndef OW_MIB_ORDER_H
#define OW_MIB_ORDER_H

struct ow_domain;
struct ow_mib_refusal;
struct ow_mib_request;

/* Carry out a SET: TAOK, TAUPDATED, or the error. */
long ow_mib_set(const struct ow_domain *d, const struct ow_mib_request *r,
		struct ow_mib_refusal *f);

#endif
