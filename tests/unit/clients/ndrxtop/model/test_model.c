/* SPDX-License-Identifier: Apache-2.0 */
/* test_model.c - from samples made by hand to what the screens show */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "clients/ndrxtop/console/alarms.h"
#include "clients/ndrxtop/model/model.h"
#include "clients/ndrxtop/model/sample.h"
#include "libatmi/wire/ctl.h"
#include "libatmi/domain/tables.h"

#define SEC UINT64_C(1000000000)

/* A domain of two services and three servers; server 3 offers both. */
enum { BALANCE, DEPOSIT };

static struct ow_seen_service svc[2];
static struct ow_seen_server srv[3];
static struct ow_seen_offer off[4];
static struct ow_seen_client clt[1];
static struct ow_seen_link lnk[1];
static struct ow_sample sample;
static struct ow_model *m;
static struct ow_alarm alarms[OW_ALARMS_MAX];

static void a_server(int i)
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

static int fresh(void **state)
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

static int tidy(void **state)
{
	m = ow_model_free(m);
	return 0;
}

/* The next look, so much later. */
static void look(uint64_t after_ns)
{
	sample.now_ns += after_ns;
	assert_int_equal(ow_model_take(m, &sample), 0);
}

/* `n` calls of an offer, each served in `us` after waiting `wait` us. */
static void calls(int o, uint64_t n, uint64_t us, uint64_t wait)
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

static const struct ow_service_row *service(const char *name)
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

static const struct ow_server_row *server(uint32_t id)
{
	const struct ow_row *const *rows;
	size_t i, n = ow_model_servers(m, &rows);

	for (i = 0; i < n; i++)
		if (rows[i]->srvid == id)
			return (const struct ow_server_row *)rows[i];
	return NULL;
}

static void close_to(double got, double want)
{
	if (!(fabs(got - want) <= fabs(want) / 1e6 + 1e-9))
		fail_msg("got %g, want %g", got, want);
}

/* A tmsrv with two transactions, a tmqueue with two queues. */
static struct ow_tm_shown tm, *tms[] = { &tm };
static struct ow_mq_shown space, *spaces[] = { &space };

static void show_money(void)
{
	tm = (struct ow_tm_shown){ .head.srvid = 2, .n = 2, .active = 1,
				   .ending = 1, .in_doubt = 1 };
	strcpy(tm.tran[0].state, "COMMITTING");
	strcpy(tm.tran[1].state, "ACTIVE");
	tm.tran[0].id = 10;
	tm.tran[0].prepared = 1;
	tm.tran[0].begun_ns = 90 * SEC;
	tm.tran[0].deadline_ns = 102 * SEC;
	tm.tran[1].id = 11;
	tm.tran[1].deadline_ns = 110 * SEC;
	space = (struct ow_mq_shown){ .head.srvid = 3, .n = 2, .space = "S" };
	strcpy(space.queue[0].name, "IN");
	strcpy(space.queue[1].name, "BAD");
	space.queue[1].flags = OW_MQ_SHOWN_FAILURES;
	sample.real_ns = 5000 * SEC;
	sample.trans = tms;
	sample.spaces = spaces;
	sample.n_trans = sample.n_spaces = 1;
}

static const struct ow_tran_row *tran(size_t i)
{
	const struct ow_row *const *rows;

	assert_true(i < ow_model_trans(m, &rows));
	return (const struct ow_tran_row *)rows[i];
}

static const struct ow_durable_row *durable(size_t i)
{
	const struct ow_row *const *rows;

	assert_true(i < ow_model_durable(m, &rows));
	return (const struct ow_durable_row *)rows[i];
}

/* ---- rates ---- */

static void calls_before_the_first_look_do_not_count(void **state)
{
	calls(0, 1000000, 10, 1);
	look(0);
	assert_true(isnan(service("BALANCE")->calls));
	look(SEC);
	close_to(service("BALANCE")->calls, 0);
	close_to(service("BALANCE")->calls_all, 1000000);
}

