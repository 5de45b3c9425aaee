/* SPDX-License-Identifier: Apache-2.0 */
/* test_alarms.c - what is wrong with a domain, the worst first */
#include "tests/unit/libndrx/model/model_fixture.h"

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
		FACT(nobody_is_left_to_serve_calls),
		FACT(a_full_disk_of_the_logs_is_an_alarm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
