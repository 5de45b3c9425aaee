/* SPDX-License-Identifier: Apache-2.0 */
/*
 * servers.c - ppm, psrv: server processes, as ndrxd sees them
 */
#include "clients/xadmin/list/list.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "libndrx/observe/format.h"
#include "clients/xadmin/output/listing.h"
#include "clients/xadmin/domain/reach.h"
#include "libatmi/wire/msg.h"

static const struct ow_column ppm_columns[] = {
	{ "BINARY", 8, OW_COLUMN_GROWS },
	{ "SRVID", 5, OW_COLUMN_RIGHT },
	{ "PID", 8, OW_COLUMN_RIGHT },
	{ "SVPID", 8, OW_COLUMN_RIGHT },
	{ "STATE", 5, 0 },
	{ "REQST", 5, 0 },
	{ "AS", 2, OW_COLUMN_RIGHT },
	{ "EXSQ", 4, OW_COLUMN_RIGHT },
	{ "RSP ", 4, OW_COLUMN_RIGHT },
	{ "NTRM", 4, OW_COLUMN_RIGHT },
	{ "LSIG", 4, OW_COLUMN_RIGHT },
	{ "K", 1, OW_COLUMN_RIGHT },
	{ "STCH", 4, OW_COLUMN_RIGHT },
	{ "FLAGS", 5, 0 },
	{ NULL, 0, 0 },
};

static const struct ow_column ppm2_columns[] = {
	{ "BINARY", 8, OW_COLUMN_GROWS },
	{ "SVBIN", 8, OW_COLUMN_GROWS },
	{ "SRVID", 5, OW_COLUMN_RIGHT },
	{ "PID", 8, OW_COLUMN_RIGHT },
	{ "SVPID", 8, OW_COLUMN_RIGHT },
	{ "RQADDR", 30, 0 },
	{ NULL, 0, 0 },
};

static const struct ow_column ppm3_columns[] = {
	{ "BINARY", 8, OW_COLUMN_GROWS },
	{ "SRVID", 5, OW_COLUMN_RIGHT },
	{ "PID", 8, OW_COLUMN_RIGHT },
	{ "SVPID", 8, OW_COLUMN_RIGHT },
	{ "PROCGRP", 8, OW_COLUMN_GROWS },
	{ "PGNO", 5, OW_COLUMN_RIGHT },
	{ "PROCGRPL", 8, OW_COLUMN_GROWS },
	{ "PGLNO", 5, OW_COLUMN_RIGHT },
	{ "PGNLA", 5, OW_COLUMN_RIGHT },
	{ NULL, 0, 0 },
};

static const struct ow_column psrv_columns[] = {
	{ "SLOT", 6, OW_COLUMN_RIGHT },
	{ "SRVID", 5, OW_COLUMN_RIGHT },
	{ "EXECERR", 9, OW_COLUMN_RIGHT },
	{ "STATUS", 6, OW_COLUMN_RIGHT },
	{ "LAST CMD", 8, 0 },
	{ "LAST CALLER", 32, 0 },
	{ NULL, 0, 0 },
};

/* As JSON: with the threads, from the tables. */
struct json_rows {
	struct ow_json *json;
	const struct ow_observer *view; /* NULL: they cannot be read */
};

/* psrv: the rows of ndrxd, with the caller from the tables. */
struct callers {
	struct ow_observer view;
	bool have_view;
	struct ow_grid *grid;
};

/* ---- ppm ---- */

/* The colour of a state that an operator must see first. */
static enum ow_colour state_colour(const struct ow_ctl_row *r)
{
	if (r->state == OW_PROC_RUNNING)
		return OW_COLOUR_GOOD;
	if (r->state == OW_PROC_NOT_STARTED || r->state == OW_PROC_EXITED)
		return r->requested == OW_PROC_RUNNING ? OW_COLOUR_BAD
						       : OW_COLOUR_NONE;
	if (r->state == OW_PROC_STARTING || r->state == OW_PROC_STOPPING ||
	    r->state == OW_PROC_RESTARTING || r->state == OW_PROC_WAITING)
		return OW_COLOUR_WARN;
	return OW_COLOUR_BAD;
}

/* A number of cycles in at most 4 characters. */
static void cell_cycles(struct ow_grid *g, uint64_t ms)
{
	char text[OW_FORMAT_MAX];

	ow_grid_cell(g, "%s", ow_format_cycles(ms, text, sizeof(text)));
}

