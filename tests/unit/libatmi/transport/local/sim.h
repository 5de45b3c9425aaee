/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sim.h - a domain on the local transport, with servers as actors
 */
#ifndef OW_TEST_SIM_H
#define OW_TEST_SIM_H

#include <stdlib.h>
#include <string.h>
#include <atmi.h>

#include "tests/unit/libatmi/domain_fixture.h"
#include "tests/unit/libatmi/transport/local/world.h"

#define SIM_SERVERS 4

/* A server: an actor that runs libatmisrv's loop. */
struct sim_server {
	int actor;
	uint32_t srvid;
	int (*init)(int, char **);
};

/* The domain; once, in main(). This process plays ndrxd: the last server that
 * leaves does not remove the domain. */
static inline void sim_make(void)
{
	setenv("NDRX_TRANSPORT", "local", 1);
	dom_make();
	dom->tables->head->ndrxd_start = ow_proc_start_self();
	dom->tables->head->ndrxd_pid = getpid();
}

static inline void sim_serve(void *arg)
{
	struct sim_server *s = arg;
	char name[] = "sim", opt_i[] = "-i", id[12];
	char *argv[] = { name, opt_i, id, NULL };

	snprintf(id, sizeof(id), "%u", s->srvid);
	if (ndrx_main_integra(3, argv, s->init, NULL, 0) != 0)
		abort();
}

/* Server `srvid`, which advertises what `init` does. */
static inline void sim_server(struct sim_server *s, uint32_t srvid,
			      int (*init)(int, char **))
{
	s->srvid = srvid;
	s->init = init;
	s->actor = world_add(sim_serve, s);
}

/* Have all `n` servers begun to serve? */
struct sim_ready {
	const struct sim_server *s;
	int n;
};

static inline bool sim_is_ready(void *arg)
{
	const struct sim_ready *r = arg;
	int i;

	for (i = 0; i < r->n; i++)
		if (atomic_load(&dom->tables->srv[r->s[i].srvid].state) <
		    OW_SRV_IDLE)
			return false;
	return true;
}

static inline void sim_await(const struct sim_server *s, int n)
{
	struct sim_ready r = { s, n };

	if (!world_wait(sim_is_ready, &r, world_now() + 60 * OW_NS_PER_SEC))
		abort();
}

/* A service that ends its server. */
static inline void SIM_STOP(TPSVCINFO *info)
{
	tpexit();
	tpreturn(TPSUCCESS, 0, info->data, 0, 0);
}

/* Kill the server as SIGKILL does, and reap it as ndrxd does. It must not hold
 * the domain lock. */
static inline void sim_kill(const struct sim_server *s)
{
	world_kill(s->actor);
	/* A process that there is not. */
	atomic_store(&dom->tables->srv[s->srvid].pid, 0x3fffffff);
	ow_reap_server(dom, s->srvid, false);
}

#endif
