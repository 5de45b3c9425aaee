/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.c - the commands of xadmin: a table of verbs
 */
#include "ndrxd/control/command.h"

#include <stdio.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/owned.h"
#include "libatmi/domain/orderer.h"
#include "libubf/base/printable.h"
#include "libatmi/log/log.h"
#include "libatmi/domain/domain.h"
#include "libatmi/wire/ctl.h"
#include "ndrxd/control/appconfig.h"
#include "ndrxd/control/client_command.h"
#include "ndrxd/control/guest_run.h"
#include "ndrxd/control/rows.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/emit.h"
#include "ndrxd/report/leave.h"
#include "ndrxd/report/peer.h"
#include "ndrxd/supervise/hold.h"
#include "ndrxd/supervise/inspect.h"
#include "ndrxd/supervise/operation.h"
#include "ndrxd/supervise/reload.h"
#include "ndrxd/supervise/services.h"

#define FAILED 1u

typedef void handler(struct ow_peer *p, const struct ow_ctl_cmd *cmd);

static const char *verb_in_progress(const struct ndrxd *d)
{
	return ow_ctl_verb_word(ow_operation_cmd(d->operation)->verb);
}

static void refuse_busy(struct ow_peer *p)
{
	char text[120];

	snprintf(text, sizeof(text),
		 "%s in progress: wait for it, or attach with `xadmin cat`",
		 verb_in_progress(p->d));
	ow_peer_done(p, FAILED, 0, text);
}

/* ---- start, stop and their like ---- */

/* No server matches: a wrong name, or a wrong number. */
static void refuse_no_match(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	char text[200];

	if (cmd->srvid != 0)
		snprintf(text, sizeof(text), "no server with id %u%s%s",
			 cmd->srvid, cmd->name[0] ? " and name " : "",
			 cmd->name);
	else if (cmd->text[0] != '\0')
		snprintf(text, sizeof(text), "no server in a group \"%.100s\"",
			 cmd->text);
	else
		snprintf(text, sizeof(text), "no server \"%s\"", cmd->name);
	ow_peer_done(p, FAILED, 0, text);
}

/* Refuses to stop servers that could not be started again. */
static bool refuse_failing(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	struct ow_inspection found;
	char text[1024];

	if (cmd->verb != OW_VERB_SRELOAD && cmd->verb != OW_VERB_RESTART)
		return false;
	ow_inspect_named(p, cmd, &found);
	if (found.fatal == 0)
		return false;
	snprintf(text, sizeof(text), "%.900s; nothing was stopped",
		 found.first);
	ow_peer_done(p, FAILED, 0, text);
	return true;
}

/* Is the start that is asked for in progress already? */
static bool is_starting(const struct ndrxd *d, const struct ow_ctl_cmd *cmd)
{
	const struct ow_ctl_cmd *now = ow_operation_cmd(d->operation);

	return cmd->verb == OW_VERB_START && now->verb == OW_VERB_START &&
	       cmd->srvid == now->srvid && strcmp(cmd->name, now->name) == 0 &&
	       strcmp(cmd->text, now->text) == 0;
}

static void do_operation(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	int r;

	if (p->d->operation == NULL && refuse_failing(p, cmd))
		return;
	r = ow_operation_begin(p->d, cmd);
	if (r == OW_OPERATION_BUSY && is_starting(p->d, cmd))
		p->watching = true; /* as `cat`: both end with its result */
	else if (r == OW_OPERATION_BUSY)
		refuse_busy(p);
	else if (r == OW_OPERATION_NO_MATCH)
		refuse_no_match(p, cmd);
	else if (r < 0)
		ow_peer_done(p, FAILED, 0, "no memory");
	else
		p->watching = true;
}

static void do_cat(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	if (p->d->operation == NULL)
		ow_peer_done(p, 0, 0, "nothing in progress");
	else
		p->watching = true;
}

static void do_abort(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	char text[80];

	if (p->d->operation == NULL) {
		ow_peer_done(p, FAILED, 0, "nothing in progress");
		return;
	}
	snprintf(text, sizeof(text), "%s is cut off",
		 verb_in_progress(p->d));
	ow_operation_abort(p->d, cmd);
	ow_peer_done(p, 0, 1, text);
}

/* ---- ndrxd itself ---- */

static void do_ping(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	ow_peer_done(p, 0, 0, "");
}

static void do_groups(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	ow_peer_done(p, 0, ow_rows_groups(p), "");
}

static void do_stat(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	ow_rows_stat(p);
	ow_peer_done(p, 0, 0, "");
}

