/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notice.h - tell a context that waits for a reply to look into its inbox
 */
#ifndef OW_NOTICE_H
#define OW_NOTICE_H

#include <stdint.h>

struct ow_domain;

/* Send a message of kind NOTICE to the mailbox of generation `gen` of
 * client slot `slot`, without waiting. If that fails the context looks a little
 * later. */
void ow_notice_send(struct ow_domain *d, uint32_t slot, uint32_t gen);

#endif