static void a_service_is_the_sum_of_its_servers(void **state)
{
	look(0);
	calls(0, 300, 20, 5);
	calls(2, 100, 20, 5);
	off[2].counts.n[OW_CNT_FAIL] += 50;
	look(SEC);
	close_to(service("BALANCE")->calls, 450);
	close_to(service("BALANCE")->errors, 50);
	close_to(service("DEPOSIT")->calls, 0);
	close_to(ow_model_overview(m)->calls, 450);
	close_to(server(1)->calls, 300);
}

static void error_replies_of_the_system_count_as_errors(void **state)
{
	svc[BALANCE].failed = 7;
	look(0);
	svc[BALANCE].failed = 9;
	svc[BALANCE].expired = 4;
	svc[BALANCE].full = 3;
	look(SEC);
	close_to(service("BALANCE")->errors, 2);
	close_to(service("BALANCE")->expired, 4);
	close_to(service("BALANCE")->full, 3);
}

static void times_cover_the_window_only(void **state)
{
	int i;

	calls(0, 100000, 1000000, 1000000); /* long ago: slow */
	look(0);
	for (i = 0; i < 20; i++) {
		calls(0, 100, 20, 5);
		look(SEC);
	}
	assert_true(service("BALANCE")->serve99 <= 32);
	assert_true(service("BALANCE")->wait99 <= 8);
	close_to(service("BALANCE")->calls, 100);
}

static void the_mean_depth_is_computed_from_waiting_times(void **state)
{
	look(0);
	calls(0, 100, 20, 50000); /* 100 a second wait 50 ms: 5 of them */
	look(SEC);
	close_to(service("BALANCE")->mean, 5);
}

static void use_is_the_busy_part_of_all_servers(void **state)
{
	look(0);
	calls(0, 500, 1000, 0); /* half a second of one of two servers */
	look(SEC);
	close_to(service("BALANCE")->use, 25);
	calls(2, 1, 60000000, 0); /* a long one ends: no more than all */
	look(SEC);
	close_to(service("BALANCE")->use, 100);
}

/* ---- servers that come and go ---- */

static void a_restarted_server_gives_no_negative_rate(void **state)
{
	calls(0, 5000, 10, 1);
	look(0);
	calls(0, 500, 10, 1);
	look(SEC);
	memset(&off[0].counts, 0, sizeof(off[0].counts));
	srv[0].pid = 777;
	srv[0].start = 8;
	srv[0].requests = 0;
	calls(0, 20, 10, 1);
	look(SEC);
	/* 500 before and 20 since, in two seconds */
	close_to(service("BALANCE")->calls, 260);
	close_to(server(1)->calls_all, 20);
	assert_false(server(1)->calls < 0);
}

static void a_row_that_restarts_at_zero_gives_no_negative_rate(void **state)
{
	calls(0, 5000, 10, 1);
	look(0);
	look(SEC);
	memset(&off[0].counts, 0, sizeof(off[0].counts));
	calls(0, 3, 10, 1);
	look(SEC);
	assert_true(service("BALANCE")->calls >= 0);
	assert_true(service("BALANCE")->calls < 10);
}

static void the_calls_of_a_server_that_left_stay_in_the_window(void **state)
{
	look(0);
	calls(2, 100, 10, 1);
	look(SEC);
	sample.n_offers = 2; /* server 3 has withdrawn */
	look(SEC);
	close_to(service("BALANCE")->calls, 50);
}

static void a_row_given_to_another_service_is_another_offer(void **state)
{
	calls(0, 5000, 10, 1);
	look(0);
	off[0].svc = DEPOSIT;
	calls(0, 1, 10, 1);
	look(SEC);
	assert_true(service("DEPOSIT")->calls >= 0);
	close_to(service("BALANCE")->calls, 0);
}

static const struct ow_link_row *link_row(void)
{
	const struct ow_row *const *rows;

	assert_int_equal(ow_model_links(m, &rows), 1);
	return (const struct ow_link_row *)rows[0];
}

