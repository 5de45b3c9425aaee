/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ndrxd.c - the whole supervisor, with fake servers
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/ndrxd/fixture.h"
#include "libatmi/wire/ctl.h"
#include "libatmi/domain/domain.h"
#include "libatmi/member/join.h"

#define FAKE(id, more) \
	"<server name=\"fake_server\"><srvid>" id "</srvid>" more "</server>"
#define COUNT(min, max) "<min>" min "</min><max>" max "</max>"
#define FAULT(word)	"<appopt>" word "</appopt>"

static void start_and_stop_leave_nothing_behind(void **state)
{
	struct fixture *f = *state;
	pid_t pid;

	fixture_config(f, FAKE("1", COUNT("20", "30")));
	fixture_ndrxd(f);
	pid = fixture_ndrxd_pid(f);
	fixture_admin(f, "start");
	assert_int_equal(fixture_count(f, "begun=0 runok"), 20);
	assert_int_equal(fixture_count(f, "done status=0 count=20"), 1);
	fixture_admin(f, "list");
	assert_int_equal(fixture_count(f, " runok want=runok"), 20);
	assert_int_equal(fixture_count(f, " nstrd want=exit"), 10);
	fixture_admin(f, "stop");
	assert_int_equal(fixture_count(f, "done status=0 count=20"), 1);
	fixture_await_gone(pid);
	fixture_run(f, "ls %s/run; ls /dev/shm | grep '^%s,'", f->dir,
		    getenv("NDRX_QPREFIX") + 1);
	assert_string_equal(f->out, "");
}

static void second_ndrxd_is_refused_with_the_pid_of_the_first(void **state)
{
	struct fixture *f = *state;
	char text[60];

	fixture_config(f, FAKE("1", ""));
	fixture_ndrxd(f);
	snprintf(text, sizeof(text), "runs already: process %d",
		 (int)fixture_ndrxd_pid(f));
	fixture_run(f, "ndrxd");
	assert_int_equal(f->status, 1);
	assert_non_null(strstr(f->out, text));
}

static void wrong_configuration_is_reported_by_the_starter(void **state)
{
	struct fixture *f = *state;

	fixture_config(f, "<server name=\"x\"></server>");
	fixture_run(f, "ndrxd");
	assert_int_equal(f->status, 1);
	assert_non_null(strstr(f->out, "srvid"));
}

static void stale_socket_and_pid_file_do_not_prevent_a_start(void **state)
{
	struct fixture *f = *state;
	pid_t old;

	fixture_config(f, FAKE("1", ""));
	fixture_ndrxd(f);
	old = fixture_ndrxd_pid(f);
	kill(old, SIGKILL);
	fixture_await_gone(old);
	fixture_ndrxd(f);
	assert_int_not_equal(fixture_ndrxd_pid(f), old);
	fixture_admin(f, "dping");
}

static void killed_server_is_restarted(void **state)
{
	struct fixture *f = *state;
	pid_t pid;

	fixture_config(f, FAKE("1", ""));
	fixture_ndrxd(f);
	fixture_admin(f, "start");
	pid = fixture_pid(f, 1);
	kill(pid, SIGKILL);
	fixture_await(f, 1, "runok want=runok restarts=1");
	assert_int_not_equal(fixture_pid(f, 1), pid);
}

static void new_ndrxd_adopts_the_running_and_restarts_the_dead(void **state)
{
	struct fixture *f = *state;
	pid_t old, pid1, pid2;

	fixture_config(f, FAKE("1", COUNT("2", "3")));
	fixture_ndrxd(f);
	fixture_admin(f, "start");
	old = fixture_ndrxd_pid(f);
	pid1 = fixture_pid(f, 1);
	pid2 = fixture_pid(f, 2);
	kill(old, SIGKILL);
	fixture_await_gone(old);
	kill(pid2, SIGKILL);
	fixture_await_gone(pid2);
	fixture_ndrxd(f);
	assert_int_equal(fixture_pid(f, 1), pid1);
	fixture_await(f, 2, "runok want=runok restarts=1");
	fixture_await(f, 3, "nstrd");
	fixture_admin(f, "stop");
	fixture_await_gone(pid1);
}

