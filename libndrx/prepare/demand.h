/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demand.h - how large a domain will be, as far as its configuration tells
 */
#ifndef OW_DEMAND_H
#define OW_DEMAND_H

struct ow_config;
struct ow_load;

/* Services are those of <services>, or those that entries name with -s and -S,
 * one at least for each entry, whichever are more: what a program advertises
 * by itself is not known. */
void ow_demand_of(const struct ow_config *c, struct ow_load *ret);

#endif