static void a_link_has_rates_and_a_silent_one_is_bad(void **state)
{
	(void)state;
	lnk[0] = (struct ow_seen_link){ .srvid = 90, .connected = true,
					.link = { .node = 2, .bridge = 91,
						  .up = 1 } };
	lnk[0].link.calls_out = 50;
	sample.links = lnk;
	sample.n_links = 1;
	look(SEC);
	lnk[0].link.calls_out += 20;
	look(SEC);
	close_to(link_row()->out, 20);
	assert_string_equal(link_row()->state, "up");
	assert_int_equal(link_row()->row.grade, OW_GRADE_CALM);
	lnk[0].link.up = 0;
	look(SEC);
	assert_string_equal(link_row()->state, "down");
	assert_int_equal(link_row()->row.grade, OW_GRADE_BAD);
	lnk[0].link.left = 1;
	look(SEC);
	assert_int_equal(link_row()->row.grade, OW_GRADE_CALM);
	lnk[0].connected = false;
	look(SEC);
	assert_string_equal(link_row()->state, "no NATS");
}

static void a_new_domain_of_the_same_name_starts_at_zero(void **state)
{
	calls(0, 5000, 10, 1);
	look(0);
	calls(0, 5000, 10, 1);
	look(SEC);
	strcpy(svc[BALANCE].name, "OTHER");
	memset(&off[0].counts, 0, sizeof(off[0].counts));
	look(SEC);
	assert_null(service("BALANCE"));
	assert_true(!(service("OTHER")->calls > 0));
}

static void nothing_is_shown_of_a_domain_that_ended(void **state)
{
	look(0);
	sample.domain = false;
	strcpy(sample.why, "no such domain");
	sample.n_services = sample.n_servers = sample.n_offers = 0;
	sample.n_clients = 0;
	look(SEC);
	assert_null(service("BALANCE"));
	assert_false(ow_model_overview(m)->domain);
	assert_int_equal(ow_alarms_find(m, alarms), 1);
	assert_string_equal(alarms[0].text, "no such domain");
}

static void a_state_is_derived_from_process_and_ndrxd(void **state)
{
	srv[0].state = OW_SRV_BUSY;
	srv[0].busy_svc = 1 + DEPOSIT;
	srv[0].busy_since_ns = sample.now_ns - 3 * SEC;
	srv[1].alive = false;
	srv[2].pid = 0;
	srv[2].alive = false;
	srv[2].ctl_state = OW_PROC_DIED;
	srv[2].ctl_exit = SIGSEGV;
	look(0);
	assert_string_equal(server(1)->state, "busy");
	assert_string_equal(server(1)->request, "DEPOSIT");
	close_to(server(1)->age, 3e6);
	assert_string_equal(server(2)->state, "dead");
	assert_string_equal(server(3)->state, "died");
	assert_int_equal(server(3)->row.grade, OW_GRADE_BAD);
	assert_string_equal(server(3)->last, "Segmentation fault");
	assert_int_equal(ow_model_overview(m)->alive, 1);
	srv[2].ctl_state = OW_PROC_EXITED;
	srv[2].ctl_exit = 3 << 8;
	look(SEC);
	assert_string_equal(server(3)->state, "off");
	assert_string_equal(server(3)->last, "exit 3");
	assert_int_equal(server(3)->row.grade, OW_GRADE_CALM);
}

static void two_readings_make_cpu_and_switches(void **state)
{
	srv[0].proc = (struct ow_proc){ .read_ns = 10 * SEC, .rss = 4096,
					.cpu_us = 1000, .switches = 100 };
	look(0);
	assert_true(isnan(server(1)->cpu));
	close_to(server(1)->memory, 4096);
	srv[0].proc.read_ns = 12 * SEC;
	srv[0].proc.cpu_us += 500000;
	srv[0].proc.switches += 300;
	srv[0].proc.requests = 200;
	calls(0, 200, 10, 1);
	look(2 * SEC);
	close_to(server(1)->cpu, 25);
	close_to(service("BALANCE")->switches, 1.5);
}

/* ---- queues ---- */