/* Server 1 has one exit, after the first stop and before the last start. */
static void check_exit_before_start(struct fixture *f)
{
	const char *stop, *end, *start = NULL, *at;

	fixture_events(f, 1);
	for (at = f->out; (at = strstr(at, " start ")) != NULL; at++)
		start = at;
	stop = strstr(f->out, " stop ");
	end = stop != NULL ? strstr(stop, " exit ") : NULL;
	if (end == NULL || start == NULL || end > start)
		print_error("events:%s\n", f->out);
	assert_true(end != NULL && start != NULL && end < start);
	assert_int_equal(fixture_count(f, " exit "), 1);
}

static void new_ndrxd_emits_the_exit_of_a_server_it_replaces(void **state)
{
	struct fixture *f = *state;
	pid_t pid;

	fixture_config(f, FAKE("1", FAULT("nostop")));
	fixture_ndrxd(f);
	fixture_admin(f, "start");
	pid = fixture_pid(f, 1);
	fixture_run(f, "(fake_admin sreload -i 1 >/dev/null 2>&1 &)");
	fixture_await(f, 1, " stop want=exit");
	fixture_kill_ndrxd(f);
	fixture_ndrxd(f);
	fixture_await(f, 1, " stop want=runok");
	fixture_await(f, 1, " runok want=runok");
	assert_int_not_equal(fixture_pid(f, 1), pid);
	check_exit_before_start(f);
}

static void start_during_a_stop_emits_exit_before_start(void **state)
{
	struct fixture *f = *state;

	fixture_config(f, FAKE("1", FAULT("nostop")));
	fixture_ndrxd(f);
	fixture_admin(f, "start");
	fixture_run(f, "(fake_admin stop -i 1 >/dev/null 2>&1 &)");
	fixture_await(f, 1, " stop want=exit");
	fixture_admin(f, "cabort");
	fixture_admin(f, "start -i 1");
	check_exit_before_start(f);
}

static void stop_of_a_late_server_emits_stop_and_exit(void **state)
{
	struct fixture *f = *state;

	fixture_config(f, FAKE("1", "<start_max>50ms</start_max>"
				    "<end_max>10</end_max>"
				    "<autokill>0</autokill>" FAULT("noready")));
	fixture_ndrxd(f);
	fixture_run(f, "fake_admin start");
	fixture_admin(f, "stop -i 1");
	fixture_events(f, 1);
	assert_string_equal(f->out, " start late stop signal exit ");
}

static void failed_starts_are_reported_with_their_reason(void **state)
{
	struct fixture *f = *state;

	fixture_config(f, "<server name=\"nosuch\"><srvid>1</srvid></server>"
			  FAKE("2", FAULT("die")) FAKE("3", "")
			  FAKE("4", "<fullpath>/etc/passwd</fullpath>")
			  FAKE("5", "<env>/nonexistent</env>"));
	fixture_ndrxd(f);
	fixture_run(f, "fake_admin start");
	assert_int_equal(f->status, 1);
	assert_non_null(strstr(f->out, "nobin: nosuch: No such file"));
	assert_non_null(strstr(f->out, "died: process "));
	assert_non_null(strstr(f->out, "ended with exit code 3"));
	assert_non_null(strstr(f->out, "acces: /etc/passwd"));
	assert_non_null(strstr(f->out, "eenv: env file /nonexistent"));
	assert_non_null(strstr(f->out, "done status=1 count=1"));
	fixture_await(f, 2, "tries=4");
}

static void entries_start_in_order(void **state)
{
	struct fixture *f = *state;
	const char *a, *b;

	fixture_config(f, FAKE("50", COUNT("3", "3")) FAKE("10", ""));
	fixture_ndrxd(f);
	fixture_admin(f, "start");
	a = strstr(f->out, " id=52 ");
	b = strstr(f->out, " id=10 ");
	assert_true(a != NULL && b != NULL && a < b);
	fixture_admin(f, "stop -s fake_server -i 10");
	assert_int_equal(fixture_count(f, "begun=0 exit"), 1);
	fixture_await(f, 50, "runok");
}

static void deaf_server_is_ended_by_signals(void **state)
{
	struct fixture *f = *state;

	fixture_config(f, FAKE("1", FAULT("nostop")));
	fixture_ndrxd(f);
	fixture_admin(f, "start");
	fixture_admin(f, "stop -i 1");
	assert_non_null(strstr(f->out, "has not ended within 0.3 s"));
	fixture_await(f, 1, "exit want=exit restarts=0 tries=1 signals=3");
}

