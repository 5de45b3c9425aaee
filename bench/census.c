/* SPDX-License-Identifier: Apache-2.0 */
/*
 * census.c - count calls, wake-ups and context switches per server
 */
#include "bench/census.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/member/join.h"

#define AWAIT_NS (UINT64_C(30) * OW_NS_PER_SEC)

int ow_census_attach(struct ow_tables **ret)
{
	uint64_t end = ow_clock_mono_ns() + AWAIT_NS;
	const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
	struct ow_domain *d = NULL;
	char why[512];
	int r;

	while ((r = ow_domain_join(false, &d, why, sizeof(why))) ==
		   OW_TABLES_ABSENT &&
	       ow_clock_mono_ns() < end)
		nanosleep(&pause, NULL);
	if (r != 0) {
		fprintf(stderr, "bench: no domain: %s\n", why);
		return r < 0 ? r : -ENOENT;
	}
	*ret = d->tables;
	return 0;
}

static size_t count_ready(const struct ow_tables *t)
{
	uint32_t id, state;
	size_t n = 0;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		state = atomic_load(&t->srv[id].state);
		n += state == OW_SRV_IDLE || state == OW_SRV_BUSY;
	}
	return n;
}

int ow_census_await(const struct ow_tables *t, size_t n)
{
	uint64_t end = ow_clock_mono_ns() + AWAIT_NS;
	const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };

	while (count_ready(t) < n) {
		if (ow_clock_mono_ns() > end) {
			fprintf(stderr, "bench: %zu of %zu servers ready\n",
				count_ready(t), n);
			return -ETIMEDOUT;
		}
		nanosleep(&pause, NULL);
	}
	return 0;
}

uint64_t ow_census_switches(pid_t pid)
{
	char path[64], line[128];
	unsigned long long v, sum = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	if (f == NULL)
		return 0;
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "voluntary_ctxt_switches: %llu", &v) == 1 ||
		    sscanf(line, "nonvoluntary_ctxt_switches: %llu", &v) == 1)
			sum += v;
	fclose(f);
	return sum;
}

static void count_one(const struct ow_tables *t, uint32_t id,
		      struct ow_census_server *ret)
{
	const struct ow_srv *s = &t->srv[id];
	uint32_t row, n = atomic_load(&s->nadv);

	*ret = (struct ow_census_server){
		.srvid = id,
		.pid = atomic_load(&s->pid),
		.wakeups = atomic_load(&s->wakeups),
	};
	ret->switches = ow_census_switches(ret->pid);
	for (row = 0; row < n && row < OW_ADV_MAX; row++)
		ret->calls += atomic_load(&ow_tables_adv(t, id)[row].ok) +
			      atomic_load(&ow_tables_adv(t, id)[row].fail);
}

int ow_census_take(const struct ow_tables *t, struct ow_census *ret)
{
	struct ow_census c = { 0 };
	size_t room = 0;
	uint32_t id;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		room++;
	c.server = calloc(room + 1, sizeof(*c.server));
	if (c.server == NULL)
		return -ENOMEM;
	for (id = ow_srv_next(t, 1); id != 0 && c.n < room;
	     id = ow_srv_next(t, id + 1))
		if (ow_srv_alive(t, id))
			count_one(t, id, &c.server[c.n++]);
	*ret = c;
	return 0;
}

void ow_census_free(struct ow_census *c)
{
	free(c->server);
	*c = (struct ow_census){ 0 };
}

void ow_census_subtract(struct ow_census *after,
			const struct ow_census *before)
{
	struct ow_census_server *a;
	size_t i, k = 0;

	for (i = 0; i < after->n; i++) {
		a = &after->server[i];
		while (k < before->n && before->server[k].srvid < a->srvid)
			k++;
		if (k == before->n || before->server[k].pid != a->pid)
			continue;
		a->calls -= before->server[k].calls;
		a->wakeups -= before->server[k].wakeups;
		a->switches -= before->server[k].switches;
	}
}
