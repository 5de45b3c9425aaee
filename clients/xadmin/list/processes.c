/* SPDX-License-Identifier: Apache-2.0 */
/*
 * processes.c - ps: processes of this machine, by their command lines
 */
#include "clients/xadmin/list/list.h"

#include <inttypes.h>
#include <pwd.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libndrx/observe/format.h"
#include "clients/xadmin/domain/processes.h"
#include "libatmi/base/env.h"

static const struct ow_column ps_columns[] = {
	{ "USER", 8, OW_COLUMN_GROWS },
	{ "PID", 8, OW_COLUMN_RIGHT },
	{ "PPID", 8, OW_COLUMN_RIGHT },
	{ "CMD", 40, 0 },
	{ NULL, 0, 0 },
};

static const struct ow_column ps_m_columns[] = {
	{ "USER", 8, OW_COLUMN_GROWS },
	{ "PID", 8, OW_COLUMN_RIGHT },
	{ "PPID", 8, OW_COLUMN_RIGHT },
	{ "RSS", 6, OW_COLUMN_RIGHT },
	{ "VSZ", 6, OW_COLUMN_RIGHT },
	{ "CMD", 40, 0 },
	{ NULL, 0, 0 },
};

struct ps {
	const struct ow_args *a;
	struct ow_listing out;
	regex_t regex;
	bool have_regex, memory, pids_only;
	pid_t parent; /* -x; 0: all */
};

static const char *user_of(uid_t uid, char *buf, size_t size)
{
	const struct passwd *pw = getpwuid(uid);

	if (pw != NULL)
		snprintf(buf, size, "%s", pw->pw_name);
	else
		snprintf(buf, size, "%u", uid);
	return buf;
}

/* Does the process pass all filters? xadmin itself does not. */
static bool matches(const struct ps *ps, const struct ow_process *p)
{
	static const char filters[] = "abcd";
	const char *f, *text;

	for (f = filters; *f != '\0'; f++) {
		text = ow_args_value(ps->a, *f);
		if (text != NULL && strstr(p->cmdline, text) == NULL)
			return false;
	}
	if (ps->have_regex &&
	    regexec(&ps->regex, p->cmdline, 0, NULL, 0) != 0)
		return false;
	if (ps->parent != 0 && p->pid != ps->parent && p->ppid != ps->parent)
		return false;
	return p->pid != getpid();
}

static void ps_json(struct ow_json *j, const struct ow_process *p,
		    const char *user)
{
	ow_json_row_begin(j);
	ow_json_str(j, "user", user);
	ow_json_int(j, "pid", p->pid);
	ow_json_int(j, "ppid", p->ppid);
	ow_json_uint(j, "rss_bytes", p->rss_kb * 1024);
	ow_json_uint(j, "vsz_bytes", p->vsz_kb * 1024);
	ow_json_str(j, "program", p->name);
	ow_json_str(j, "command", p->cmdline);
	ow_json_row_end(j);
}

static bool ps_one(const struct ow_process *p, void *arg)
{
	char user[64], text[OW_FORMAT_MAX];
	struct ps *ps = arg;
	struct ow_grid *g = ps->out.grid;

	if (!matches(ps, p))
		return true;
	user_of(p->uid, user, sizeof(user));
	if (ps->out.json != NULL) {
		ps_json(ps->out.json, p, user);
		return true;
	}
	if (ps->pids_only) {
		printf("%d\n", (int)p->pid);
		return true;
	}
	ow_grid_cell(g, "%s", user);
	ow_grid_cell(g, "%d", (int)p->pid);
	ow_grid_cell(g, "%d", (int)p->ppid);
	if (ps->memory) {
		ow_grid_cell(g, "%s", ow_format_bytes(p->rss_kb * 1024, text,
						      sizeof(text)));
		ow_grid_cell(g, "%s", ow_format_bytes(p->vsz_kb * 1024, text,
						      sizeof(text)));
	}
	ow_grid_cell(g, "%s", p->cmdline);
	ow_grid_end_row(g);
	return true;
}

/* Read -r and -x. An exit code. */
static int take_filters(struct ow_args *a, struct ps *ps)
{
	const char *regex = ow_args_value(a, 'r'), *pid = ow_args_value(a, 'x');
	char why[128];
	long v = 0;
	int r;

	if (pid != NULL && (ow_env_parse_long(pid, &v) != 0 || v < 1 ||
			    v > INT32_MAX))
		return ow_cmd_misused(a, "-x %s: give a process id", pid);
	ps->parent = (pid_t)v;
	if (regex == NULL)
		return OW_EXIT_OK;
	r = regcomp(&ps->regex, regex, REG_EXTENDED | REG_NOSUB);
	if (r != 0) {
		regerror(r, &ps->regex, why, sizeof(why));
		return ow_cmd_misused(a, "-r %s: %s", regex, why);
	}
	ps->have_regex = true;
	return OW_EXIT_OK;
}

int ow_list_ps(struct ow_args *a)
{
	struct ps ps = {
		.a = a,
		.memory = ow_args_has(a, 'm'),
		.pids_only = ow_args_has(a, 'p') && !a->form.json,
	};
	int r = take_filters(a, &ps);

	if (r != OW_EXIT_OK)
		return r;
	if (ps.pids_only)
		ow_process_each(ps_one, &ps);
	else if (ow_listing_begin(&ps.out, &a->form, ps.memory ? ps_m_columns
						       : ps_columns) != 0)
		r = ow_cmd_fail(a, "no memory");
	if (r == OW_EXIT_OK && !ps.pids_only) {
		ow_process_each(ps_one, &ps);
		ow_listing_end(&ps.out);
	}
	if (ps.have_regex)
		regfree(&ps.regex);
	return r;
}
