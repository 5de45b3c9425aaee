/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_fixture.h - a domain of two services and three servers, in samples made
 * by hand
 */
#ifndef TEST_MODEL_FIXTURE_H
#define TEST_MODEL_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "libndrx/model/model.h"
#include "libndrx/model/sample.h"
#include "libatmi/wire/ctl.h"
#include "libatmi/domain/tables.h"

#define SEC UINT64_C(1000000000)

/* A domain of two services and three servers; server 3 offers both. */
enum { BALANCE, DEPOSIT };

static struct ow_seen_service svc[2];
static struct ow_seen_server srv[3];
static struct ow_seen_offer off[4];
static struct ow_seen_client clt[2]; /* the second one: if n_clients says so */
static struct ow_sample sample;
static struct ow_model *m;

static inline void a_server(int i)
{
	srv[i].srvid = (uint32_t)i + 1;
	srv[i].pid = 100 + i;
	srv[i].start = 7;
	srv[i].alive = true;
	srv[i].state = OW_SRV_IDLE;
	srv[i].ctl_state = OW_PROC_RUNNING;
	srv[i].ctl_changed_ns = SEC;
	strcpy(srv[i].bin, "banksv");
}

static inline int fresh(void **state)
{
	int i;

	memset(svc, 0, sizeof(svc));
	memset(srv, 0, sizeof(srv));
	memset(off, 0, sizeof(off));
	memset(clt, 0, sizeof(clt));
	for (i = 0; i < 2; i++) {
		svc[i].index = (uint32_t)i;
		svc[i].nsrv = 2;
		svc[i].queue = true;
		svc[i].maxmsg = 10;
		strcpy(svc[i].name, i == BALANCE ? "BALANCE" : "DEPOSIT");
	}
	for (i = 0; i < 3; i++)
		a_server(i);
	for (i = 0; i < 4; i++) {
		off[i].srvid = i < 3 ? (uint32_t)i + 1 : 3;
		off[i].row = i < 3 ? 0 : 1;
		off[i].svc = i == 1 || i == 3 ? DEPOSIT : BALANCE;
	}
	clt[0] = (struct ow_seen_client){ .slot = 4, .gen = 1, .pid = 900,
					  .ctx = 1, .alive = true,
					  .cltid = "clt,bankcl,900,1,1" };
	sample = (struct ow_sample){
		.now_ns = 100 * SEC,	.domain = true,
		.ndrxd_pid = 50,	.ndrxd_expected = true,
		.services = svc,	.n_services = 2,
		.servers = srv,		.n_servers = 3,
		.offers = off,		.n_offers = 4,
		.clients = clt,		.n_clients = 1,
		.mq_bytes = 25,		.mq_limit = 100,
	};
	m = ow_model_new();
	return m == NULL;
}

static inline int tidy(void **state)
{
	m = ow_model_free(m);
	return 0;
}

/* The next look, so much later. */
static inline void look(uint64_t after_ns)
{
	sample.now_ns += after_ns;
	assert_int_equal(ow_model_take(m, &sample), 0);
}

/* `n` calls of an offer, each served in `us` after waiting `wait` us. */
static inline void calls(int o, uint64_t n, uint64_t us, uint64_t wait)
{
	struct ow_counts *c = &off[o].counts;

	c->n[OW_CNT_OK] += n;
	c->n[OW_CNT_SUM_US] += n * us;
	c->n[OW_CNT_WAIT_US] += n * wait;
	c->n[OW_CNT_BYTES] += n * 200;
	c->n[OW_CNT_WAKEUPS] += n;
	c->n[OW_CNT_HIST + ow_bucket_of(us)] += n;
	c->n[OW_CNT_WAIT_HIST + ow_bucket_of(wait)] += n;
	srv[off[o].srvid - 1].requests += n;
}

static inline const struct ow_service_row *service(const char *name)
{
	const struct ow_row *const *rows;
	size_t i, n = ow_model_services(m, &rows);

	for (i = 0; i < n; i++) {
		const struct ow_service_row *s =
		    (const struct ow_service_row *)rows[i];

		if (strcmp(s->name, name) == 0)
			return s;
	}
	return NULL;
}

static inline const struct ow_server_row *server(uint32_t id)
{
	const struct ow_row *const *rows;
	size_t i, n = ow_model_servers(m, &rows);

	for (i = 0; i < n; i++)
		if (rows[i]->srvid == id)
			return (const struct ow_server_row *)rows[i];
	return NULL;
}

static inline void close_to(double got, double want)
{
	if (!(fabs(got - want) <= fabs(want) / 1e6 + 1e-9))
		fail_msg("got %g, want %g", got, want);
}

#define FACT(f) cmocka_unit_test_setup_teardown(f, fresh, tidy)

#endif