static void do_shutdown(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	struct ndrxd *d = p->d;
	uint32_t running = 0;
	char text[120];
	size_t i;

	for (i = 0; i < d->n_insts; i++)
		running += d->insts[i]->pid != 0;
	if (d->operation != NULL) {
		refuse_busy(p);
	} else if (running > 0 && (cmd->flags & OW_CTLF_FORCE) == 0) {
		snprintf(text, sizeof(text),
			 "%u servers are running: stop them first", running);
		ow_peer_done(p, FAILED, running, text);
	} else {
		ow_peer_done(p, 0, 0, "");
		ow_leave(d);
	}
}

static void do_reload(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	if (p->d->operation != NULL)
		refuse_busy(p);
	else
		ow_reload(p->d, p, cmd->verb == OW_VERB_TESTCFG);
}

static void do_appconfig(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	char text[320];
	int r = ow_appconfig(p->d, cmd->name, cmd->text, text, sizeof(text));

	ow_peer_done(p, r == 0 ? 0 : FAILED, 0, text);
}

/* ---- one server ---- */

static void do_service(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	struct ow_inst *s = p->d->by_id[cmd->srvid];
	union ow_ctl_msg m;
	char text[120];

	if (s == NULL || s->peer == NULL) {
		snprintf(text, sizeof(text), "server id %u is not %s",
			 cmd->srvid, s == NULL ? "known" : "connected");
		ow_peer_done(p, FAILED, 0, text);
		return;
	}
	if (cmd->name[0] == '\0' || strlen(cmd->name) >= sizeof(m.name.name)) {
		ow_peer_done(p, FAILED, 0, "give a service name");
		return;
	}
	ow_ctl_init(&m,
		    cmd->verb == OW_VERB_ADV ? OW_CTL_ADV : OW_CTL_UNADV, 0);
	memcpy(m.name.name, cmd->name, strlen(cmd->name) + 1);
	ow_peer_send(s->peer, &m);
	ow_peer_done(p, 0, 1, "");
}

static void do_suspend(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	char text[200];
	bool on = cmd->verb == OW_VERB_SUSPEND;
	int r = ow_services_suspend(p->d, cmd->name, on, text, sizeof(text));

	ow_peer_done(p, r < 0 ? FAILED : 0, r == 1, text);
}

static void do_cacheinval(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	char text[200];
	int n = ow_services_drop(p->d, cmd->name, text, sizeof(text));

	ow_peer_done(p, n < 0 ? FAILED : 0, n < 0 ? 0 : (uint32_t)n, text);
}

static void do_hold(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	bool on = cmd->verb == OW_VERB_MMON;
	bool changed = ow_hold_set(p->d, on);
	char text[80];

	snprintf(text, sizeof(text), "maintenance mode is %s%s",
		 changed ? "" : "already ", on ? "on" : "off");
	ow_peer_done(p, 0, changed, text);
}

static handler *const handlers[OW_VERB_END] = {
	[OW_VERB_START] = do_operation,
	[OW_VERB_STOP] = do_operation,
	[OW_VERB_RESTART] = do_operation,
	[OW_VERB_SRELOAD] = do_operation,
	[OW_VERB_RELOAD] = do_reload,
	[OW_VERB_TESTCFG] = do_reload,
	[OW_VERB_LIST] = ow_rows_list,
	[OW_VERB_STAT] = do_stat,
	[OW_VERB_PING] = do_ping,
	[OW_VERB_SHUTDOWN] = do_shutdown,
	[OW_VERB_DOWN] = do_operation,
	[OW_VERB_ADV] = do_service,
	[OW_VERB_UNADV] = do_service,
	[OW_VERB_APPCONFIG] = do_appconfig,
	[OW_VERB_CAT] = do_cat,
	[OW_VERB_PC] = ow_client_command,
	[OW_VERB_BC] = ow_client_command,
	[OW_VERB_SC] = ow_client_command,
	[OW_VERB_RC] = ow_client_command,
	[OW_VERB_GROUPS] = do_groups,
	[OW_VERB_CABORT] = do_abort,
	[OW_VERB_SUSPEND] = do_suspend,
	[OW_VERB_RESUME] = do_suspend,
	[OW_VERB_CACHEINVAL] = do_cacheinval,
	[OW_VERB_RUN] = ow_guest_run,
	[OW_VERB_MMON] = do_hold,
	[OW_VERB_MMOFF] = do_hold,
};

/* Does it change something? Such commands are logged. */
static bool is_change(const struct ow_ctl_cmd *cmd)
{
	if (cmd->verb == OW_VERB_RUN)
		return (cmd->flags & OW_CTLF_CHANGE) != 0;
	return cmd->verb != OW_VERB_PING && cmd->verb != OW_VERB_LIST &&
	       cmd->verb != OW_VERB_STAT && cmd->verb != OW_VERB_PC &&
	       cmd->verb != OW_VERB_GROUPS && cmd->verb != OW_VERB_CAT;
}

