/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lcf.c - lcf: orders to the logs of running processes
 *
 * xadmin writes the file of orders (libatmi/log/order.h) and does not wait;
 * each process follows the order within about a second and says so in its
 * log.
 */
#include "clients/xadmin/control/control.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libndrx/observe/format.h"
#include "clients/xadmin/domain/processes.h"
#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/output/json.h"
#include "libatmi/base/env.h"
#include "libatmi/base/owned.h"
#include "libatmi/log/conf.h"
#include "libatmi/log/order.h"
#include "libubf/base/cleanup.h"
#include "libndrx/config/config.h"

static const char list_head[] = "SLOT  CID COMMAND   PROCID           ARG_A";
static const int list_widths[] = { 4, 4, 9, 16, 42, 0 };

static int orders_path(struct ow_args *a, char *path, size_t size)
{
	struct ow_domain d;
	int r;

	if (ow_reach_own(a, &d) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	/* Orders may be given before the domain starts. */
	if (a->n_rest > 0) {
		r = ow_domain_enter(&d, true);
		if (r != 0)
			return ow_cmd_fail(a, "%s", ow_owned_strerror(r));
	}
	ow_domain_log_orders(&d, path, size);
	return OW_EXIT_OK;
}

/* ---- the list ---- */

static void json_order(struct ow_json *j, const struct ow_log_order *o)
{
	ow_json_row_begin(j);
	ow_json_uint(j, "number", o->number);
	ow_json_str(j, "command", ow_log_order_word(o->kind));
	ow_json_str(j, "who", o->who);
	ow_json_str(j, "text", o->text);
	ow_json_row_end(j);
}

static int list(struct ow_args *a, const char *path)
{
	OW_CLEANUP(ow_cleanup_freep) struct ow_log_order *o = NULL;
	struct ow_listing l;
	int n;

	o = calloc(OW_LOG_ORDERS, sizeof(*o));
	n = o != NULL ? ow_log_orders_read(path, o) : -ENOMEM;
	if (n == -EPERM)
		return ow_cmd_fail(a, "%s: no process follows it",
				   ow_owned_strerror(n));
	if (n < 0)
		return ow_cmd_fail(a, "%s: %s", path, strerror(-n));
	ow_listing_begin(&l, &a->form, NULL);
	if (l.json == NULL)
		ow_format_header(list_head, list_widths);
	for (int i = 0; i < n; i++)
		if (l.json != NULL)
			json_order(l.json, &o[i]);
		else
			printf("%4d %4" PRIu64 " %-9s %-16s %s\n", i,
			       o[i].number, ow_log_order_word(o[i].kind),
			       o[i].who, o[i].text);
	ow_listing_end(&l);
	return OW_EXIT_OK;
}

/* ---- orders ---- */

/* The program of -b, or the process of -p, looked for among the processes. */
struct sought {
	const struct ow_domain *d;
	const char *bin; /* NULL: by pid */
	pid_t pid;
	bool found;
};

static bool compare(const struct ow_process *p, void *arg)
{
	struct sought *s = arg;

	if (p->pid != getpid() &&
	    (s->bin != NULL ? strcmp(p->name, s->bin) == 0 : p->pid == s->pid))
		s->found = ow_process_is_of(p, s->d);
	return !s->found;
}

/* Will a program of this name be started? */
static bool is_configured(const char *bin)
{
	OW_CLEANUP(ow_config_freep) struct ow_config *config = NULL;
	const char *path = ow_env_str("NDRX_CONFIG", NULL);
	struct ow_config_error err;
	size_t i;

	if (path == NULL || ow_config_load(path, &err, &config) != 0)
		return false;
	for (i = 0; i < config->n_servers; i++)
		if (strcmp(config->servers[i].name, bin) == 0)
			return true;
	return false;
}

/* An order that is for nobody is a typing error. */
static int check_who(struct ow_args *a, const char *bin, pid_t pid)
{
	struct sought s = { .bin = bin, .pid = pid };
	struct ow_domain d;

	if (ow_reach_env(a, &d) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	s.d = &d;
	ow_process_each(compare, &s);
	if (s.found || (bin != NULL && is_configured(bin)))
		return OW_EXIT_OK;
	if (bin == NULL)
		return ow_cmd_fail(a, "process %d is not of this domain",
				   (int)pid);
	return ow_cmd_fail(a, "no program %s runs in this domain, and the "
			   "configuration has no such server", bin);
}

/* The processes that the order is for: -p, -b, or all. */
static int take_who(struct ow_args *a, struct ow_log_order *o)
{
	const char *pid = ow_args_value(a, 'p'), *bin = ow_args_value(a, 'b');
	long number = 0;

	if (pid != NULL && bin != NULL)
		return ow_cmd_fail(a, "-p and -b exclude each other");
	if (pid != NULL && (ow_env_parse_long(pid, &number) < 0 || number < 1))
		return ow_cmd_fail(a, "-p %s: not a process id", pid);
	if (bin != NULL && (strlen(bin) >= sizeof(o->who) ||
			    strpbrk(bin, " \t\n") != NULL || *bin == '\0'))
		return ow_cmd_fail(a, "-b %s: not a program's name", bin);
	if ((pid != NULL || bin != NULL) &&
	    check_who(a, bin, (pid_t)number) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	if (pid != NULL)
		snprintf(o->who, sizeof(o->who), "pid:%ld", number);
	else
		snprintf(o->who, sizeof(o->who), "%s",
			 bin != NULL ? bin : "*");
	return OW_EXIT_OK;
}

/* The debug string of -A; a wrong one is refused here. */
static int take_text(struct ow_args *a, struct ow_log_order *o)
{
	const char *text = ow_args_value(a, 'A');
	struct ow_log_conf conf;

	if (o->kind == OW_LOG_ORDER_ROTATE)
		return OW_EXIT_OK;
	if (text == NULL || *text == '\0')
		return ow_cmd_fail(a, "logchg needs -A \"KEY=VALUE...\", as -A "
				   "\"tp=5 file=/tmp/x.log\"");
	ow_log_conf_init(&conf);
	if (ow_log_conf_string(&conf, text) < 0)
		return ow_cmd_fail(a, "-A: %s", conf.problem);
	if (strlen(text) >= sizeof(o->text) || strchr(text, '\n') != NULL)
		return ow_cmd_fail(a, "-A: at most %zu characters on one line",
				   sizeof(o->text) - 1);
	snprintf(o->text, sizeof(o->text), "%s", text);
	return OW_EXIT_OK;
}

/* Servers look once a second: what they write after the command is in the new
 * files. */
static void let_them_obey(void)
{
	struct timespec t = { .tv_sec = 1, .tv_nsec = 200000000 };

	while (nanosleep(&t, &t) != 0 && errno == EINTR)
		;
}

static int give(struct ow_args *a, const char *path,
		enum ow_log_order_kind kind)
{
	struct ow_log_order o = { .kind = kind };
	int r;

	if (take_who(a, &o) != OW_EXIT_OK || take_text(a, &o) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	r = ow_log_orders_add(path, &o);
	if (r == 0 && kind == OW_LOG_ORDER_ROTATE)
		let_them_obey();
	if (r == 0)
		return OW_EXIT_OK;
	if (r == -ENOSPC)
		return ow_cmd_fail(a, "there are %d orders already: `lcf "
				   "disable` withdraws them", OW_LOG_ORDERS);
	return ow_cmd_fail(a, "%s: %s", path, ow_owned_strerror(r));
}

static int withdraw(struct ow_args *a, const char *path)
{
	int r = ow_log_orders_clear(path);

	if (r == -ENOENT)
		return ow_cmd_fail(a, "there are no orders");
	if (r < 0)
		return ow_cmd_fail(a, "%s: %s", path, ow_owned_strerror(r));
	return OW_EXIT_OK;
}

int ow_control_lcf(struct ow_args *a)
{
	char path[160];

	if (a->n_rest == 0 && (ow_args_has(a, '1') || ow_args_has(a, '2') ||
			       ow_args_has(a, '3')))
		return ow_control_lcf_list(a);
	if (orders_path(a, path, sizeof(path)) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	if (a->n_rest == 0)
		return list(a, path);
	if (strcmp(a->rest[0], "disable") == 0)
		return withdraw(a, path);
	if (strcmp(a->rest[0], "logchg") == 0)
		return give(a, path, OW_LOG_ORDER_CHANGE);
	if (strcmp(a->rest[0], "logrotate") == 0)
		return give(a, path, OW_LOG_ORDER_ROTATE);
	return ow_control_lcf_command(a);
}
