/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - the steps of an operation: which servers, in which order
 */
#ifndef OW_PLAN_H
#define OW_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/wire/ctl.h"

struct ndrxd;
struct ow_inst;

enum ow_item_state {
	OW_ITEM_NEW = 0,
	OW_ITEM_ASKED,	 /* the event was raised */
	OW_ITEM_SETTLED, /* the result is known */
	OW_ITEM_SKIPPED, /* left as it was: an earlier server has failed */
};

struct ow_plan_item {
	struct ow_inst *s;
	enum ow_item_state state;
	bool had_process; /* when the event was raised: it counts */
	bool ok;	  /* settled: with success */
	uint32_t restarts; /* of the server, when that was settled */
	bool helper; /* a free id: it serves while others are replaced */
};

#define OW_PLAN_FOREVER UINT64_MAX

struct ow_plan_step {
	enum ow_ctl_verb verb; /* START, STOP, or DOWN: SIGKILL at once */
	uint32_t first, n;     /* items */
	uint64_t wait_ms;      /* for results; then the next step begins */
	uint64_t pause_ms;     /* after the step */
	/* It replaces servers that run: begun only while all that were started
	 * before run, and a failure to start ends the operation. */
	bool rolling;
};

struct ow_plan {
	struct ow_plan_item *items;
	uint32_t n_items, cap_items;
	struct ow_plan_step *steps;
	uint32_t n_steps, cap_steps;
	uint32_t n_match; /* servers that the command names */
};

/* 0 or -ENOMEM. */
int ow_plan_make(struct ow_plan *p, const struct ndrxd *d,
		 const struct ow_ctl_cmd *cmd);
void ow_plan_clear(struct ow_plan *p);

/* The longest wait_ms that is not FOREVER; 0: none. */
uint64_t ow_plan_longest_wait(const struct ow_plan *p);

/* A server that a step before `step` has started and that is lost; NULL: none.
 */
struct ow_inst *ow_plan_find_lost(const struct ow_plan *p, uint32_t step);

/* Does the step end a helper? It is made whatever has happened. */
bool ow_plan_ends_helper(const struct ow_plan *p, uint32_t step);

/* A complete stop: of all servers; afterwards the domain is removed. */
bool ow_plan_is_complete(const struct ow_ctl_cmd *cmd);

/* Does the command name this server? */
bool ow_plan_match(const struct ow_inst *s, const struct ow_ctl_cmd *cmd);

#endif
