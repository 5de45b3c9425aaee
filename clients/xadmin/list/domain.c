/* SPDX-License-Identifier: Apache-2.0 */
/*
 * domain.c - stat, shms and shmcfg: the domain as a whole
 *
 * They read what is there and work without ndrxd.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clients/common/domain_view.h"
#include "clients/common/format.h"
#include "clients/common/remote.h"
#include "clients/xadmin/command/commands.h"
#include "clients/xadmin/output/listing.h"
#include "clients/xadmin/domain/refuse.h"
#include "libatmi/base/clock.h"
#include "libatmi/member/join.h"
#include "libatmi/transport/transport.h"

/* ---- stat ---- */

struct totals {
	uint32_t servers[OW_SRV_STOPPING + 1]; /* by state */
	uint32_t living, dead;
	uint32_t services, offers;
	uint32_t clients;
	uint64_t calls_ok, calls_failed, requests;
};

static void count_servers(const struct ow_view *v, struct totals *n)
{
	const struct ow_tables *t = v->d.tables;
	char name[OW_SVC_NAME];
	uint32_t id, row, state;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		if (atomic_load(&t->srv[id].pid) == 0)
			continue;
		if (!ow_srv_alive(t, id)) {
			n->dead++;
			continue;
		}
		n->living++;
		state = atomic_load(&t->srv[id].state);
		if (state <= OW_SRV_STOPPING)
			n->servers[state]++;
		n->requests += atomic_load(&t->srv[id].requests);
		for (row = 0; row < ow_view_rows(v, id); row++) {
			if (ow_view_row_service(v, id, row, name) == NULL)
				continue;
			n->offers++;
			n->calls_ok += atomic_load(&t->adv[id][row].ok);
			n->calls_failed += atomic_load(&t->adv[id][row].fail);
		}
	}
}

static void count_all(const struct ow_view *v, struct totals *n)
{
	const struct ow_svc *s;
	char name[OW_SVC_NAME];
	uint32_t i;

	memset(n, 0, sizeof(*n));
	count_servers(v, n);
	for (i = 0; i < ow_view_services(v); i++) {
		s = ow_view_service(v, i, name);
		n->services += s != NULL && atomic_load(&s->nsrv) > 0;
	}
	for (i = 0; i < ow_view_clients(v); i++)
		n->clients += ow_view_client(v, i);
}

/* Seconds since the process with this start time began. */
static uint64_t uptime_us(pid_t pid)
{
	uint64_t boot_ns = ow_clock_ns(CLOCK_BOOTTIME);
	uint64_t start = ow_proc_start(pid);
	uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t start_us = start * 1000000 / hz;

	return start == 0 || boot_ns / 1000 < start_us
		   ? 0 : boot_ns / 1000 - start_us;
}

static void print_totals(const struct ow_domain *d, pid_t pid,
			 const struct totals *n)
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
	printf("servers   %u: %u idle, %u busy, %u starting, %u stopping, %u "
	       "dead\n",
	       n->living + n->dead, n->servers[OW_SRV_IDLE],
	       n->servers[OW_SRV_BUSY], n->servers[OW_SRV_STARTING],
	       n->servers[OW_SRV_STOPPING], n->dead);
	printf("services  %u, offered %u times\n", n->services, n->offers);
	printf("clients   %u contexts\n", n->clients);
	printf("calls     %s served, %s failed\n",
	       ow_format_count(n->calls_ok, ok, sizeof(ok)),
	       ow_format_count(n->calls_failed, fail, sizeof(fail)));
}

static void json_totals(const struct ow_args *a, const struct ow_domain *d,
			pid_t pid, const struct totals *n)
{
	struct ow_json j = { .out = stdout, .as_csv = a->csv };

	ow_json_list_begin(&j, NULL);
	ow_json_row_begin(&j);
	ow_json_str(&j, "domain", d->prefix);
	ow_json_int(&j, "node", d->nodeid);
	ow_json_str(&j, "transport", d->transport->name);
	ow_json_str(&j, "wake", ow_wake_word(d->wake));
	ow_json_bool(&j, "ndrxd_running", pid > 0);
	ow_json_int(&j, "ndrxd_pid", pid);
	ow_json_uint(&j, "ndrxd_uptime_us", pid > 0 ? uptime_us(pid) : 0);
	ow_json_uint(&j, "servers_idle", n->servers[OW_SRV_IDLE]);
	ow_json_uint(&j, "servers_busy", n->servers[OW_SRV_BUSY]);
	ow_json_uint(&j, "servers_starting", n->servers[OW_SRV_STARTING]);
	ow_json_uint(&j, "servers_stopping", n->servers[OW_SRV_STOPPING]);
	ow_json_uint(&j, "servers_dead", n->dead);
	ow_json_uint(&j, "services", n->services);
	ow_json_uint(&j, "offers", n->offers);
	ow_json_uint(&j, "clients", n->clients);
	ow_json_uint(&j, "requests", n->requests);
	ow_json_uint(&j, "calls_succeeded", n->calls_ok);
	ow_json_uint(&j, "calls_failed", n->calls_failed);
	ow_json_row_end(&j);
	ow_json_list_end(&j);
}

