/* SPDX-License-Identifier: Apache-2.0 */
/*
 * renewal.h - certificates, keys and passwords that have changed are taken
 */
#ifndef OW_BRIDGE_RENEW_H
#define OW_BRIDGE_RENEW_H

struct ow_br_options;
struct ow_br_handover;
struct ow_br_renewal;

/* Note what the files of `o` are, before the connection reads them: 0, *ret
 * is NULL if there are none; -ENOMEM. */
int ow_br_renewal_new(const struct ow_br_options *o,
		      struct ow_br_renewal **ret);
/* Look at them from now on, on a thread of its own: 0 or -ENOMEM. */
int ow_br_renewal_start(struct ow_br_renewal *r,
			struct ow_br_handover *handover);
/* Accepts NULL. */
void ow_br_renewal_stop(struct ow_br_renewal *r);

#endif
