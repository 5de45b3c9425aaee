/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lcf_command.c - lcf: commands of applications to running processes
 *
 * Plugins of NDRX_PLUGINS say which words there are (expluginbase.h, lcf.h).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/control/control.h"
#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/output/listing.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/env.h"
#include "libatmi/base/owned.h"
#include "libatmi/base/plugins.h"
#include "libatmi/lcf/follow/slots.h"
#include "libatmi/lcf/follow/words.h"

/* ---- publish ---- */

/* Copy an option into a text of the command. */
static int take(struct ow_args *a, char option, char *to, size_t size)
{
	const char *value = ow_args_value(a, option);

	if (value == NULL)
		return OW_EXIT_OK;
	if (strlen(value) >= size)
		return ow_cmd_fail(a, "-%c: at most %zu characters", option,
				   size - 1);
	strcpy(to, value);
	return OW_EXIT_OK;
}

static int take_flags(struct ow_args *a, ndrx_lcf_command_t *c)
{
	if (ow_args_has(a, 'p') + ow_args_has(a, 'b') + ow_args_has(a, 'a') >
	    1)
		return ow_cmd_fail(a, "-p, -b and -a exclude each other");
	if (ow_args_has(a, 'p') || ow_args_has(a, 'b') || ow_args_has(a, 'a'))
		c->flags &= ~(long)(NDRX_LCF_FLAG_PID | NDRX_LCF_FLAG_BIN |
				    NDRX_LCF_FLAG_ALL);
	if (ow_args_has(a, 'p'))
		c->flags |= NDRX_LCF_FLAG_PID;
	if (ow_args_has(a, 'b'))
		c->flags |= NDRX_LCF_FLAG_BIN;
	if (ow_args_has(a, 'a'))
		c->flags |= NDRX_LCF_FLAG_ALL;
	if (ow_args_has(a, 'r'))
		c->flags |= NDRX_LCF_FLAG_DOREX;
	if (ow_args_has(a, 'n'))
		c->flags |= NDRX_LCF_FLAG_DOSTARTUP;
	if (ow_args_has(a, 'e'))
		c->flags |= NDRX_LCF_FLAG_DOSTARTUPEXP;
	if (ow_args_has(a, 'A'))
		c->flags |= NDRX_LCF_FLAG_ARGA;
	if (ow_args_has(a, 'B'))
		c->flags |= NDRX_LCF_FLAG_ARGB;
	return OW_EXIT_OK;
}

static int take_slot(struct ow_args *a, long *slot)
{
	const char *text = ow_args_value(a, 's');

	if (text != NULL && (ow_env_parse_long(text, slot) < 0 || *slot < 0 ||
			     *slot >= (long)ow_lcf_max()))
		return ow_cmd_fail(a, "-s %s: a slot is a number from 0 to %u",
				   text, ow_lcf_max() - 1);
	return OW_EXIT_OK;
}