static void the_oldest_request_is_no_older_than_the_front(void **state)
{
	off[0].front_ns = 90 * SEC;
	off[2].front_ns = 97 * SEC;
	svc[BALANCE].depth = 4;
	look(0);
	close_to(service("BALANCE")->oldest, 3e6);
	assert_true(isnan(service("DEPOSIT")->oldest));
	svc[BALANCE].depth = 0; /* we have seen it empty ourselves */
	look(SEC);
	svc[BALANCE].depth = 1;
	look(SEC / 4);
	close_to(service("BALANCE")->oldest, 0.25e6);
}

static void the_peak_is_the_highest_depth_seen(void **state)
{
	svc[BALANCE].depth = 3;
	off[2].depth_peak = 7;
	look(0);
	close_to(service("BALANCE")->peak, 7);
	svc[BALANCE].depth = 9;
	look(SEC);
	svc[BALANCE].depth = 0;
	look(SEC);
	close_to(service("BALANCE")->peak, 9);
}

static void bytes_are_depth_times_the_mean_request(void **state)
{
	calls(0, 10, 20, 5); /* 200 bytes each */
	svc[BALANCE].depth = 3;
	look(0);
	close_to(service("BALANCE")->bytes, 600);
	close_to(service("DEPOSIT")->bytes, 0);
}

static void the_history_keeps_the_deepest_of_each_second(void **state)
{
	const struct ow_service_row *s;
	int i;

	for (i = 0; i < 8; i++) {
		svc[BALANCE].depth = i == 2 ? 6 : 1;
		look(SEC / 4);
	}
	s = service("BALANCE");
	assert_int_equal(s->depths[s->depth_at], 1);
	assert_int_equal(
	    s->depths[(s->depth_at + OW_SPARK - 2) % OW_SPARK], 6);
	close_to(s->depth_max, 6);
}

static void share_shows_how_calls_are_spread(void **state)
{
	look(0);
	calls(0, 75, 10, 1);
	calls(2, 25, 10, 1);
	off[0].counts.n[OW_CNT_VAIN] += 10;
	look(SEC);
	close_to(service("BALANCE")->active, 2);
	close_to(service("BALANCE")->share, 75);
	close_to(service("BALANCE")->wakes, 1);
	close_to(service("BALANCE")->vain, 0.1);
}

/* ---- clients ---- */

static const struct ow_client_row *client(void)
{
	const struct ow_row *const *rows;

	assert_int_equal(ow_model_clients(m, &rows), 1);
	return (const struct ow_client_row *)rows[0];
}

static void a_client_is_named_by_its_program(void **state)
{
	clt[0].calls = 50;
	look(0);
	clt[0].calls = 60;
	clt[0].timeouts = 1;
	look(SEC);
	assert_string_equal(client()->name, "bankcl");
	assert_string_equal(client()->kind, "client");
	close_to(client()->calls, 10);
	assert_int_equal(client()->row.grade, OW_GRADE_LOOK);
	clt[0].gen = 3; /* another one in the same slot */
	clt[0].calls = 2;
	look(SEC);
	assert_true(!(client()->calls < 0));
	close_to(client()->calls_all, 2);
}

/* ---- alarms ---- */

static void a_calm_domain_has_no_alarm(void **state)
{
	look(0);
	calls(0, 100, 10, 1);
	look(SEC);
	assert_int_equal(ow_alarms_find(m, alarms), 0);
}

static void alarms_come_worst_first_and_name_what_is_wrong(void **state)
{
	look(0);
	svc[DEPOSIT].full = 4;
	svc[BALANCE].depth = 8;
	svc[BALANCE].nsrv = 0;
	sample.ndrxd_pid = 0;
	srv[1].alive = false;
	look(SEC);
	assert_int_equal(ow_alarms_find(m, alarms), 4);
	assert_int_equal(alarms[0].grade, OW_GRADE_BAD);
	assert_int_equal(alarms[3].grade, OW_GRADE_LOOK);
	assert_non_null(strstr(alarms[3].text, "DEPOSIT"));
	sample.mq_bytes = 95;
	look(SEC);
	assert_int_equal(ow_alarms_find(m, alarms), 5);
}

