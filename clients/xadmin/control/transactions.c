/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transactions.c - printtrans and its like: ask each tmsrv, give it orders
 *
 * A tmsrv is asked by calls of its service @TM-NODE-RM-SRVID. The XID of a
 * transaction is shown as 32 hexadecimal digits, that of a branch as 48 (gtrid,
 * bqual).
 */
#include "clients/xadmin/control/control.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "clients/xadmin/command/args.h"
#include "clients/xadmin/domain/reach.h"
#include "libatmi/tran/tm.h"
#include "libatmi/xa/rm.h"

/* What a line of text of a tmsrv becomes. */
typedef void line_fn(struct ow_listing *l, const char *svc,
		     const struct ow_tm *m, char *line);

/* Is it the service of one tmsrv? */
static bool is_tm(const char *name)
{
	long node;
	unsigned int rm, srvid;
	char more;

	return sscanf(name, "@TM-%ld-%u-%u%c", &node, &rm, &srvid, &more) == 3;
}

static int show_of(const struct ow_args *a, struct ow_listing *l,
		   const char *svc, enum ow_tm_op op, line_fn *show)
{
	struct ow_tm m = { .op = op };
	char *text = NULL, *at, *line;

	if (ow_tm_ask_text(svc, &m, &text) != 0 || text == NULL)
		return ow_cmd_fail(a, "%s: %s", svc, tpstrerror(tperrno));
	for (at = text; (line = strsep(&at, "\n")) != NULL;)
		if (*line != '\0')
			show(l, svc, &m, line);
	free(text);
	return OW_EXIT_OK;
}

/* Each tmsrv that runs, or that of `only`. */
static int show_all(struct ow_args *a, const struct ow_column *columns,
		    const char *only, enum ow_tm_op op, line_fn *show)
{
	char name[OW_SVC_NAME];
	const struct ow_svc *s;
	struct ow_listing l;
	struct ow_observer v;
	uint32_t i;
	int e, r = ow_reach_tables(a, &v);

	if (r != OW_EXIT_OK)
		return r;
	if (ow_listing_begin(&l, &a->form, columns) != 0) {
		ow_observer_close(&v);
		return ow_cmd_fail(a, "no memory");
	}
	for (i = 0; i < ow_observer_services(&v); i++) {
		s = ow_observer_service(&v, i, name);
		if (s == NULL || ow_svc_servers(s) == 0 || !is_tm(name) ||
		    (only != NULL && strcmp(only, name) != 0))
			continue;
		e = show_of(a, &l, name, op, show);
		r = e != OW_EXIT_OK ? e : r;
	}
	ow_listing_end(&l);
	ow_observer_close(&v);
	return r;
}

/* ---- printtrans ---- */

struct shown {
	uint64_t tran;
	char stage[16];
	int doomed;
	uint64_t timeout_ms;
	int64_t left_ms;
	unsigned int tries;
	int branches_at; /* in the line */
};

static const char *status_word(char c)
{
	switch (c) {
	case 'a':
		return "active";
	case 'p':
		return "prepared";
	case 'c':
		return "committed";
	case 'r':
		return "rolled back";
	case 'o':
		return "read only";
	case 'l':
		return "last";
	default:
		return "heuristic";
	}
}

/* A branch as the line has it: of a resource manager, or of another node. */
struct part {
	unsigned int rmid, number, node;
	char status;
	int result;
};

static bool read_part(const char *word, struct part *p)
{
	p->node = 0;
	return sscanf(word, "%u:%u:%c:%d:%u", &p->rmid, &p->number,
		      &p->status, &p->result, &p->node) >= 4;
}

/* Of a subordinate transaction, behind its branches: the node and XID of its
 * superior, and what an operator has decided. */
struct superior {
	unsigned int node;
	char xid[33];
	int by_hand;
};

static bool read_superior(const char *branches, struct superior *s)
{
	const char *p = strstr(branches, " ^");

	return p != NULL && sscanf(p, " ^%u:%32[0-9a-f]:%d", &s->node, s->xid,
				   &s->by_hand) == 3;
}

static const char *hand_word(int by_hand)
{
	return by_hand == 1   ? "commit"
	       : by_hand == 2 ? "rollback"
			      : "none";
}

static void json_superior(struct ow_json *j, const char *branches)
{
	struct superior s;

	if (!read_superior(branches, &s))
		return;
	ow_json_uint(j, "superior_node", s.node);
	ow_json_str(j, "superior_xid", s.xid);
	ow_json_str(j, "by_hand", hand_word(s.by_hand));
}

