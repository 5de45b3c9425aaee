/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy.h - the scheduling policy of a server
 */
#ifndef OW_POLICY_H
#define OW_POLICY_H

struct ow_domain;

/* Set the policy that suits the domain's transport. */
void ow_policy_set(const struct ow_domain *d);

#endif
