/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight.c - find what would keep a process from starting, beforehand
 */
#include "libndrx/prepare/preflight.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/optscan.h"
#include "libatmi/domain/server_options.h"
#include "libatmi/domain/tcp_link.h"
#include "libndrx/config/cmdline.h"
#include "libndrx/config/config.h"
#include "libndrx/config/say.h"
#include "libndrx/prepare/entry.h"
#include "libndrx/prepare/path.h"
#include "libubf/base/variable.h"

/* One entry under examination. */
struct flight {
	ow_preflight_fn *say;
	void *arg;
	char entry[400]; /* FILE:LINE: <server name="..."> */
	struct ow_procenv env;
	struct ow_cmdline cmd;
};

static void find(struct flight *f, enum ow_preflight_grade grade,
		 const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void find(struct flight *f, enum ow_preflight_grade grade,
		 const char *fmt, ...)
{
	char text[900];
	va_list ap;
	int n;

	n = snprintf(text, sizeof(text), "%s: ", f->entry);
	va_start(ap, fmt);
	vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, ap);
	va_end(ap);
	f->say(f->arg, grade, text);
}

static void finish(struct flight *f)
{
	ow_cmdline_clear(&f->cmd);
	ow_procenv_clear(&f->env);
}

/* ---- files ---- */

/* 0 if the folder may be written; else errno. */
static int try_folder(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno;
	if (!S_ISDIR(st.st_mode))
		return ENOTDIR;
	return access(path, W_OK | X_OK) < 0 ? errno : 0;
}

/* A file that a process will write to, and create if it is absent. */
static void check_output(struct flight *f, enum ow_preflight_grade grade,
			 const char *what, const char *path)
{
	char copy[PATH_MAX];
	const char *folder;
	int r;

	if (path == NULL || *path == '\0' || strlen(path) >= sizeof(copy))
		return;
	if (access(path, W_OK) == 0)
		return;
	if (errno != ENOENT) {
		find(f, grade, "%s: %s: %s", what, path, strerror(errno));
		return;
	}
	strcpy(copy, path);
	folder = dirname(copy);
	r = try_folder(folder);
	if (r != 0)
		find(f, grade, "%s: %s: the folder %s: %s", what, path, folder,
		     strerror(r));
}

/* The folder of userlog(), where the entry names another one. */
static void check_ulog(struct flight *f)
{
	const char *path = ow_procenv_get(&f->env, "NDRX_ULOG");
	const char *common = ow_variable("NDRX_ULOG");
	int r;

	if (path == NULL || *path == '\0' ||
	    (common != NULL && strcmp(common, path) == 0))
		return;
	r = try_folder(path);
	if (r != 0)
		find(f, OW_PREFLIGHT_MINOR, "NDRX_ULOG: the folder %s: %s",
		     path, strerror(r));
}

/* ---- servers ---- */

static void check_option(struct flight *f, const struct ow_optscan *s,
			 enum ow_optscan_result r)
{
	if (r == OW_OPTSCAN_UNKNOWN && s->letter != '?')
		find(f, OW_PREFLIGHT_FATAL,
		     "<sysopt>: -%c is no option of a server; give one that "
		     "`SERVER -h` lists, or put it into <appopt>", s->letter);
	else if (r == OW_OPTSCAN_NO_VALUE)
		find(f, OW_PREFLIGHT_FATAL,
		     "<sysopt>: the value of -%c is missing", s->letter);
	else if (r == OW_OPTSCAN_OPTION && (s->letter == 'e' ||
					    s->letter == 'o'))
		check_output(f, OW_PREFLIGHT_MINOR,
			     s->letter == 'e' ? "<sysopt>: -e"
					      : "<sysopt>: -o", s->value);
}

static void check_sysopt(struct flight *f)
{
	struct ow_optscan s = { .argc = (int)f->cmd.argc,
				.argv = f->cmd.argv,
				.known = OW_SERVER_OPTIONS };
	enum ow_optscan_result r;

	while ((r = ow_optscan_next(&s)) != OW_OPTSCAN_END)
		check_option(f, &s, r);
}

/* The words of one text, into f->cmd. */
static bool split(struct flight *f, const char *element, const char *text)
{
	char why[OW_ENTRY_WHY] = "no memory";

	ow_cmdline_clear(&f->cmd);
	if (ow_entry_words(&f->env, &f->cmd, text, why) == 0)
		return true;
	find(f, OW_PREFLIGHT_FATAL, "<%s>: %s", element, why);
	return false;
}

/* Programs of other runtimes that are not here, and what is instead. */
static const struct {
	const char *names, *instead;
} elsewhere[] = {
	{ "tpcached tpcachebtsv", "cache=\"...\" of a <service> drops answers "
				  "by itself" },
	{ "tmrecovercl", "each tmsrv rolls back orphaned branches by itself" },
	{ "TMQUEUE TMQFORWARD", "tmqueue; tmloadcf makes it of a UBBCONFIG" },
	{ "TMSYSEVT TMUSREVT", "tpevsrv; tmloadcf makes it of a UBBCONFIG" },
	{ "GWTDOMAIN GWADM DMADM", "tpbridge; dmloadcf makes it of a "
				   "DMCONFIG" },
	{ "WSL JSL", "there are no workstation and no Jolt clients; "
		     "httpgate serves HTTP" },
};