int ow_list_stat(struct ow_args *a)
{
	struct ow_remote remote = { .fd = -1 };
	struct totals n = { .living = 0 };
	struct ow_domain d;
	struct ow_view v;
	char why[512];
	pid_t pid = 0;

	if (ow_domain_read_env(&d, why, sizeof(why)) != 0)
		return ow_cmd_fail(a, "%s", why);
	if (ow_remote_open(&d, &remote) == 0)
		pid = ow_remote_pid(&remote);
	ow_remote_close(&remote);
	if (ow_view_open(&v, why, sizeof(why)) == 0) {
		count_all(&v, &n);
		d.transport = v.d.transport;
		d.wake = v.d.wake;
		ow_view_close(&v);
	}
	if (a->json)
		json_totals(a, &d, pid, &n);
	else
		print_totals(&d, pid, &n);
	return OW_EXIT_OK;
}

/* ---- shms ---- */

static const struct ow_column shms_columns[] = {
	{ "SIZE", 10, OW_COLUMN_RIGHT },
	{ "USED", 10, OW_COLUMN_RIGHT },
	{ "NAME", 40, 0 },
	{ NULL, 0, 0 },
};

static void list_segment(struct ow_listing *l, const char *path)
{
	char text[OW_FORMAT_MAX];
	uint64_t size, used;
	struct stat st;

	if (stat(path, &st) < 0)
		return;
	size = (uint64_t)st.st_size;
	used = (uint64_t)st.st_blocks * 512;
	if (l->json == NULL) {
		ow_grid_cell(l->grid, "%s", ow_format_bytes(size, text,
							    sizeof(text)));
		ow_grid_cell(l->grid, "%s", ow_format_bytes(used, text,
							    sizeof(text)));
		ow_grid_cell(l->grid, "%s", path);
		ow_grid_end_row(l->grid);
		return;
	}
	ow_json_row_begin(l->json);
	ow_json_str(l->json, "path", path);
	ow_json_uint(l->json, "size_bytes", size);
	ow_json_uint(l->json, "used_bytes", used);
	ow_json_row_end(l->json);
}

int ow_list_shms(struct ow_args *a)
{
	char why[512], start[64], path[512];
	struct ow_listing l;
	struct ow_domain d;
	struct dirent *e;
	DIR *dir;

	if (ow_domain_read_env(&d, why, sizeof(why)) != 0)
		return ow_cmd_fail(a, "%s", why);
	snprintf(start, sizeof(start), "%s,", d.prefix);
	dir = opendir(d.shm_dir);
	if (dir == NULL)
		return ow_cmd_fail(a, "%s: %s (NDRX_SHMPATH names the folder)",
				   d.shm_dir, strerror(errno));
	if (ow_listing_begin(&l, a, shms_columns) != 0) {
		closedir(dir);
		return ow_cmd_fail(a, "no memory");
	}
	while ((e = readdir(dir)) != NULL) {
		if (strncmp(e->d_name, start, strlen(start)) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", d.shm_dir, e->d_name);
		list_segment(&l, path);
	}
	closedir(dir);
	ow_listing_end(&l);
	return OW_EXIT_OK;
}

/* ---- shmcfg ---- */

static const struct ow_column shmcfg_columns[] = {
	{ "TABLE", 12, 0 },
	{ "USED", 10, OW_COLUMN_RIGHT },
	{ "MAX", 10, OW_COLUMN_RIGHT },
	{ "BYTES EACH", 10, OW_COLUMN_RIGHT },
	{ NULL, 0, 0 },
};

struct table_use {
	const char *name;
	uint64_t used, max, bytes;
};

static void list_table(struct ow_listing *l, const struct table_use *t)
{
	if (l->json == NULL) {
		ow_grid_cell(l->grid, "%s", t->name);
		ow_grid_cell(l->grid, "%" PRIu64, t->used);
		ow_grid_cell(l->grid, "%" PRIu64, t->max);
		ow_grid_cell(l->grid, "%" PRIu64, t->bytes);
		ow_grid_end_row(l->grid);
		return;
	}
	ow_json_row_begin(l->json);
	ow_json_str(l->json, "table", t->name);
	ow_json_uint(l->json, "used", t->used);
	ow_json_uint(l->json, "max", t->max);
	ow_json_uint(l->json, "bytes_each", t->bytes);
	ow_json_row_end(l->json);
}

int ow_list_shmcfg(struct ow_args *a)
{
	struct ow_listing l;
	struct totals n;
	struct ow_view v;
	int r = ow_view_need(a, &v);

	if (r != OW_EXIT_OK)
		return r;
	count_all(&v, &n);
	if (ow_listing_begin(&l, a, shmcfg_columns) != 0) {
		ow_view_close(&v);
		return ow_cmd_fail(a, "no memory");
	}
	list_table(&l, &(struct table_use){ "servers", n.living + n.dead,
					    OW_SRV_MAX - 1,
					    sizeof(struct ow_srv) });
	list_table(&l, &(struct table_use){ "services", ow_view_services(&v),
					    OW_SVC_MAX,
					    sizeof(struct ow_svc) });
	list_table(&l, &(struct table_use){ "offers", n.offers,
					    (uint64_t)OW_SRV_MAX * OW_ADV_MAX,
					    sizeof(struct ow_adv) });
	list_table(&l, &(struct table_use){ "clients", n.clients, OW_CLT_MAX,
					    sizeof(struct ow_clt) });
	list_table(&l, &(struct table_use){
			   "queue bytes",
			   atomic_load(&v.d.tables->head->mq_bytes),
			   v.d.mq_limit, 1 });
	ow_listing_end(&l);
	ow_view_close(&v);
	return OW_EXIT_OK;
}