static int publish(struct ow_args *a, const ndrx_lcf_command_t *c, long slot)
{
	struct ow_lcf *l = NULL;
	struct ow_domain d;
	int r;

	if (ow_reach_own(a, &d) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	r = ow_domain_enter(&d, true);
	if (r == 0)
		r = ow_lcf_open(&d, true, &l);
	if (r == 0)
		r = ow_lcf_publish(l, (uint32_t)slot, c);
	ow_lcf_close(l);
	return r == 0 ? OW_EXIT_OK
		      : ow_cmd_fail(a, "%s", ow_owned_strerror(r));
}

static int give(struct ow_args *a, const ndrx_lcf_reg_xadmin_t *reg,
		ndrx_lcf_command_t *c)
{
	long slot = reg->dfltslot;
	const char *wrong;

	c->version = 1;
	c->command = reg->command;
	c->flags = reg->dfltflags;
	strcpy(c->cmdstr, reg->cmdstr);
	if (take_flags(a, c) != OW_EXIT_OK ||
	    take_slot(a, &slot) != OW_EXIT_OK ||
	    take(a, 'p', c->procid, sizeof(c->procid)) != OW_EXIT_OK ||
	    take(a, 'b', c->procid, sizeof(c->procid)) != OW_EXIT_OK ||
	    take(a, 'A', c->arg_a, sizeof(c->arg_a)) != OW_EXIT_OK ||
	    take(a, 'B', c->arg_b, sizeof(c->arg_b)) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	wrong = ow_lcf_wrong(c);
	if (wrong != NULL)
		return ow_cmd_fail(a, "%s: %s", c->cmdstr, wrong);
	return publish(a, c, slot);
}

static int no_word(struct ow_args *a)
{
	const struct ow_plugins *p = ow_plugins();
	ndrx_lcf_reg_xadmin_t reg;
	char all[400] = "";
	size_t n = 0;
	uint32_t i;

	for (i = 0; n < sizeof(all) && ow_lcf_xadmin_at(i, &reg); i++)
		n += (size_t)snprintf(all + n, sizeof(all) - n, ", %s",
				      reg.cmdstr);
	return ow_cmd_fail(a, "%s: give logchg, logrotate, disable%s%s%s",
			   a->rest[0], all, p->problem[0] != '\0' ? "; " : "",
			   p->problem);
}

int ow_control_lcf_command(struct ow_args *a)
{
	ndrx_lcf_reg_xadmin_t reg;
	ndrx_lcf_command_t *c;
	int r;

	ow_plugins();
	if (!ow_lcf_xadmin_find(a->rest[0], &reg))
		return no_word(a);
	c = calloc(1, sizeof(*c));
	if (c == NULL)
		return ow_cmd_fail(a, "no memory");
	r = give(a, &reg, c);
	free(c);
	return r;
}

/* ---- the list ---- */

static const struct ow_column columns[] = {
	{ "SLOT", 4, OW_COLUMN_RIGHT },	   { "CID", 4, OW_COLUMN_RIGHT },
	{ "COMMAND", 8, OW_COLUMN_GROWS }, { "FLAGS", 8, OW_COLUMN_RIGHT },
	{ "PROCID", 10, OW_COLUMN_GROWS }, { "#SEEN", 5, OW_COLUMN_RIGHT },
	{ "#APPL", 5, OW_COLUMN_RIGHT },   { "#FAIL", 5, OW_COLUMN_RIGHT },
	{ "AGE", 8, OW_COLUMN_RIGHT },	   { "FEEDBACK", 8, 0 },
	{ NULL, 0, 0 },
};
static const struct ow_column argument_columns[] = {
	{ "SLOT", 4, OW_COLUMN_RIGHT },	   { "CID", 4, OW_COLUMN_RIGHT },
	{ "COMMAND", 8, OW_COLUMN_GROWS }, { "ARG_A", 42, OW_COLUMN_GROWS },
	{ "ARG_B", 10, 0 },		   { NULL, 0, 0 },
};
static const struct ow_column feedback_columns[] = {
	{ "SLOT", 4, OW_COLUMN_RIGHT },	   { "CID", 4, OW_COLUMN_RIGHT },
	{ "COMMAND", 8, OW_COLUMN_GROWS }, { "FEEDBACKMSG", 20, 0 },
	{ NULL, 0, 0 },
};

static void row_json(struct ow_json *j, uint32_t slot,
		     const ndrx_lcf_command_t *c,
		     const struct ow_lcf_counts *n, uint64_t age)
{
	ow_json_row_begin(j);
	ow_json_uint(j, "slot", slot);
	ow_json_uint(j, "number", c->cmdversion);
	ow_json_int(j, "code", c->command);
	ow_json_str(j, "command", c->cmdstr);
	ow_json_int(j, "flags", c->flags);
	ow_json_str(j, "procid", c->procid);
	ow_json_str(j, "arg_a", c->arg_a);
	ow_json_str(j, "arg_b", c->arg_b);
	ow_json_uint(j, "seen", n->seen);
	ow_json_uint(j, "applied", n->applied);
	ow_json_uint(j, "failed", n->failed);
	ow_json_uint(j, "age_s", age);
	ow_json_str(j, "feedback", n->feedback);
	ow_json_row_end(j);
}

static void row_cells(struct ow_args *a, struct ow_grid *g, uint32_t slot,
		      const ndrx_lcf_command_t *c,
		      const struct ow_lcf_counts *n, uint64_t age)
{
	ow_grid_cell(g, "%u", slot);
	ow_grid_cell(g, "%u", c->cmdversion);
	ow_grid_cell(g, "%s", c->cmdstr);
	if (ow_args_has(a, '2')) {
		ow_grid_cell(g, "%s", c->arg_a);
		ow_grid_cell(g, "%s", c->arg_b);
	} else if (ow_args_has(a, '3')) {
		ow_grid_cell(g, "%s", n->feedback);
	} else {
		ow_grid_cell(g, "%lx", c->flags);
		ow_grid_cell(g, "%s", c->procid);
		ow_grid_cell(g, "%u", n->seen);
		ow_grid_cell(g, "%u", n->applied);
		ow_grid_cell(g, "%u", n->failed);
		ow_grid_cell(g, "%llus", (unsigned long long)age);
		ow_grid_cell(g, "%s", n->feedback);
	}
	ow_grid_end_row(g);
}

static void list(struct ow_args *a, struct ow_lcf *s, struct ow_listing *l)
{
	ndrx_lcf_command_t *c = calloc(1, sizeof(*c));
	struct ow_lcf_counts n;
	uint64_t age;
	uint32_t i;

	for (i = 0; c != NULL && i < OW_LCF_SLOTS; i++) {
		if (ow_lcf_read(s, i, 0, c, &n) != 0)
			continue;
		age = (ow_clock_mono_ns() - n.published_ns) / OW_NS_PER_SEC;
		if (l->json != NULL)
			row_json(l->json, i, c, &n, age);
		else
			row_cells(a, l->grid, i, c, &n, age);
	}
	free(c);
}

int ow_control_lcf_list(struct ow_args *a)
{
	const struct ow_column *form = ow_args_has(a, '2')   ? argument_columns
				       : ow_args_has(a, '3') ? feedback_columns
							     : columns;
	struct ow_lcf *s = NULL;
	struct ow_listing l;
	struct ow_domain d;
	int r;

	if (ow_reach_own(a, &d) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	r = ow_lcf_open(&d, false, &s);
	if (r < 0)
		return ow_cmd_fail(a, "%s", ow_owned_strerror(r));
	if (ow_listing_begin(&l, &a->form, form) != 0) {
		ow_lcf_close(s);
		return ow_cmd_fail(a, "no memory");
	}
	if (s != NULL)
		list(a, s, &l);
	ow_listing_end(&l);
	ow_lcf_close(s);
	return OW_EXIT_OK;
}
