/* SPDX-License-Identifier: Apache-2.0 */
/*
 * past.h - a configuration that servers still run under, after a reload
 *
 * A reload puts its configuration in force before it replaces the first
 * server, and may be broken off. A server whose turn has not come keeps the
 * configuration it was started with: if its process dies, the next one is
 * started with that, not with one that may be the reason why the reload was
 * broken off. An order to start the server ends that, and so does its
 * replacement by a reload. The next ndrxd knows the file, and marks what was started
 * with other options (supervise/adopt.c).
 */
#ifndef OW_PAST_H
#define OW_PAST_H

struct ow_config;
struct ow_inst;

/* A configuration for those that keep it; takes `c`. NULL: no memory, `c` stays
 * the caller's. */
struct ow_past *ow_past_new(struct ow_config *c);
/* The counterpart; the configuration goes with the last that keeps it. */
struct ow_past *ow_past_release(struct ow_past *p);

/* `s` runs under `p` and is to be replaced. No effect if it runs under an
 * older one. */
void ow_past_keep(struct ow_past *p, struct ow_inst *s);
/* From now on its own configuration counts. */
void ow_past_forget(struct ow_inst *s);

#endif
