/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procs.c - processor time, memory and context switches of processes
 */
#include "libndrx/model/procs.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libndrx/observe/procfile.h"
#include "libatmi/base/clock.h"
#include "libatmi/domain/tables.h"

#define TURNS	4    /* each process is read once in 4 looks */
#define AT_ONCE 250u /* at most 250 processes are read in one look */

struct ow_procs {
	uint32_t turn;	  /* servers with srvid % turns == turn are read */
	uint32_t turns;
	bool switches;
	struct ow_proc last[OW_SRV_MAX]; /* unused pages cost nothing */
};

/* Fields 3 (state), 14, 15 (times), 22 (start), 24 (pages) of /proc/PID/stat. */
static int parse_stat(char *text, struct ow_proc *p)
{
	char *at = strrchr(text, ')'); /* the name may hold blanks */
	unsigned long long field[25] = { 0 };
	uint64_t us_per_tick = 1000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	int i;

	if (at == NULL || strlen(at) < 4)
		return -EPROTO;
	p->zombie = at[2] == 'Z' || at[2] == 'X';
	p->stopped = at[2] == 'T' || at[2] == 't';
	at += 3;
	for (i = 4; i < 25; i++)
		field[i] = strtoull(at, &at, 10);
	p->cpu_us = (field[14] + field[15]) * us_per_tick;
	p->start = field[22];
	p->rss = field[24] * (uint64_t)sysconf(_SC_PAGESIZE);
	return 0;
}

int ow_proc_read(int32_t pid, bool switches, struct ow_proc *ret)
{
	struct ow_proc p = { .read_ns = ow_clock_mono_ns() };
	char buf[4096];
	ssize_t n = ow_procfile_read(pid, "stat", buf, sizeof(buf));
	int r;

	if (n <= 0) /* a process that ends may be empty */
		return n < 0 ? (int)n : -ESRCH;
	r = parse_stat(buf, &p);
	if (r < 0)
		return r;
	if (switches && ow_procfile_read(pid, "status", buf, sizeof(buf)) > 0)
		p.switches =
		    ow_procfile_number(buf, "\nvoluntary_ctxt_switches:") +
		    ow_procfile_number(buf, "\nnonvoluntary_ctxt_switches:");
	*ret = p;
	return 0;
}

struct ow_procs *ow_procs_new(void)
{
	struct ow_procs *p = calloc(1, sizeof(*p));

	if (p != NULL)
		p->turns = 1;
	return p;
}

struct ow_procs *ow_procs_free(struct ow_procs *p)
{
	free(p);
	return NULL;
}

void ow_procs_begin(struct ow_procs *p, uint32_t n, bool switches)
{
	p->turns = TURNS;
	if (n / p->turns > AT_ONCE)
		p->turns = n / AT_ONCE;
	p->turn = (p->turn + 1) % p->turns;
	p->switches = switches;
}

bool ow_pid_exists(int32_t pid)
{
	return kill(pid, 0) == 0 || errno == EPERM;
}

bool ow_procs_look(struct ow_procs *p, uint32_t srvid, int32_t pid,
		   uint64_t start, uint64_t requests, struct ow_proc *ret)
{
	struct ow_proc *last = &p->last[srvid];
	bool other = last->read_ns == 0 || last->start != start;
	int r = 0;

	if (other)
		memset(last, 0, sizeof(*last));
	if (other || srvid % p->turns == p->turn ||
	    (p->switches && last->switches == 0)) {
		r = ow_proc_read(pid, p->switches, last);
		last->requests = requests;
	}
	*ret = *last;
	if (r == -ESRCH)
		return false;
	if (last->read_ns == 0) /* it cannot be read */
		return ow_pid_exists(pid);
	return last->start == start && !last->zombie && ow_pid_exists(pid);
}