static void on_row_state(const union ow_ctl_msg *m, void *arg)
{
	const struct ow_ctl_row *r = &m->row;
	struct ow_grid *g = arg;

	if (m->h.kind != OW_CTL_ROW)
		return;
	ow_grid_cell(g, "%s", r->bin);
	ow_grid_cell(g, "%u", r->srvid);
	ow_grid_cell(g, "%d", r->pid);
	ow_grid_cell(g, "%d", r->svpid);
	ow_grid_cell(g, "%s", ow_proc_state_word(r->state));
	ow_grid_paint(g, state_colour(r));
	ow_grid_cell(g, "%s", ow_proc_state_word(r->requested));
	ow_grid_cell(g, "%u", r->autostart != 0);
	cell_cycles(g, (uint64_t)r->exec_seq * 1000);
	cell_cycles(g, r->ms_start);
	cell_cycles(g, (uint64_t)r->num_term * 1000);
	cell_cycles(g, r->ms_term);
	ow_grid_cell(g, "%u", r->autokill != 0);
	cell_cycles(g, r->ms_state);
	if (r->procgrp_lp[0] != '\0')
		ow_grid_cell(g, "L"); /* lock provider */
	ow_grid_end_row(g);
}

static void on_row_program(const union ow_ctl_msg *m, void *arg)
{
	const struct ow_ctl_row *r = &m->row;
	struct ow_grid *g = arg;
	const char *base;

	if (m->h.kind != OW_CTL_ROW)
		return;
	base = strrchr(r->binpath, '/');
	ow_grid_cell(g, "%s", r->bin);
	ow_grid_cell(g, "%s", base != NULL ? base + 1 : r->binpath);
	ow_grid_cell(g, "%u", r->srvid);
	ow_grid_cell(g, "%d", r->pid);
	ow_grid_cell(g, "%d", r->svpid);
	ow_grid_cell(g, "-");
	ow_grid_end_row(g);
}

static void on_row_group(const union ow_ctl_msg *m, void *arg)
{
	const struct ow_ctl_row *r = &m->row;
	struct ow_grid *g = arg;

	if (m->h.kind != OW_CTL_ROW)
		return;
	ow_grid_cell(g, "%s", r->bin);
	ow_grid_cell(g, "%u", r->srvid);
	ow_grid_cell(g, "%d", r->pid);
	ow_grid_cell(g, "%d", r->svpid);
	ow_grid_cell(g, "%s", r->procgrp[0] != '\0' ? r->procgrp : "-");
	ow_grid_cell(g, "%u", r->procgrp_no);
	ow_grid_cell(g, "%s", r->procgrp_lp[0] != '\0' ? r->procgrp_lp : "-");
	ow_grid_cell(g, "%u", r->procgrp_lp_no);
	ow_grid_cell(g, "%u", r->procgrp_lp_no);
	ow_grid_end_row(g);
}

static void on_row_json(const union ow_ctl_msg *m, void *arg)
{
	const struct ow_ctl_row *r = &m->row;
	struct json_rows *rows = arg;
	struct ow_json *j = rows->json;
	char busy[400] = "";
	uint32_t threads;

	if (m->h.kind != OW_CTL_ROW)
		return;
	threads = rows->view == NULL ? r->pid > 0
				     : ow_list_threads_of(rows->view, r->srvid,
							  busy, sizeof(busy));
	ow_json_row_begin(j);
	ow_json_str(j, "program", r->bin);
	ow_json_str(j, "path", r->binpath);
	ow_json_uint(j, "srvid", r->srvid);
	ow_json_int(j, "pid", r->pid);
	ow_json_int(j, "server_pid", r->svpid);
	ow_json_str(j, "state", ow_proc_state_word(r->state));
	ow_json_str(j, "state_text", ow_proc_state_text(r->state));
	ow_json_str(j, "requested", ow_proc_state_word(r->requested));
	ow_json_bool(j, "autostart", r->autostart != 0);
	ow_json_bool(j, "autokill", r->autokill != 0);
	ow_json_uint(j, "start_tries", r->exec_seq);
	ow_json_uint(j, "restarts", r->restarts);
	ow_json_uint(j, "signals_sent", r->num_term);
	ow_json_uint(j, "ms_since_state", r->ms_state);
	ow_json_uint(j, "ms_since_start", r->ms_start);
	ow_json_uint(j, "ms_since_signal", r->ms_term);
	ow_json_uint(j, "ms_since_ping", r->ms_ping);
	ow_json_int(j, "exit_status", r->exit_status);
	ow_json_int(j, "exec_errno", r->exec_errno);
	ow_json_str(j, "last_command", r->last_cmd);
	ow_json_str(j, "reason", r->reason);
	ow_json_str(j, "procgrp", r->procgrp);
	ow_json_str(j, "procgrp_lp", r->procgrp_lp);
	ow_json_uint(j, "threads", threads);
	ow_json_str(j, "threads_busy", busy);
	ow_json_row_end(j);
}

