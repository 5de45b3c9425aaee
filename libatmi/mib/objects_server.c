/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects_server.c - T_SERVER: server processes that run, or that ndrxd has
 * started once, by server id; T_GROUP: the groups that they are in, by the id of
 * the first one
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/masked.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/mib/fields.h"
#include "libatmi/mib/object.h"
#include "libatmi/wire/ctl.h"

#define FIELD(name) { #name, (BFLDID)OW_##name }

static const struct ow_mib_field fields[] = {
	FIELD(TA_LMID),	      FIELD(TA_SRVID),	       FIELD(TA_SRVGRP),
	FIELD(TA_RQADDR),     FIELD(TA_STATE),	       FIELD(TA_TIMERESTART),
	FIELD(TA_PID),	      FIELD(TA_SERVERNAME),    FIELD(TA_CLOPT),
	FIELD(TA_GENERATION), FIELD(TA_GRPNO),	       { NULL, 0 },
};

/* A server that was started by hand and has ended is no object. */
static bool is_known(const struct ow_tables *t, uint32_t id)
{
	return !ow_srv_is_thread(t, id) &&
	       (ow_srv_alive(t, id) || atomic_load(&t->srv[id].ctl_changed));
}

static uint64_t next(const struct ow_domain *d, uint64_t from)
{
	uint32_t id = ow_srv_next(d->tables, from < 1 ? 1 : (uint32_t)from);

	while (id != 0 && !is_known(d->tables, id))
		id = ow_srv_next(d->tables, id + 1);
	return id != 0 ? id : OW_MIB_NOWHERE;
}

static const char *state_of(const struct ow_srv *s, bool alive)
{
	if (alive)
		return atomic_load(&s->state) == OW_SRV_STOPPING ? "CLE"
								 : "ACT";
	switch (atomic_load(&s->ctl_state)) {
	case OW_PROC_STARTING:
	case OW_PROC_RESTARTING:
		return "RES";
	case OW_PROC_STOPPING:
		return "CLE";
	default:
		return atomic_load(&s->ctl_want) != 0 ? "DEA" : "INA";
	}
}

/* Seconds since 1970 at which a process began, from its start time. */
static uint64_t began(uint64_t ticks)
{
	uint64_t now = ow_clock_real_ns() / OW_NS_PER_SEC, up;
	struct timespec ts = { 0 };
	long hz = sysconf(_SC_CLK_TCK);

	clock_gettime(CLOCK_BOOTTIME, &ts);
	up = (uint64_t)ts.tv_sec - ticks / (uint64_t)(hz > 0 ? hz : 100);
	return ticks == 0 || up > now ? 0 : now - up;
}

