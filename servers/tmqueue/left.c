/* SPDX-License-Identifier: Apache-2.0 */
/*
 * left.c - branches with which nobody goes on: their tmsrv are asked
 */
#include "servers/tmqueue/left.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <userlog.h>
#include <xatmi.h>

#include "drivers/aqdisk/xid.h"
#include "libatmi/log/log.h"
#include "libatmi/tran/tm.h"

struct left {
	struct space *sp;
	struct engine *engine;
	pthread_t thread;
};

enum wish { WANTED, NOT_WANTED, NOT_KNOWN };

/* What the tmsrv says. That it has another log, or is not there, says so, too:
 * what is not decided is in its memory only. */
static enum wish read_answer(const struct ow_tm *m, uint64_t identity)
{
	bool open = m->result == OW_TM_OK || m->result == OW_TM_ENDING;

	if (m->identity != identity || !open || (m->flags & OW_TM_VOTED) != 0)
		return NOT_WANTED;
	return WANTED;
}

/* Nobody can be asked about a branch of another coordinator. */
static enum wish ask(const struct ow_mq_xid *branch)
{
	XID xid = xid_back(branch);
	struct ow_tm m = { .op = OW_TM_STATUS }, of;

	if (!ow_tm_read_xid(&xid, &of))
		return NOT_WANTED;
	m.tran = of.tran;
	if (ow_tm_ask_owner(&m) == 0)
		return read_answer(&m, of.identity);
	if (tperrno == TPENOENT)
		return NOT_WANTED;
	log_info("transaction %016llx: whether its branch is wanted is not "
		 "known: %s", (unsigned long long)of.tran, tpstrerror(tperrno));
	return NOT_KNOWN;
}

/* False: no memory. */
static bool give_up(struct left *l, const struct ow_mq_xid *xid)
{
	struct job *j = job_new(JOB_ABANDONED, 0);

	if (j == NULL)
		return false;
	userlog((char *)"tmqueue: space %s: a branch that nobody has ended is "
		"rolled back", l->sp->name);
	j->head.xid = *xid;
	engine_put(l->engine, j);
	return true;
}

/* A branch for which nothing is done here is left again soon. */
static void *work(void *arg)
{
	struct left *l = arg;
	struct known *k = &l->sp->known;
	struct ow_mq_xid xid;

	while (known_wait_left(k, &xid)) {
		switch (ask(&xid)) {
		case WANTED:
			(void)known_go_on(k, &xid);
			break;
		case NOT_WANTED:
			if (give_up(l, &xid))
				(void)known_go_on(k, &xid);
			break;
		default:
			break;
		}
	}
	tpterm();
	return NULL;
}

int left_start(struct left **ret, struct space *sp, struct engine *e)
{
	struct left *l = calloc(1, sizeof(*l));
	int r;

	if (l == NULL)
		return -ENOMEM;
	l->sp = sp;
	l->engine = e;
	r = pthread_create(&l->thread, NULL, work, l);
	if (r != 0) {
		free(l);
		return -r;
	}
	*ret = l;
	return 0;
}

struct left *left_stop(struct left *l)
{
	if (l == NULL)
		return NULL;
	known_stop(&l->sp->known);
	pthread_join(l->thread, NULL);
	free(l);
	return NULL;
}