static void json_branches(struct ow_json *j, char *text)
{
	struct part p;
	char *word;

	ow_json_list_begin(j, "branches");
	while ((word = strsep(&text, " ")) != NULL) {
		if (!read_part(word, &p))
			continue;
		ow_json_row_begin(j);
		if (p.node != 0)
			ow_json_uint(j, "node", p.node);
		else
			ow_json_uint(j, "rmid", p.rmid);
		ow_json_uint(j, "branch", p.number);
		ow_json_str(j, "status", status_word(p.status));
		ow_json_int(j, "result", p.result);
		ow_json_row_end(j);
	}
	ow_json_list_end(j);
}

static void json_tran(struct ow_json *j, const char *svc, uint64_t identity,
		      const struct shown *s, char *branches)
{
	char xid[40];

	snprintf(xid, sizeof(xid), "%016" PRIx64 "%016" PRIx64, identity,
		 s->tran);
	ow_json_row_begin(j);
	ow_json_str(j, "xid", xid);
	ow_json_str(j, "tm", svc);
	ow_json_uint(j, "rmid", OW_TM_RMID(s->tran));
	ow_json_uint(j, "srvid", OW_TM_SRVID(s->tran));
	ow_json_str(j, "stage", s->stage);
	ow_json_bool(j, "rollback_only", s->doomed != 0);
	ow_json_uint(j, "timeout_ms", s->timeout_ms);
	ow_json_int(j, "left_ms", s->left_ms);
	ow_json_uint(j, "tries", s->tries);
	if (!j->as_csv) {
		json_superior(j, branches);
		json_branches(j, branches);
	}
	ow_json_row_end(j);
}

static void print_part(const struct part *p)
{
	printf("\t\t%s: %u, btid: %u status: %c-%s, errorcode: %d, reason: "
	       "%s\n",
	       p->node != 0 ? "node" : "grpno",
	       p->node != 0 ? p->node : p->rmid, p->number, p->status,
	       status_word(p->status), p->result, ow_tm_word(p->result));
}

static void print_tran(const char *svc, uint64_t identity,
		       const struct shown *s, char *branches)
{
	struct superior sup;
	unsigned int n = 0;
	struct part part;
	const char *p;
	char *word;

	for (p = branches; *p != '\0'; p++)
		n += *p == ' ' && p[1] != '^';
	printf("xid=[%016" PRIx64 "%016" PRIx64 "]\n"
	       "\tTM: Node Id: %ld, grpno: %u, srvid: %u, Transaction stage: "
	       "%s%s\n\t(TM ref: -t%s -x%016" PRIx64 "%016" PRIx64 ")\n"
	       "\tGroup count: %u, timeout: %" PRIu64 ", time left: %" PRId64
	       ", tries: %u of unlimited\n\tKnown participants:\n",
	       identity, s->tran, tpgetnodeid(), OW_TM_RMID(s->tran),
	       OW_TM_SRVID(s->tran), s->stage,
	       s->doomed ? ", rollback only" : "", svc, identity, s->tran, n,
	       s->timeout_ms / 1000, s->left_ms / 1000, s->tries);
	if (read_superior(branches, &sup))
		printf("\t\tsuperior: node %u, xid=[%s], by hand: %s\n",
		       sup.node, sup.xid, hand_word(sup.by_hand));
	while ((word = strsep(&branches, " ")) != NULL)
		if (read_part(word, &part))
			print_part(&part);
	putchar('\n');
}

static void show_tran(struct ow_listing *l, const char *svc,
		      const struct ow_tm *m, char *line)
{
	struct shown s = { 0 };

	if (sscanf(line, "%" SCNx64 " %15s %d %" SCNu64 " %" SCNd64 " %u%n",
		   &s.tran, s.stage, &s.doomed, &s.timeout_ms, &s.left_ms,
		   &s.tries, &s.branches_at) != 6)
		return;
	if (l->json != NULL)
		json_tran(l->json, svc, m->identity, &s,
			  line + s.branches_at);
	else
		print_tran(svc, m->identity, &s, line + s.branches_at);
}

int ow_control_printtrans(struct ow_args *a)
{
	return show_all(a, NULL, NULL, OW_TM_LIST, show_tran);
}

/* ---- recoverlocal ---- */

static const struct ow_column branch_columns[] = {
	{ "TMSVC", 16, OW_COLUMN_GROWS },
	{ "XID", 48, 0 },
	{ "OURS", 5, 0 },
	{ NULL, 0, 0 },
};