/* The words of the command line behind the program. */
static void options_of(pid_t pid, char *buf, size_t size)
{
	char path[40], line[OW_MIB_TEXT * 2];
	size_t i, at;
	ssize_t n;
	int fd;

	buf[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	n = read(fd, line, sizeof(line) - 1);
	close(fd);
	if (n <= 0)
		return;
	line[n] = '\0';
	at = strlen(line) + 1;
	for (i = at; i + 1 < (size_t)n; i++)
		if (line[i] == '\0')
			line[i] = ' ';
	if (at < (size_t)n)
		snprintf(buf, size, "%s",
			 ow_masked_words(pid) ? OW_MASKED : line + at);
}

/* The queue of its first service. */
static void address_of(const struct ow_domain *d, uint32_t id, char *buf,
		       size_t size)
{
	uint32_t s = atomic_load(&ow_tables_adv(d->tables, id)[0].svc);

	buf[0] = '\0';
	if (s >= 1 && s <= OW_SVC_MAX)
		snprintf(buf, size, "%s,svc,%.31s", d->prefix,
			 d->tables->svc[s - 1].name);
}

static bool read_server(const struct ow_domain *d, uint64_t at,
			struct ow_mib_object *o)
{
	uint32_t id = (uint32_t)at;
	const struct ow_srv *s = &d->tables->srv[id];
	pid_t pid = atomic_load(&s->pid);
	bool alive = ow_srv_alive(d->tables, id);
	char options[OW_MIB_TEXT] = "", address[128] = "";

	if (!is_known(d->tables, id))
		return false;
	if (alive) {
		options_of(pid, options, sizeof(options));
		address_of(d, id, address, sizeof(address));
	}
	ow_mib_text(o, "%s", d->lmid);
	ow_mib_number(o, id);
	ow_mib_text(o, "%.31s", s->ctl_group);
	ow_mib_text(o, "%s", address);
	ow_mib_text(o, "%s", state_of(s, alive));
	ow_mib_number(o, alive ? began(atomic_load(&s->start)) : 0);
	ow_mib_number(o, alive ? (uint64_t)pid : 0);
	ow_mib_text(o, "%.63s", s->bin);
	ow_mib_text(o, "%s", options);
	ow_mib_number(o, atomic_load(&s->ctl_restarts) + UINT64_C(1));
	ow_mib_number(o, atomic_load(&s->ctl_grpno));
	return true;
}

const struct ow_mib_class ow_mib_t_server = {
	.name = "T_SERVER",
	.fields = fields,
	.next = next,
	.read = read_server,
};

/* ---- T_GROUP ---- */

static const struct ow_mib_field group_fields[] = {
	FIELD(TA_SRVGRP), FIELD(TA_GRPNO),   FIELD(TA_LMID),
	FIELD(TA_STATE),  FIELD(TA_CURLMID), { NULL, 0 },
};

static bool same_group(const struct ow_tables *t, uint32_t a, uint32_t b)
{
	return strncmp(t->srv[a].ctl_group, t->srv[b].ctl_group,
		       sizeof(t->srv[a].ctl_group)) == 0;
}

/* The first server of the group that server `id` is in; 0: it is in none. */
static uint32_t first_of(const struct ow_domain *d, uint32_t id)
{
	uint64_t at = next(d, 1);

	if (d->tables->srv[id].ctl_group[0] == '\0')
		return 0;
	while (at != OW_MIB_NOWHERE && !same_group(d->tables, (uint32_t)at, id))
		at = next(d, at + 1);
	return at != OW_MIB_NOWHERE ? (uint32_t)at : 0;
}

static uint64_t next_group(const struct ow_domain *d, uint64_t from)
{
	uint64_t at = next(d, from);

	while (at != OW_MIB_NOWHERE && first_of(d, (uint32_t)at) != at)
		at = next(d, at + 1);
	return at;
}

/* Does a server of the group run? */
static bool is_active(const struct ow_domain *d, uint32_t id)
{
	uint64_t at = next(d, id);

	while (at != OW_MIB_NOWHERE &&
	       !(same_group(d->tables, (uint32_t)at, id) &&
		 ow_srv_alive(d->tables, (uint32_t)at)))
		at = next(d, at + 1);
	return at != OW_MIB_NOWHERE;
}

static bool read_group(const struct ow_domain *d, uint64_t at,
		       struct ow_mib_object *o)
{
	uint32_t id = (uint32_t)at;
	const struct ow_srv *s = &d->tables->srv[id];

	if (!is_known(d->tables, id) || s->ctl_group[0] == '\0')
		return false;
	ow_mib_text(o, "%.31s", s->ctl_group);
	ow_mib_number(o, atomic_load(&s->ctl_grpno));
	ow_mib_text(o, "%s", d->lmid);
	ow_mib_text(o, "%s", is_active(d, id) ? "ACT" : "INA");
	ow_mib_text(o, "%s", d->lmid);
	return true;
}

const struct ow_mib_class ow_mib_t_group = {
	.name = "T_GROUP",
	.fields = group_fields,
	.next = next_group,
	.read = read_group,
};
