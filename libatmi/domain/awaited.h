/* SPDX-License-Identifier: Apache-2.0 */
/*
 * awaited.h - whose a service is that one server alone may offer
 */
#ifndef OW_AWAITED_H
#define OW_AWAITED_H

#include "libatmi/domain/tables.h"

/* Another server than `srvid` that offers `svc`, or is expected to do so again; 0:
 * there is none. Decides under the domain's lock. */
uint32_t ow_await_other(const struct ow_tables *t, uint32_t svc,
			uint32_t srvid);

#endif