/* A word of the sender. One with blanks is quoted: it could look like what is
 * said of him behind it ("by user root"). */
static void add_word(char *buf, size_t size, const char *word, size_t len)
{
	bool quoted = memchr(word, ' ', len) != NULL;
	size_t n = strlen(buf), i;

	if (len == 0 || size - n < 4)
		return;
	if (len > size - n - 4)
		len = size - n - 4;
	snprintf(buf + n, size - n, quoted ? " '%.*s'" : " %.*s", (int)len,
		 word);
	for (i = n + 2; quoted && i < n + 2 + len; i++)
		if (buf[i] == '\'')
			buf[i] = '"';
}

/* The words of the order, on one line and fit for a terminal. */
static void describe(const struct ow_ctl_cmd *cmd, char *buf, size_t size)
{
	const char *p = cmd->text;
	size_t len;

	snprintf(buf, size, "%s", ow_ctl_verb_word(cmd->verb));
	add_word(buf, size, cmd->name, strlen(cmd->name));
	for (; *p != '\0'; p += len + (p[len] == '\n')) {
		len = strcspn(p, "\n");
		add_word(buf, size, p, len);
	}
	ow_printable(buf);
}

/* The event and the log line: the order, and who gives it. */
static void note_command(const struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	char by[300], id[16] = "", what[400];

	ow_orderer_describe(p->pid, p->uid, ow_ctl_words(cmd), by, sizeof(by));
	if (cmd->srvid != 0)
		snprintf(id, sizeof(id), " id %u", cmd->srvid);
	describe(cmd, what, sizeof(what));
	ow_emit(p->d, OW_EVENT_COMMAND, "%s%s by %s", what, id, by);
	log_info("command %s %s%s by %s", ow_ctl_verb_word(cmd->verb),
		 cmd->name, id, by);
}

/* Does the right to look suffice? */
static bool is_look(const struct ow_ctl_cmd *cmd)
{
	return !is_change(cmd) || cmd->verb == OW_VERB_TESTCFG ||
	       (cmd->verb == OW_VERB_APPCONFIG && cmd->text[0] == '\0');
}

/* May the user who sends the command give it? If not, it is answered. */
static bool is_allowed(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	char user[80], who[300], text[600];

	if (!p->rights.guest || p->rights.admin ||
	    (is_look(cmd) && p->rights.look))
		return true;
	ow_owned_user(p->uid, user, sizeof(user));
	ow_guests_admins(p->d, who, sizeof(who));
	if (p->rights.look)
		snprintf(text, sizeof(text), "user %s may look, not command: "
			 "this is for %s (TPEPERM)", user, who);
	else
		snprintf(text, sizeof(text), "user %s is in no group that "
			 "<access> lets in (TPEPERM)", user);
	if (ow_ndrxd_now_ms() - p->d->conn.t_guest_refused >= 1000) {
		p->d->conn.t_guest_refused = ow_ndrxd_now_ms();
		log_warn("refused: command %s of process %d: %s",
			 ow_ctl_verb_word(cmd->verb), (int)p->pid, text);
	}
	ow_peer_done(p, TPEPERM, 0, text);
	return false;
}

/* Is it for this domain? If not, it is answered. */
static bool is_meant(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	const char *prefix = p->d->dom->prefix;
	char text[700];

	if (cmd->domain == 0 || cmd->domain == ow_ctl_domain(prefix))
		return true;
	snprintf(text, sizeof(text), "the ndrxd that listens in %s is of "
		 "domain %s, and NDRX_QPREFIX names another one: each domain "
		 "needs an NDRX_APPHOME of its own", p->d->dom->run_dir, prefix);
	ow_peer_done(p, FAILED, 0, text);
	return false;
}

void ow_command(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	struct ow_ctl_cmd copy = *cmd;

	/* One command at a time; a new one ends a listing or watching. */
	p->seq = cmd->h.seq;
	p->listing = p->watching = false;
	ow_guest_run_drop(p);
	if (!is_meant(p, cmd) || !is_allowed(p, cmd))
		return;
	/* What guests only look at changes nothing, and would let them push out
	 * of the history what counts. */
	if (is_change(cmd) && !(p->rights.guest && is_look(cmd)))
		note_command(p, cmd);
	if (p->d->conn.ending)
		ow_peer_done(p, FAILED, 0, "ndrxd is ending");
	else
		handlers[cmd->verb](p, &copy);
}