static void show_branch(struct ow_listing *l, const char *svc,
			const struct ow_tm *m, char *line)
{
	char *gtrid = strsep(&line, " "), *bqual = strsep(&line, " ");
	char xid[2 * XIDDATASIZE + 1];

	snprintf(xid, sizeof(xid), "%s%s", gtrid, bqual != NULL ? bqual : "");
	if (l->json != NULL) {
		ow_json_row_begin(l->json);
		ow_json_str(l->json, "tm", svc);
		ow_json_str(l->json, "xid", xid);
		ow_json_bool(l->json, "ours", line != NULL);
		ow_json_row_end(l->json);
		return;
	}
	ow_grid_cell(l->grid, "%s", svc);
	ow_grid_cell(l->grid, "%s", xid);
	ow_grid_cell(l->grid, "%s", line != NULL ? "yes" : "no");
	ow_grid_end_row(l->grid);
}

int ow_control_recoverlocal(struct ow_args *a)
{
	return show_all(a, branch_columns, ow_args_value(a, 's'),
			OW_TM_BRANCH_LIST, show_branch);
}

/* ---- orders ---- */

static int result(const struct ow_args *a, const struct ow_tm *m)
{
	switch (m->result) {
	case OW_TM_OK:
	case OW_TM_ABORTED:
		return OW_EXIT_OK;
	case OW_TM_UNKNOWN:
		return ow_cmd_fail(a, "there is no such transaction");
	case OW_TM_ENDING:
		return ow_cmd_fail(a, "not in this stage");
	case OW_TM_MIXED:
	case OW_TM_HAZARD:
		return ow_cmd_fail(a, "a resource manager has decided "
				   "otherwise, or may have");
	default:
		return ow_cmd_fail(a, "tmsrv: result %d", m->result);
	}
}

static bool is_hex(const char *text, size_t digits)
{
	return strlen(text) == digits &&
	       strspn(text, "0123456789abcdefABCDEF") == digits;
}

static int not_answered(struct ow_args *a, const char *svc)
{
	if (tperrno == TPENOENT)
		return ow_cmd_fail(a, "no tmsrv offers %s (printtrans and "
				   "recoverlocal show their names)", svc);
	return ow_cmd_fail(a, "%s: %s", svc, tpstrerror(tperrno));
}

static int order(struct ow_args *a, enum ow_tm_op op, const char *svc)
{
	const char *xid = ow_args_value(a, 'x');
	struct ow_tm m = { .op = op };

	if (svc == NULL || xid == NULL)
		return ow_cmd_misused(a, "a service of tmsrv and an XID are "
				      "needed");
	if (!is_hex(xid, 32) ||
	    sscanf(xid, "%16" SCNx64 "%16" SCNx64, &m.identity, &m.tran) != 2)
		return ow_cmd_misused(a, "-x %s: give 32 digits, as "
				      "printtrans shows them", xid);
	if (!ow_cmd_sure(a))
		return OW_EXIT_FAILED;
	if (ow_tm_ask(svc, &m) != 0)
		return not_answered(a, svc);
	return result(a, &m);
}

int ow_control_aborttrans(struct ow_args *a)
{
	return order(a, OW_TM_ORDER_ABORT, ow_args_value(a, 't'));
}

int ow_control_committrans(struct ow_args *a)
{
	return order(a, OW_TM_ORDER_COMMIT, ow_args_value(a, 't'));
}

/* commitlocal, abortlocal, forgetlocal: one branch. */
int ow_control_endlocal(struct ow_args *a)
{
	const char *svc = ow_args_value(a, 's'), *xid = ow_args_value(a, 'x');
	struct ow_tm m = { .op = OW_TM_BRANCH_COMMIT };

	if (a->cmd->name[0] == 'a')
		m.op = OW_TM_BRANCH_ROLLBACK;
	if (a->cmd->name[0] == 'f')
		m.op = OW_TM_BRANCH_FORGET;
	if (m.op == OW_TM_BRANCH_FORGET && xid != NULL && strlen(xid) == 32)
		return order(a, OW_TM_FORGET, svc);
	if (svc == NULL || xid == NULL)
		return ow_cmd_misused(a, "-s TMSVC and an XID are needed");
	if (!is_hex(xid, 48) ||
	    sscanf(xid, "%16" SCNx64 "%16" SCNx64 "%8" SCNx32 "%8" SCNx32,
		   &m.identity, &m.tran, &m.rmid, &m.branch) != 4)
		return ow_cmd_misused(a, "-x %s: give 48 digits, as "
				      "recoverlocal shows them", xid);
	if (!ow_cmd_sure(a))
		return OW_EXIT_FAILED;
	if (ow_tm_ask(svc, &m) != 0)
		return not_answered(a, svc);
	if (m.result != XA_OK)
		return ow_cmd_fail(a, "%s", ow_rm_word(m.result));
	return OW_EXIT_OK;
}