static const char *instead_of(const char *program)
{
	size_t i;

	for (i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		if (ow_config_word_in(elsewhere[i].names, program))
			return elsewhere[i].instead;
	return NULL;
}

static void check_program(struct flight *f, const struct ow_config_server *def)
{
	char path[PATH_MAX];
	int r = ow_entry_program(def, &f->env, path, sizeof(path));

	if (r == ENOENT && instead_of(path) != NULL)
		find(f, OW_PREFLIGHT_FATAL, "%s is a server of another runtime: "
		     "leave the entry out; here: %s", path, instead_of(path));
	else if (r == ENOENT && strchr(path, '/') == NULL)
		find(f, OW_PREFLIGHT_FATAL, "the program %s is not in PATH",
		     path);
	else if (r != 0)
		find(f, OW_PREFLIGHT_FATAL, "the program %s: %s",
		     ow_entry_hides(def->cmdline) ? def->name : path,
		     strerror(r));
}

static void check_tcp_link(struct flight *f,
			   const struct ow_config_server *def)
{
	const char *own = ow_procenv_get(&f->env, "NDRX_NODEID");
	char why[200] = "", path[PATH_MAX];
	struct ow_tcp_link l;

	if (ow_procenv_get(&f->env, "NDRX_CLUSTER_NAME") != NULL ||
	    !ow_config_tcp_link(def, &l, why, sizeof(why)))
		return;
	if (l.node == 0)
		find(f, OW_PREFLIGHT_FATAL, "<appopt>: %s", why);
	else if (own != NULL && (uint32_t)atol(own) == l.node)
		find(f, OW_PREFLIGHT_FATAL, "<appopt>: -n %u is this node "
		     "(NDRX_NODEID); give the number of the other one",
		     l.node);
	else if (l.passive &&
		 ow_tcp_link_program(ow_procenv_get(&f->env, "PATH"), path,
				     sizeof(path)) != 0)
		find(f, OW_PREFLIGHT_FATAL, "a TCP link that listens (-t P) "
		     "needs nats-server, which is not in PATH: install the "
		     "package nats-server");
}

void ow_preflight_server(const struct ow_config_server *def,
			 ow_preflight_fn *say, void *arg)
{
	struct flight f = { .say = say, .arg = arg };
	char why[OW_ENTRY_WHY] = "no memory";

	snprintf(f.entry, sizeof(f.entry), "%.200s:%u: <server name=\"%s\">",
		 def->file, def->line, def->name);
	if (ow_entry_server_env(def, &f.env, why) != 0 ||
	    ow_procenv_set_number(&f.env, "NDRX_SVSRVID", def->srvid) != 0) {
		find(&f, OW_PREFLIGHT_FATAL, "<env>: %s", why);
	} else { /* PATH is known */
		check_program(&f, def);
		check_ulog(&f);
	}
	if (split(&f, "sysopt", def->sysopt))
		check_sysopt(&f);
	split(&f, "appopt", def->appopt);
	check_tcp_link(&f, def);
	finish(&f);
}

/* ---- clients ---- */

static void check_command(struct flight *f, const struct ow_config_client *def)
{
	char path[PATH_MAX], why[OW_ENTRY_WHY] = "";
	int r;

	r = ow_entry_words(&f->env, &f->cmd, def->cmdline, why);
	if (r != 0 || f->cmd.argc == 0) {
		find(f, OW_PREFLIGHT_FATAL, "cmdline: %s",
		     r > 0 ? why : "no program");
		return;
	}
	r = ow_path_find(f->cmd.argv[0], ow_procenv_get(&f->env, "PATH"), path,
			 sizeof(path));
	if (r != 0)
		find(f, OW_PREFLIGHT_FATAL, "the program %s: %s",
		     ow_entry_hides(def->cmdline) ? def->cmdline : path,
		     strerror(r));
}

void ow_preflight_client(const struct ow_config_client *def,
			 ow_preflight_fn *say, void *arg)
{
	struct flight f = { .say = say, .arg = arg };
	char why[OW_ENTRY_WHY] = "no memory";

	snprintf(f.entry, sizeof(f.entry),
		 "%.200s:%u: <exec tag=\"%s\" subsect=\"%s\">", def->file,
		 def->line, def->tag, def->subsect);
	if (ow_entry_client_env(def, &f.env, why) != 0) {
		find(&f, OW_PREFLIGHT_FATAL, "env: %s", why);
		finish(&f);
		return;
	}
	check_command(&f, def);
	if (def->wd != NULL && access(def->wd, X_OK) < 0)
		find(&f, OW_PREFLIGHT_FATAL, "wd: the folder %s: %s", def->wd,
		     strerror(errno));
	check_output(&f, OW_PREFLIGHT_FATAL, "log", def->log);
	check_output(&f, OW_PREFLIGHT_FATAL, "stdout", def->out);
	check_output(&f, OW_PREFLIGHT_FATAL, "stderr", def->err);
	check_ulog(&f);
	finish(&f);
}

void ow_preflight_config(const struct ow_config *c, ow_preflight_fn *say,
			 void *arg)
{
	size_t i;

	for (i = 0; i < c->n_servers; i++)
		ow_preflight_server(&c->servers[i], say, arg);
	for (i = 0; i < c->n_clients; i++)
		ow_preflight_client(&c->clients[i], say, arg);
	ow_preflight_domain(c, say, arg);
}