static void many_dead_servers_are_one_alarm(void **state)
{
	int i;

	for (i = 0; i < 3; i++)
		srv[i].alive = false;
	look(0);
	assert_int_equal(ow_alarms_find(m, alarms), 1);
	assert_string_equal(alarms[0].text, "3 servers dead: id 1, 2, 3  "
					    "banksv");
}

static const char *first_alarm(void)
{
	assert_true(ow_alarms_find(m, alarms) >= 1);
	return alarms[0].text;
}

static void a_process_stopped_by_a_signal_is_an_alarm(void **state)
{
	srv[1].proc.read_ns = 1;
	srv[1].proc.stopped = true;
	look(SEC);
	assert_string_equal(server(2)->state, "stopped");
	assert_int_equal(server(2)->row.grade, OW_GRADE_BAD);
	assert_non_null(strstr(first_alarm(), "kill -CONT 101"));
	sample.ndrxd_stopped = true;
	look(SEC);
	assert_non_null(strstr(first_alarm(), "ndrxd is stopped by a signal"));
}

static void serve(int i, int service_index, uint64_t seconds)
{
	srv[i].state = OW_SRV_BUSY;
	srv[i].busy_svc = (uint32_t)service_index + 1;
	srv[i].busy_since_ns = sample.now_ns - seconds * SEC;
}

/* Server 1 (BALANCE) has called DEPOSIT, which server 2 serves. */
static void the_server_that_hangs_is_named_not_the_one_that_waits(void **state)
{
	serve(0, BALANCE, 40);
	serve(1, DEPOSIT, 39);
	clt[0].srvid = 1;
	clt[0].outstanding = 1;
	svc[BALANCE].depth = 5;
	off[0].front_ns = sample.now_ns - 30 * SEC;
	look(SEC);
	assert_true(server(1)->waits);
	assert_false(server(2)->waits);
	assert_int_equal(service("BALANCE")->row.grade, OW_GRADE_LOOK);
	assert_non_null(strstr(first_alarm(), "server 2 banksv has been "
					      "serving a request of DEPOSIT"));
	assert_non_null(strstr(first_alarm(), "1 wait for replies"));
}

static void a_queue_that_never_empties_is_worth_a_look(void **state)
{
	look(SEC);
	svc[BALANCE].depth = 4;
	calls(0, 100, 9900, 10);
	calls(2, 100, 9900, 10);
	off[0].front_ns = sample.now_ns + SEC - SEC / 100;
	look(SEC);
	assert_int_equal(service("BALANCE")->row.grade, OW_GRADE_LOOK);
	assert_non_null(strstr(first_alarm(), "busy all the time"));
}

static void nobody_is_left_to_serve_calls(void **state)
{
	int i;

	for (i = 0; i < 3; i++)
		srv[i].alive = false;
	sample.ndrxd_pid = 0;
	clt[0].outstanding = 2;
	look(SEC);
	assert_non_null(strstr(first_alarm(), "all servers are gone"));
	assert_non_null(strstr(first_alarm(), "2 wait for a reply"));
}

static void a_full_disk_of_the_logs_is_an_alarm(void **state)
{
	sample.logs = (struct ow_disk){ .dir = "/srv/log", .known = true,
					.total = 1 << 20, .files = 9 };
	look(SEC);
	assert_non_null(strstr(first_alarm(), "/srv/log: the disk is full"));
}

#define FACT(f) cmocka_unit_test_setup_teardown(f, fresh, tidy)

/* ---- transactions and durable queues ---- */

static void a_prepared_branch_is_bad_after_the_time_out(void **state)
{
	show_money();
	look(SEC); /* 101 s */
	assert_string_equal(tran(0)->id, "000000000000000a");
	assert_int_equal(tran(0)->row.grade, OW_GRADE_CALM);
	close_to(tran(0)->age, 11e6);
	close_to(tran(0)->left, 1e6);
	look(2 * SEC);
	assert_int_equal(tran(0)->row.grade, OW_GRADE_BAD);
	close_to(tran(0)->left, 0);
	assert_int_equal(tran(1)->row.grade, OW_GRADE_CALM);
	assert_int_equal(ow_alarms_find(m, alarms), 1);
	assert_non_null(strstr(alarms[0].text, "in doubt after its time-out"));
	close_to(ow_model_overview(m)->active, 2);
	close_to(ow_model_overview(m)->doubt, 1);
}