static void server_that_does_not_answer_pings_is_replaced(void **state)
{
	struct fixture *f = *state;

	fixture_config(
	    f, FAKE("1", "<pingtime>50ms</pingtime>" FAULT("nopong")));
	fixture_ndrxd(f);
	fixture_admin(f, "start");
	fixture_await(f, 1, "no answer to ping for 200 ms");
	fixture_await(f, 1, "restarts=1");
}

static void server_above_its_memory_limit_is_replaced(void **state)
{
	struct fixture *f = *state;
	char text[40];

	fixture_config(f, FAKE("1", "<rssmax>4K</rssmax>"));
	fixture_ndrxd(f);
	fixture_admin(f, "start");
	snprintf(text, sizeof(text), "pid=%d ", (int)fixture_pid(f, 1));
	do
		fixture_await(f, 1, "want=runok");
	while (strstr(f->out, text) != NULL);
	fixture_admin(f, "appconfig -s checkpm -t 60");
	fixture_await(f, 1, "runok want=runok restarts=0");
}

static void leaving_server_stays_away(void **state)
{
	struct fixture *f = *state;

	fixture_config(f, FAKE("1", FAULT("leave")));
	fixture_ndrxd(f);
	fixture_admin(f, "start");
	fixture_await(f, 1, "exit want=exit restarts=0");
}

static void reload_takes_over_or_refuses_as_a_whole(void **state)
{
	struct fixture *f = *state;
	pid_t pid;

	fixture_config(f, FAKE("1", ""));
	fixture_ndrxd(f);
	fixture_admin(f, "start");
	fixture_config(f, FAKE("x", ""));
	fixture_run(f, "fake_admin reload");
	assert_int_equal(f->status, 1);
	fixture_config(f, FAKE("1", "") FAKE("2", ""));
	fixture_admin(f, "testcfg");
	assert_non_null(strstr(f->out, "fake_server id 2: new"));
	fixture_admin(f, "list");
	assert_non_null(strstr(f->out, "count=1"));
	fixture_admin(f, "reload");
	assert_non_null(strstr(f->out, "done status=0 count=1"));
	fixture_await(f, 2, "runok");
	fixture_config(f, FAKE("2", ""));
	pid = fixture_pid(f, 1);
	fixture_admin(f, "reload");
	assert_non_null(strstr(f->out, "id 1: no longer configured"));
	fixture_await_gone(pid);
	fixture_await(f, 1, "count=0"); /* it has left the list */
}

static void
second_start_and_cat_attach_and_other_orders_are_refused(void **state)
{
	struct fixture *f = *state;

	fixture_config(f, FAKE("1", FAULT("noready")));
	fixture_ndrxd(f);
	fixture_run(f, "(fake_admin start >%s/first 2>&1 &)", f->dir);
	fixture_await(f, 1, "start want=runok");
	fixture_run(f, "fake_admin -i 1 restart");
	assert_int_equal(f->status, 1);
	assert_non_null(strstr(f->out, "start in progress"));
	fixture_run(f, "(fake_admin start >%s/third 2>&1 &); "
		       "until grep -q sent %s/third; do sleep 0.01; done; "
		       "fake_admin dping", f->dir, f->dir);
	/* All see the end of it when the server is killed. */
	fixture_run(f, "(fake_admin cat >%s/second 2>&1 &); "
		       "until grep -q sent %s/second; do sleep 0.01; done; "
		       "fake_admin dping", f->dir, f->dir);
	kill(fixture_pid(f, 1), SIGKILL);
	fixture_run(f, "for i in $(seq 200); do grep -q done %s/second &&"
		       " break; sleep 0.02; done; cat %s/second", f->dir, f->dir);
	assert_non_null(strstr(f->out, "killed by signal 9"));
	fixture_run(f, "for i in $(seq 200); do grep -q done %s/third &&"
		       " break; sleep 0.02; done; cat %s/third", f->dir, f->dir);
	assert_null(strstr(f->out, "in progress"));
	assert_non_null(strstr(f->out, "killed by signal 9"));
	assert_non_null(strstr(f->out, "done status"));
}

