/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stat.c - stat: the domain in ten lines
 *
 * The figures come from the tables; no ndrxd is needed.
 */
#include "clients/xadmin/list/list.h"

#include <stdio.h>
#include <unistd.h>

#include "libndrx/observe/format.h"
#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/list/summary.h"
#include "libatmi/base/clock.h"
#include "libatmi/transport/transport.h"

/* Age of process `pid` in microseconds; 0: it has ended. */
static uint64_t uptime_us(pid_t pid)
{
	uint64_t boot_ns = ow_clock_ns(CLOCK_BOOTTIME);
	uint64_t start = ow_proc_start(pid);
	uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t start_us = start * 1000000 / hz;

	return start == 0 || boot_ns / 1000 < start_us
		   ? 0 : boot_ns / 1000 - start_us;
}

/* `n`: NULL, the tables cannot be read. */
static void print_totals(const struct ow_domain *d, pid_t pid,
			 const struct ow_summary *n)
{
	char up[16], ok[16], fail[16];

	printf("domain    %s, node %ld\n", d->prefix, d->nodeid);
	printf("queues    %s, wake %s\n", d->transport->name,
	       ow_wake_word(d->wake));
	if (pid > 0)
		printf("ndrxd     running, pid %d, up %s\n", (int)pid,
		       ow_format_us(uptime_us(pid), up, sizeof(up)));
	else
		printf("ndrxd     not running\n");
	if (n == NULL)
		return;
	printf("servers   %u: %u idle, %u busy, %u starting, %u stopping, %u "
	       "dead\n",
	       n->living + n->dead, n->servers[OW_SRV_IDLE],
	       n->servers[OW_SRV_BUSY], n->servers[OW_SRV_STARTING],
	       n->servers[OW_SRV_STOPPING], n->dead);
	if (n->missing > 0)
		printf("missing   %u servers that are to run do not: xadmin "
		       "doctor names them\n", n->missing);
	if (n->threads > 0)
		printf("threads   %u further dispatch threads\n", n->threads);
	printf("services  %u, offered %u times\n", n->services, n->offers);
	printf("clients   %u contexts\n", n->clients);
	printf("calls     %s served, %s failed\n",
	       ow_format_count(n->calls_ok, ok, sizeof(ok)),
	       ow_format_count(n->calls_failed, fail, sizeof(fail)));
}

static void json_figures(struct ow_json *j, const struct ow_summary *n)
{
	ow_json_uint(j, "servers_idle", n->servers[OW_SRV_IDLE]);
	ow_json_uint(j, "servers_busy", n->servers[OW_SRV_BUSY]);
	ow_json_uint(j, "servers_starting", n->servers[OW_SRV_STARTING]);
	ow_json_uint(j, "servers_stopping", n->servers[OW_SRV_STOPPING]);
	ow_json_uint(j, "servers_dead", n->dead);
	ow_json_uint(j, "servers_missing", n->missing);
	ow_json_uint(j, "services", n->services);
	ow_json_uint(j, "offers", n->offers);
	ow_json_uint(j, "clients", n->clients);
	ow_json_uint(j, "requests", n->requests);
	ow_json_uint(j, "calls_succeeded", n->calls_ok);
	ow_json_uint(j, "calls_failed", n->calls_failed);
	ow_json_uint(j, "further_threads", n->threads);
}

static void json_totals(struct ow_json *j, const struct ow_domain *d,
			pid_t pid, const struct ow_summary *n)
{
	ow_json_row_begin(j);
	ow_json_str(j, "domain", d->prefix);
	ow_json_int(j, "node", d->nodeid);
	ow_json_str(j, "transport", d->transport->name);
	ow_json_str(j, "wake", ow_wake_word(d->wake));
	ow_json_bool(j, "ndrxd_running", pid > 0);
	ow_json_int(j, "ndrxd_pid", pid);
	ow_json_uint(j, "ndrxd_uptime_us", pid > 0 ? uptime_us(pid) : 0);
	if (n != NULL)
		json_figures(j, n);
	ow_json_row_end(j);
}

int ow_list_stat(struct ow_args *a)
{
	struct ow_command_link link = { .fd = -1 };
	struct ow_summary n = { .living = 0 };
	struct ow_listing l;
	struct ow_domain d;
	struct ow_observer v;
	char why[512];
	pid_t pid = 0;
	bool is_read;
	int r;

	if (ow_reach_own(a, &d) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	if (ow_command_open(&d, &link) == 0)
		pid = ow_command_pid(&link);
	ow_command_close(&link);
	r = ow_observer_open(&v, why, sizeof(why));
	is_read = r == 0 || r == OW_TABLES_ABSENT; /* no domain: all are 0 */
	if (r == 0) {
		ow_summary_count(&v, &n);
		d.transport = v.d.transport;
		d.wake = v.d.wake;
		ow_observer_close(&v);
	}
	ow_listing_begin(&l, &a->form, NULL);
	if (l.json != NULL)
		json_totals(l.json, &d, pid, is_read ? &n : NULL);
	else
		print_totals(&d, pid, is_read ? &n : NULL);
	ow_listing_end(&l);
	return is_read ? OW_EXIT_OK : ow_cmd_fail(a, "%s", why);
}