static void commits_are_counted_by_the_second(void **state)
{
	show_money();
	tm.count[OW_TM_COUNT_COMMITTED] = 1000;
	look(0);
	close_to(ow_model_overview(m)->committed, 0);
	tm.count[OW_TM_COUNT_COMMITTED] += 30;
	tm.count[OW_TM_COUNT_ROLLED_BACK] += 4;
	look(2 * SEC);
	close_to(ow_model_overview(m)->committed, 15);
	close_to(ow_model_overview(m)->rolled_back, 2);
	sample.n_trans = 0;
	look(SEC);
	close_to(ow_model_overview(m)->committed, 0);
}

static void a_queue_of_failed_messages_asks_for_attention(void **state)
{
	show_money();
	look(0);
	assert_int_equal(durable(1)->row.grade, OW_GRADE_CALM);
	space.queue[0].enqueued = 8;
	space.queue[0].queued = 8;
	space.queue[0].since_ns = 1401 * SEC;
	space.queue[1].queued = 1;
	look(2 * SEC);
	close_to(durable(0)->in, 4);
	close_to(durable(0)->oldest, 3599e6);
	assert_int_equal(durable(0)->row.grade, OW_GRADE_CALM);
	assert_int_equal(durable(1)->row.grade, OW_GRADE_LOOK);
	sample.real_ns += SEC;
	look(SEC);
	assert_int_equal(durable(0)->row.grade, OW_GRADE_LOOK);
	space.full = 1;
	look(SEC);
	assert_int_equal(durable(0)->row.grade, OW_GRADE_BAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(calls_before_the_first_look_do_not_count),
		FACT(a_service_is_the_sum_of_its_servers),
		FACT(error_replies_of_the_system_count_as_errors),
		FACT(times_cover_the_window_only),
		FACT(the_mean_depth_is_computed_from_waiting_times),
		FACT(use_is_the_busy_part_of_all_servers),
		FACT(a_restarted_server_gives_no_negative_rate),
		FACT(a_row_that_restarts_at_zero_gives_no_negative_rate),
		FACT(the_calls_of_a_server_that_left_stay_in_the_window),
		FACT(a_row_given_to_another_service_is_another_offer),
		FACT(a_link_has_rates_and_a_silent_one_is_bad),
		FACT(a_new_domain_of_the_same_name_starts_at_zero),
		FACT(nothing_is_shown_of_a_domain_that_ended),
		FACT(a_state_is_derived_from_process_and_ndrxd),
		FACT(two_readings_make_cpu_and_switches),
		FACT(the_oldest_request_is_no_older_than_the_front),
		FACT(the_peak_is_the_highest_depth_seen),
		FACT(bytes_are_depth_times_the_mean_request),
		FACT(the_history_keeps_the_deepest_of_each_second),
		FACT(share_shows_how_calls_are_spread),
		FACT(a_client_is_named_by_its_program),
		FACT(a_calm_domain_has_no_alarm),
		FACT(alarms_come_worst_first_and_name_what_is_wrong),
		FACT(many_dead_servers_are_one_alarm),
		FACT(a_process_stopped_by_a_signal_is_an_alarm),
		FACT(the_server_that_hangs_is_named_not_the_one_that_waits),
		FACT(a_queue_that_never_empties_is_worth_a_look),
		FACT(nobody_is_left_to_serve_calls),
		FACT(a_full_disk_of_the_logs_is_an_alarm),
		FACT(a_prepared_branch_is_bad_after_the_time_out),
		FACT(commits_are_counted_by_the_second),
		FACT(a_queue_of_failed_messages_asks_for_attention),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
