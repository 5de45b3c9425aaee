/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list_processes.c - ppm and psrv: server processes, as ndrxd knows them
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "clients/xadmin/commands.h"
#include "clients/xadmin/domain_view.h"
#include "clients/xadmin/format.h"
#include "clients/xadmin/json.h"
#include "clients/xadmin/remote.h"
#include "clients/xadmin/spawn.h"
#include "libatmi/msg.h"

static const char ppm_head[] =
    "BINARY   SRVID      PID    SVPID STATE REQST AS EXSQ RSP  NTRM LSIG K "
    "STCH FLAGS";
static const int ppm_widths[] = { 8, 5, 8, 8, 5, 5, 2, 4,
				  4, 4, 4, 1, 4, 5, 0 };
static const char ppm2_head[] =
    "BINARY   SVBIN    SRVID      PID    SVPID RQADDR";
static const int ppm2_widths[] = { 8, 8, 5, 8, 8, 30, 0 };
static const char ppm3_head[] =
    "BINARY   SRVID      PID    SVPID PROCGRP   PGNO PROCGRPL PGLNO PGNLA";
static const int ppm3_widths[] = { 8, 5, 8, 8, 8, 5, 8, 5, 5, 0 };
static const char psrv_head[] =
    "  SLOT SRVID   EXECERR STATUS LAST CMD LAST CALLER";
static const int psrv_widths[] = { 6, 5, 9, 6, 8, 32, 0 };

/* ---- ppm ---- */

static void print_state(const struct ow_ctl_row *r)
{
	char rsp[16], lsig[16], stch[16], bin[16], seq[16], term[16];

	ow_format_clip(r->bin, 8, bin, sizeof(bin));
	ow_format_cycles(r->ms_start, rsp, sizeof(rsp));
	ow_format_cycles(r->ms_term, lsig, sizeof(lsig));
	ow_format_cycles(r->ms_state, stch, sizeof(stch));
	ow_format_cycles((uint64_t)r->exec_seq * 1000, seq, sizeof(seq));
	ow_format_cycles((uint64_t)r->num_term * 1000, term, sizeof(term));
	printf("%-8.8s %5u %8d %8d %-5.5s %-5.5s %2u %4s %4s %4s %4s %u %4s "
	       "%-5.5s\n",
	       bin, r->srvid, r->pid, r->svpid, ow_proc_state_word(r->state),
	       ow_proc_state_word(r->requested), r->autostart != 0, seq, rsp,
	       term, lsig, r->autokill != 0, stch, "");
}

static void on_row_state(const union ow_ctl_msg *m, void *arg)
{
	(void)arg;
	if (m->h.kind == OW_CTL_ROW)
		print_state(&m->row);
}

static void on_row_program(const union ow_ctl_msg *m, void *arg)
{
	const struct ow_ctl_row *r = &m->row;
	const char *base;
	char bin[16], svbin[16];

	(void)arg;
	if (m->h.kind != OW_CTL_ROW)
		return;
	base = strrchr(r->binpath, '/');
	ow_format_clip(r->bin, 8, bin, sizeof(bin));
	ow_format_clip(base != NULL ? base + 1 : r->binpath, 8, svbin,
		       sizeof(svbin));
	printf("%-8.8s %-8.8s %5u %8d %8d %s\n", bin, svbin, r->srvid, r->pid,
	       r->svpid, "-");
}

static void on_row_group(const union ow_ctl_msg *m, void *arg)
{
	const struct ow_ctl_row *r = &m->row;
	char bin[16];

	(void)arg;
	if (m->h.kind != OW_CTL_ROW)
		return;
	ow_format_clip(r->bin, 8, bin, sizeof(bin));
	printf("%-8.8s %5u %8d %8d %-8.8s %5d %-8.8s %5d %5d\n", bin, r->srvid,
	       r->pid, r->svpid, "-", 0, "-", 0, 0);
}

static void on_row_json(const union ow_ctl_msg *m, void *arg)
{
	const struct ow_ctl_row *r = &m->row;
	struct ow_json *j = arg;

	if (m->h.kind != OW_CTL_ROW)
		return;
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
	ow_json_row_end(j);
}

/* Ask for all rows; `head` NULL: JSON. */
static int list_rows(struct ow_args *a, const char *head, const int *widths,
		     ow_remote_fn *fn, void *arg)
{
	struct ow_remote_cmd c = { .verb = OW_VERB_LIST, .arg = arg };
	struct ow_json j = { .out = stdout };
	struct ow_remote remote;
	struct ow_ctl_done done;
	struct ow_domain d;
	int r = ow_spawn_connect_running(a, &d, &remote);

	if (r != OW_EXIT_OK)
		return r;
	c.on_answer = fn;
	if (a->json) {
		c.on_answer = on_row_json;
		c.arg = &j;
		ow_json_list_begin(&j, NULL);
	} else {
		ow_format_header(head, widths);
	}
	r = ow_remote_call(&remote, &c, &done);
	ow_remote_close(&remote);
	if (a->json)
		ow_json_list_end(&j);
	if (r < 0)
		return ow_cmd_fail(a, "%s", ow_remote_strerror(r));
	return done.status == 0 ? OW_EXIT_OK : ow_cmd_fail(a, "%s", done.text);
}

int ow_list_ppm(struct ow_args *a)
{
	if (ow_args_has(a, '2'))
		return list_rows(a, ppm2_head, ppm2_widths, on_row_program,
				 NULL);
	if (ow_args_has(a, '3'))
		return list_rows(a, ppm3_head, ppm3_widths, on_row_group,
				 NULL);
	return list_rows(a, ppm_head, ppm_widths, on_row_state, NULL);
}

/* ---- psrv ---- */

/* Who waits for the request in hand; "" when there is none. */
static void caller_of(const struct ow_view *v, uint32_t srvid, char *buf,
		      size_t size)
{
	const struct ow_tables *t = v->d.tables;
	char id[96];
	struct ow_msg m;

	buf[0] = '\0';
	if (srvid >= OW_SRV_MAX || !ow_srv_alive(t, srvid))
		return;
	memcpy(&m, t->rx[srvid], sizeof(m));
	if (m.magic != OW_MSG_MAGIC || m.clt_slot >= ow_view_clients(v) ||
	    atomic_load(&t->clt[m.clt_slot].gen) != m.clt_gen)
		return;
	ow_view_text(id, t->clt[m.clt_slot].cltid, sizeof(id));
	snprintf(buf, size, "%s", id);
}

static void on_row_caller(const union ow_ctl_msg *m, void *arg)
{
	const struct ow_view *v = arg;
	const struct ow_ctl_row *r = &m->row;
	char caller[96] = "";
	int status = r->exit_status;

	if (m->h.kind != OW_CTL_ROW)
		return;
	if (v != NULL)
		caller_of(v, r->srvid, caller, sizeof(caller));
	/* As a shell says it: 128 and the signal's number. */
	status = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				     : WEXITSTATUS(status);
	printf("%6u %5u %9d %6d %-8.8s %s\n", r->srvid, r->srvid,
	       r->exec_errno, status, r->last_cmd, caller);
}

int ow_list_psrv(struct ow_args *a)
{
	struct ow_view v;
	char why[512];
	int r;

	if (ow_view_open(&v, why, sizeof(why)) != 0)
		return list_rows(a, psrv_head, psrv_widths, on_row_caller,
				 NULL);
	r = list_rows(a, psrv_head, psrv_widths, on_row_caller, &v);
	ow_view_close(&v);
	return r;
}
