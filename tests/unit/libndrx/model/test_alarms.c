/* SPDX-License-Identifier: Apache-2.0 */
/* test_alarms.c - what is wrong with a domain, the worst first */
#include "tests/unit/libndrx/model/model_fixture.h"

#include <errno.h>

#include "libndrx/model/alarms.h"

static struct ow_alarm alarms[OW_ALARMS_MAX];

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

static void a_domain_that_ended_is_the_only_alarm(void **state)
{
	look(0);
	svc[DEPOSIT].full = 4;
	sample.domain = false;
	strcpy(sample.why, "no such domain");
	look(SEC);
	assert_int_equal(ow_alarms_find(m, alarms), 1);
	assert_string_equal(alarms[0].text, "no such domain");
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
	assert_null(strstr(first_alarm(), "(c)"));
	/* Who waits for whom, if all of them wait: that is for calls to say. */
	clt[1] = clt[0];
	clt[1].slot = 5;
	clt[1].srvid = 2;
	sample.n_clients = 2;
	look(SEC);
	assert_true(server(2)->waits);
	assert_non_null(strstr(first_alarm(), "has been waiting for others in "
					      "a request of"));
	assert_non_null(strstr(first_alarm(), "others too: the calls (c) say "
					      "for whom"));
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

/* `start` would start servers that an operator has stopped, too. */
static void an_ndrxd_that_is_gone_is_started_by_idle(void **state)
{
	sample.ndrxd_pid = 0;
	look(SEC);
	assert_non_null(strstr(first_alarm(), "`xadmin idle` starts it"));
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

/* ---- what tmsrv, tmqueue, bridges and gates for HTTP show ---- */

static struct ow_tm_snapshot tm;
static struct ow_tm_snapshot *tms[1] = { &tm };

static void branches_that_no_tmsrv_ends_are_an_alarm(void **state)
{
	tm = (struct ow_tm_snapshot){ .head.srvid = 101, .rmid = 3,
				      .strays = 2 };
	sample.trans = tms;
	sample.n_trans = 1;
	tm.stray_ns = sample.now_ns;
	look(5 * SEC); /* it may just be restarted */
	assert_int_equal(ow_alarms_find(m, alarms), 0);
	look(5 * SEC);
	assert_non_null(strstr(first_alarm(), "resource manager 3: 2 prepared "
					      "branches keep their locks"));
}

static void a_tmsrv_that_can_write_no_decision_is_an_alarm(void **state)
{
	tm = (struct ow_tm_snapshot){ .head.srvid = 101,
				      .log_error = EIO };
	sample.trans = tms;
	sample.n_trans = 1;
	look(SEC);
	assert_int_equal(alarms[0].grade, OW_GRADE_BAD);
	assert_non_null(strstr(first_alarm(), "tmsrv 101: Input/output error: "
					      "its decisions cannot be "
					      "written"));
	tm.log_error = 0;
	look(SEC);
	assert_int_equal(ow_alarms_find(m, alarms), 0);
}

static struct ow_mq_snapshot space;
static struct ow_mq_snapshot *spaces[1] = { &space };

static void a_message_that_nobody_takes_for_an_hour_is_an_alarm(void **state)
{
	space = (struct ow_mq_snapshot){ .n = 1, .space = "S" };
	strcpy(space.queue[0].name, "PAY");
	space.queue[0].queued = 4;
	space.queue[0].since_ns = SEC;
	sample.spaces = spaces;
	sample.n_spaces = 1;
	sample.real_ns = 3600 * SEC;
	look(SEC);
	assert_int_equal(ow_alarms_find(m, alarms), 0);
	sample.real_ns = 7202 * SEC;
	look(SEC);
	assert_string_equal(first_alarm(), "queue PAY of space S: nobody has "
					   "taken its first message for 2.0 "
					   "h, 4 wait");
}

static struct ow_seen_link links[2];

static void two_links(void)
{
	int i;

	memset(links, 0, sizeof(links));
	for (i = 0; i < 2; i++) {
		links[i].srvid = 200;
		links[i].connected = true;
		links[i].link.node = 2;
		links[i].link.bridge = 200 + (uint32_t)i;
		links[i].link.up = 1;
		links[i].link.heard_ns = sample.now_ns - 7 * SEC;
	}
	sample.links = links;
	sample.n_links = 2;
}

static void a_node_that_is_silent_is_an_alarm(void **state)
{
	two_links();
	look(0);
	assert_int_equal(ow_alarms_find(m, alarms), 0);
	links[1].link.up = 0;
	look(0);
	assert_string_equal(first_alarm(), "node 2, bridge 201: silent for "
					   "7.0s; its other bridges are up");
	links[0].link.up = 0;
	look(0);
	assert_int_equal(ow_alarms_find(m, alarms), 1);
	assert_int_equal(alarms[0].grade, OW_GRADE_BAD);
	assert_string_equal(first_alarm(), "node 2 is silent for 7.0s: its "
					   "services are away");
	links[0].link.left = links[1].link.left = 1;
	look(0);
	assert_int_equal(ow_alarms_find(m, alarms), 0);
	links[1].link.cut = OW_NODES_CUT_RATE;
	links[1].link.left = 0;
	look(0);
	assert_non_null(strstr(first_alarm(), "node 2 is cut off"));
}

static void many_small_troubles_hide_no_large_one(void **state)
{
	static struct ow_seen_service many[2 * OW_ALARMS_MAX];
	size_t i;

	for (i = 0; i < 2 * OW_ALARMS_MAX; i++) {
		many[i].index = (uint32_t)i;
		many[i].nsrv = 1;
		many[i].suspended = true;
		snprintf(many[i].name, sizeof(many[i].name), "S%zu", i);
	}
	sample.services = many;
	sample.n_services = 2 * OW_ALARMS_MAX;
	two_links();
	links[0].link.up = links[1].link.up = 0;
	look(0);
	assert_int_equal(ow_alarms_find(m, alarms), OW_ALARMS_MAX);
	assert_non_null(strstr(first_alarm(), "node 2 is silent"));
	assert_int_equal(alarms[1].grade, OW_GRADE_LOOK);
}

static void a_bridge_without_nats_server_is_an_alarm(void **state)
{
	two_links();
	links[0].connected = links[1].connected = false;
	links[0].link.up = links[1].link.up = 0;
	sample.unconnected = 200;
	look(0);
	assert_int_equal(ow_alarms_find(m, alarms), 1);
	assert_non_null(strstr(first_alarm(), "bridge 200 is not connected to "
					      "nats-server"));
}

static struct ow_seen_route routes[2];

static void a_certificate_that_ends_soon_is_one_alarm_of_its_gate(void **state)
{
	int i;

	memset(routes, 0, sizeof(routes));
	for (i = 0; i < 2; i++) {
		routes[i].srvid = 70;
		routes[i].expires_s = 15 * 86400;
		strcpy(routes[i].method, i == 0 ? "GET" : "POST");
	}
	sample.routes = routes;
	sample.n_routes = 2;
	look(0);
	assert_int_equal(ow_alarms_find(m, alarms), 0);
	sample.real_ns = 5 * 86400 * SEC;
	look(0);
	assert_int_equal(ow_alarms_find(m, alarms), 1);
	assert_string_equal(first_alarm(), "gate 70 for HTTP: its certificate "
					   "ends in 10.0 days");
	sample.real_ns = 16 * 86400 * SEC;
	look(0);
	assert_non_null(strstr(first_alarm(), "its certificate has ended"));
	assert_int_equal(alarms[0].grade, OW_GRADE_BAD);
	routes[0].expires_s = routes[1].expires_s = 0;
	routes[0].state = routes[1].state = OW_HTTP_OLD;
	look(0);
	assert_int_equal(ow_alarms_find(m, alarms), 1);
	assert_non_null(strstr(first_alarm(), "gate 70 for HTTP has written "
					      "nothing"));
}

static void a_server_that_lives_and_keeps_dying_is_an_alarm(void **state)
{
	srv[1].ctl_restarts = 3;
	srv[1].ctl_exit = SIGSEGV;
	srv[1].ctl_changed_ns = sample.now_ns - 20 * SEC;
	look(0);
	assert_int_equal(ow_alarms_find(m, alarms), 1);
	assert_int_equal(alarms[0].grade, OW_GRADE_LOOK);
	assert_string_equal(alarms[0].text, "server 2 banksv keeps dying: "
			    "started again 3 times, the last time 20.0s ago: "
			    "Segmentation fault");
	/* An operator has restarted it since. */
	srv[1].ctl_exit = 0;
	look(SEC);
	assert_int_equal(ow_alarms_find(m, alarms), 0);
	/* It ends with 0 each time, soon after its start. */
	srv[1].ctl_failures = 3;
	look(SEC);
	assert_int_equal(ow_alarms_find(m, alarms), 1);
	assert_non_null(strstr(alarms[0].text, " ago: exit 0"));
	srv[1].ctl_failures = 0;
	srv[1].ctl_exit = SIGSEGV;
	srv[1].ctl_changed_ns = sample.now_ns - 301 * SEC;
	look(SEC);
	assert_int_equal(ow_alarms_find(m, alarms), 0);
	srv[1].ctl_changed_ns = sample.now_ns;
	srv[1].ctl_restarts = 2;
	look(SEC);
	assert_int_equal(ow_alarms_find(m, alarms), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(a_calm_domain_has_no_alarm),
		FACT(alarms_come_worst_first_and_name_what_is_wrong),
		FACT(a_domain_that_ended_is_the_only_alarm),
		FACT(many_dead_servers_are_one_alarm),
		FACT(a_process_stopped_by_a_signal_is_an_alarm),
		FACT(the_server_that_hangs_is_named_not_the_one_that_waits),
		FACT(a_queue_that_never_empties_is_worth_a_look),
		FACT(an_ndrxd_that_is_gone_is_started_by_idle),
		FACT(nobody_is_left_to_serve_calls),
		FACT(a_full_disk_of_the_logs_is_an_alarm),
		FACT(branches_that_no_tmsrv_ends_are_an_alarm),
		FACT(a_tmsrv_that_can_write_no_decision_is_an_alarm),
		FACT(a_message_that_nobody_takes_for_an_hour_is_an_alarm),
		FACT(a_node_that_is_silent_is_an_alarm),
		FACT(many_small_troubles_hide_no_large_one),
		FACT(a_bridge_without_nats_server_is_an_alarm),
		FACT(a_certificate_that_ends_soon_is_one_alarm_of_its_gate),
		FACT(a_server_that_lives_and_keeps_dying_is_an_alarm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
