/* SPDX-License-Identifier: Apache-2.0 */
/* test_model.c - from samples made by hand to what the screens show */
#include "tests/unit/libndrx/model/model_fixture.h"

static struct ow_seen_link lnk[1];

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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
