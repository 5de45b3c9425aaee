/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.c - the dispatch threads of servers, for ppm
 *
 * A server with more than one has a line for each of them, the main thread
 * included, behind those of the processes. The time of a busy thread is that
 * of its request, so that one that hangs is seen. For programs the rows of
 * processes say the same in words.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/list/list.h"
#include "libatmi/wire/ctl.h"

/* What the thread in slot `id` does: its service, and for how long. */
static uint64_t work(const struct ow_observer *v, uint32_t id, char *svc)
{
	uint64_t us = ow_observer_request_age_us(v, id);
	uint32_t row = atomic_load(&v->d.tables->srv[id].cur_adv);

	svc[0] = '\0';
	if (us != 0 && row > 0 && row <= OW_ADV_MAX &&
	    ow_observer_row_service(v, id, row - 1, svc) == NULL)
		svc[0] = '\0';
	return us;
}

static void list_thread(const struct ow_observer *v, uint32_t id,
			ow_command_fn *fn, void *arg)
{
	const struct ow_srv *s = &v->d.tables->srv[id];
	char svc[OW_SVC_NAME], bin[64];
	union ow_ctl_msg m;
	uint64_t us = work(v, id, svc);

	ow_ctl_init(&m, OW_CTL_ROW, 0);
	m.row.srvid = ow_observer_srvid(v, id);
	m.row.pid = m.row.svpid = atomic_load(&s->pid);
	m.row.state = m.row.requested = OW_PROC_RUNNING;
	m.row.ms_state = us / 1000;
	ow_observer_bin(v, id, bin);
	snprintf(m.row.bin, sizeof(m.row.bin), "%.30s%s%s%.24s", bin,
		 atomic_load(&s->thread) == 0 ? "/1" : "",
		 svc[0] != '\0' ? " in " : "", svc);
	fn(&m, arg);
}

/* By server; 64 bits: server, slot. */
static int by_server(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The slots of threads, by server: those of servers that start at the same time
 * lie among each other. Returns how many; *ret is the caller's. */
static size_t threads_of_all(const struct ow_tables *t, uint64_t **ret)
{
	uint64_t *all = NULL, *p;
	size_t n = 0, room = 0;
	uint32_t id, of;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		of = atomic_load(&t->srv[id].of);
		if (of == 0 || of >= OW_SRV_MAX || !ow_srv_alive(t, id))
			continue;
		if (n == room) {
			room = room != 0 ? 2 * room : 64;
			p = realloc(all, room * sizeof(*p));
			if (p == NULL)
				break;
			all = p;
		}
		all[n++] = (uint64_t)of << 32 | id;
	}
	if (n > 0)
		qsort(all, n, sizeof(*all), by_server);
	*ret = all;
	return n;
}

void ow_list_threads(const struct ow_observer *v, ow_command_fn *fn, void *arg)
{
	uint32_t of, last = 0;
	uint64_t *all;
	size_t i, n = threads_of_all(v->d.tables, &all);

	for (i = 0; i < n; i++) {
		of = (uint32_t)(all[i] >> 32);
		if (of != last)
			list_thread(v, of, fn, arg);
		last = of;
		list_thread(v, (uint32_t)all[i], fn, arg);
	}
	free(all);
}

/* Add "2 in SLEEP for 1.500 s" if the thread in slot `id` is busy. */
static void add_busy(const struct ow_observer *v, uint32_t id, char *buf,
		     size_t size)
{
	uint32_t number = atomic_load(&v->d.tables->srv[id].thread);
	char svc[OW_SVC_NAME];
	uint64_t us = work(v, id, svc);
	size_t n = strlen(buf);

	if (svc[0] != '\0')
		snprintf(buf + n, size - n, "%s%u in %s for %.3f s",
			 n > 0 ? ", " : "", number != 0 ? number : 1, svc,
			 (double)us / 1e6);
}

uint32_t ow_list_threads_of(const struct ow_observer *v, uint32_t srvid,
			    char *busy, size_t size)
{
	const struct ow_tables *t = v->d.tables;
	uint32_t id, n;

	busy[0] = '\0';
	if (srvid == 0 || srvid >= OW_SRV_MAX ||
	    ow_srv_next(t, srvid) != srvid || !ow_srv_alive(t, srvid))
		return 0;
	n = 1;
	add_busy(v, srvid, busy, size);
	for (id = ow_srv_next(t, srvid + 1); id != 0;
	     id = ow_srv_next(t, id + 1)) {
		if (atomic_load(&t->srv[id].of) != srvid ||
		    !ow_srv_alive(t, id))
			continue;
		n++;
		add_busy(v, id, busy, size);
	}
	return n;
}