/* Call ndrxd for its rows. An exit code. */
static int ask_rows(struct ow_args *a, struct ow_command_link *link,
		    const struct ow_command_order *c)
{
	struct ow_ctl_done done;
	int r = ow_command_call(link, c, &done);

	ow_command_close(link);
	return ow_reach_result(a, r, &done);
}

/* List all rows of ndrxd, or those of the tables when it does not answer; `fn`
 * gets `arg`, or the grid if `arg` is NULL. */
static int list_rows(struct ow_args *a, const struct ow_column *columns,
		     ow_command_fn *fn, void *arg)
{
	struct ow_command_order c = { .verb = OW_VERB_LIST, .on_reply = fn };
	const char *why_not;
	char why[512];
	struct ow_command_link link;
	struct ow_listing l;
	struct ow_domain d;
	struct ow_observer v;
	struct json_rows rows;
	int r = ow_reach_answering(a, &d, &link, &why_not);
	bool tables = r == OW_EXIT_ABSENT, seen;

	if (tables)
		r = ow_reach_tables(a, &v);
	if (r != OW_EXIT_OK)
		return r;
	seen = tables || ow_observer_open(&v, why, sizeof(why)) == 0;
	if (tables)
		fprintf(stderr, "%s: this is what the shared tables know\n",
			why_not);
	if (ow_listing_begin(&l, &a->form, columns) != 0)
		r = ow_cmd_fail(a, "no memory");
	c.arg = arg != NULL ? arg : l.grid;
	if (arg != NULL)
		((struct callers *)arg)->grid = l.grid;
	if (a->form.json) {
		rows = (struct json_rows){ l.json, seen ? &v : NULL };
		c.on_reply = on_row_json;
		c.arg = &rows;
	}
	if (r == OW_EXIT_OK && tables)
		ow_list_known(&v, c.on_reply, c.arg);
	else if (r == OW_EXIT_OK)
		r = ask_rows(a, &link, &c);
	else if (!tables)
		ow_command_close(&link);
	if (r == OW_EXIT_OK && seen && c.on_reply == on_row_state)
		ow_list_threads(&v, c.on_reply, c.arg);
	if (seen)
		ow_observer_close(&v);
	ow_listing_end(&l);
	return r;
}

int ow_list_ppm(struct ow_args *a)
{
	char step[OW_STEP_MAX + 64];

	if (!a->form.json && ow_observer_step(step, sizeof(step)))
		fprintf(stderr, "%s\n", step);
	if (ow_args_has(a, '2'))
		return list_rows(a, ppm2_columns, on_row_program, NULL);
	if (ow_args_has(a, '3'))
		return list_rows(a, ppm3_columns, on_row_group, NULL);
	return list_rows(a, ppm_columns, on_row_state, NULL);
}

/* ---- psrv ---- */

/* The id of the caller of the request that the server is serving; "" when
 * there is none. */
static void caller_of(const struct ow_observer *v, uint32_t srvid, char *buf,
		      size_t size)
{
	const struct ow_tables *t = v->d.tables;
	char id[96];
	struct ow_msg m;

	buf[0] = '\0';
	if (srvid >= OW_SRV_MAX || !ow_srv_alive(t, srvid))
		return;
	memcpy(&m, ow_tables_rx(t, srvid), sizeof(m));
	if (m.magic != OW_MSG_MAGIC || m.clt_slot >= ow_observer_clients(v) ||
	    atomic_load(&t->clt[m.clt_slot].gen) != m.clt_gen)
		return;
	ow_observer_text(id, t->clt[m.clt_slot].cltid, sizeof(id));
	snprintf(buf, size, "%s", id);
}

static void on_row_caller(const union ow_ctl_msg *m, void *arg)
{
	struct callers *c = arg;
	const struct ow_ctl_row *r = &m->row;
	char caller[96] = "";
	int status = r->exit_status;

	if (m->h.kind != OW_CTL_ROW)
		return;
	if (c->have_view)
		caller_of(&c->view, r->srvid, caller, sizeof(caller));
	/* As in a shell: 128 plus the number of the signal. */
	status = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				     : WEXITSTATUS(status);
	ow_grid_cell(c->grid, "%u", r->srvid);
	ow_grid_cell(c->grid, "%u", r->srvid);
	ow_grid_cell(c->grid, "%d", r->exec_errno);
	ow_grid_cell(c->grid, "%d", status);
	ow_grid_cell(c->grid, "%s", r->last_cmd);
	ow_grid_cell(c->grid, "%s", caller);
	ow_grid_end_row(c->grid);
}

int ow_list_psrv(struct ow_args *a)
{
	struct callers c = { .have_view = false };
	char why[512];
	int r;

	c.have_view = ow_observer_open(&c.view, why, sizeof(why)) == 0;
	r = list_rows(a, psrv_columns, on_row_caller, &c);
	if (c.have_view)
		ow_observer_close(&c.view);
	return r;
}