static void server_started_by_hand_is_watched_not_restarted(void **state)
{
	struct fixture *f = *state;

	fixture_config(f, FAKE("1", ""));
	fixture_ndrxd(f);
	fixture_run(f, "(fake_server -i 77 >%s/by_hand 2>&1 &)", f->dir);
	fixture_await(f, 77, "runok");
	kill(fixture_pid(f, 77), SIGKILL);
	fixture_await(f, 77, "died want=exit restarts=0");
}

static void down_ends_everything_at_once(void **state)
{
	struct fixture *f = *state;
	pid_t pid, nd;

	fixture_config(f, FAKE("1", FAULT("nostop")));
	fixture_ndrxd(f);
	fixture_admin(f, "start");
	nd = fixture_ndrxd_pid(f);
	pid = fixture_pid(f, 1);
	fixture_admin(f, "down");
	fixture_await_gone(pid);
	fixture_await_gone(nd);
}

static void sigterm_stops_the_domain(void **state)
{
	struct fixture *f = *state;
	pid_t pid, nd;

	fixture_config(f, FAKE("1", ""));
	fixture_ndrxd(f);
	fixture_admin(f, "start");
	nd = fixture_ndrxd_pid(f);
	pid = fixture_pid(f, 1);
	kill(nd, SIGTERM);
	fixture_await_gone(nd);
	fixture_await_gone(pid);
}

static int connect_here(void)
{
	struct ow_domain d;
	char why[200];
	int fd;

	assert_int_equal(ow_domain_read_env(&d, why, sizeof(why)), 0);
	fd = ow_domain_connect(&d);
	assert_true(fd >= 0);
	return fd;
}

static void xadmin_that_does_not_read_blocks_no_other(void **state)
{
	struct fixture *f = *state;
	union ow_ctl_msg m;
	int i, fd;

	fixture_config(f, FAKE("1", COUNT("5", "2000")));
	fixture_ndrxd(f);
	fd = connect_here();
	for (i = 0; i < 50; i++) {
		ow_ctl_init(&m, OW_CTL_CMD, (uint32_t)i);
		m.cmd.verb = OW_VERB_LIST;
		ow_ctl_send(fd, &m);
	}
	fixture_admin(f, "start");
	fixture_admin(f, "list | tail -1");
	assert_non_null(strstr(f->out, "done status=0 count=2000"));
	close(fd);
	fixture_admin(f, "dping");
}

static void malformed_packets_end_their_connection_only(void **state)
{
	struct fixture *f = *state;
	struct pollfd p = { .events = POLLIN };
	char junk[3000];
	size_t len;

	fixture_config(f, FAKE("1", ""));
	fixture_ndrxd(f);
	for (len = 1; len < sizeof(junk); len += 271) {
		memset(junk, (int)len, sizeof(junk));
		p.fd = connect_here();
		assert_true(send(p.fd, junk, len, MSG_NOSIGNAL) > 0);
		assert_int_equal(poll(&p, 1, 5000), 1);
		assert_int_equal(recv(p.fd, junk, sizeof(junk), 0), 0);
		close(p.fd);
	}
	fixture_admin(f, "dping");
}

#define T(name) \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(start_and_stop_leave_nothing_behind),
		T(second_ndrxd_is_refused_with_the_pid_of_the_first),
		T(wrong_configuration_is_reported_by_the_starter),
		T(stale_socket_and_pid_file_do_not_prevent_a_start),
		T(killed_server_is_restarted),
		T(new_ndrxd_adopts_the_running_and_restarts_the_dead),
		T(new_ndrxd_emits_the_exit_of_a_server_it_replaces),
		T(start_during_a_stop_emits_exit_before_start),
		T(stop_of_a_late_server_emits_stop_and_exit),
		T(failed_starts_are_reported_with_their_reason),
		T(entries_start_in_order),
		T(deaf_server_is_ended_by_signals),
		T(server_that_does_not_answer_pings_is_replaced),
		T(server_above_its_memory_limit_is_replaced),
		T(leaving_server_stays_away),
		T(reload_takes_over_or_refuses_as_a_whole),
		T(second_start_and_cat_attach_and_other_orders_are_refused),
		T(server_started_by_hand_is_watched_not_restarted),
		T(down_ends_everything_at_once),
		T(sigterm_stops_the_domain),
		T(xadmin_that_does_not_read_blocks_no_other),
		T(malformed_packets_end_their_connection_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
