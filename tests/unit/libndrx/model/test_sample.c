/* SPDX-License-Identifier: Apache-2.0 */
/* test_sample.c - a look at tables that others change at this moment */
#include "tests/unit/libatmi/domain_fixture.h"

#include <string.h>
#include <unistd.h>

#include "libndrx/model/sample.h"

/* Whole servers seen are enough. */
#define SEEN 40000

static struct ow_sampler *sampler;

static int look_from_outside(void **state)
{
	char why[256];

	return ow_sampler_open(&sampler, why, sizeof(why));
}

static int tidy(void **state)
{
	sampler = ow_sampler_close(sampler);
	return 0;
}

static const struct ow_sample *look(void)
{
	const struct ow_sample *s = NULL;

	assert_int_equal(ow_sampler_look(sampler, false, &s), 0);
	assert_true(s->domain);
	return s;
}

static void a_domain_without_servers_is_seen(void **state)
{
	const struct ow_sample *s = look();

	assert_int_equal(s->n_servers + s->n_clients, 0);
	assert_int_equal(s->ndrxd_pid, 0);
	assert_false(s->ndrxd_expected);
}

static void give(uint32_t srvid, const char *svc, const char *func, int row)
{
	struct ow_adv *a = &ow_tables_adv(dom->tables, srvid)[row];
	int idx;

	assert_int_equal(ow_tables_lock(dom->tables), 0);
	idx = ow_svc_name(dom->tables, svc);
	assert_int_equal(ow_srv_need_row(dom->tables, srvid, (uint32_t)row),
			 0);
	snprintf(a->func, sizeof(a->func), "%s", func);
	dom->tables->srv[srvid].nadv = (uint32_t)row + 1;
	atomic_store(&a->svc, (uint32_t)idx + 1);
	ow_tables_unlock(dom->tables);
}

static void a_server_and_its_services_are_copied(void **state)
{
	const struct ow_sample *s;
	struct ow_srv *slot = &dom->tables->srv[7];

	assert_int_equal(ow_srv_take(dom->tables, 7, "banksv"), 0);
	give(7, "BALANCE", "BAL", 0);
	give(7, "DEPOSIT", "DEP", 1);
	atomic_store(&ow_tables_adv(dom->tables, 7)[1].ok, 12);
	atomic_store(&slot->state, OW_SRV_BUSY);
	atomic_store(&slot->cur_since, 55);
	atomic_store(&slot->cur_adv, 2);
	s = look();
	assert_int_equal(s->n_servers, 1);
	assert_int_equal(s->n_offers, 2);
	assert_int_equal(s->servers[0].srvid, 7);
	assert_string_equal(s->servers[0].bin, "banksv");
	assert_true(s->servers[0].alive);
	assert_int_equal(s->servers[0].busy_since_ns, 55);
	assert_int_equal(s->servers[0].busy_svc, s->offers[1].svc + 1);
	assert_string_equal(s->offers[1].func, "DEP");
	assert_int_equal(s->offers[1].counts.n[OW_CNT_OK], 12);
	assert_int_equal(ow_tables_lock(dom->tables), 0);
	atomic_store(&ow_tables_adv(dom->tables, 7)[0].svc, 0);
	atomic_store(&ow_tables_adv(dom->tables, 7)[1].svc, 0);
	ow_srv_clear(dom->tables, 7);
	ow_tables_unlock(dom->tables);
	assert_int_equal(look()->n_offers, 0);
}

static void damaged_rows_are_left_out(void **state)
{
	const struct ow_sample *s;

	assert_int_equal(ow_srv_take(dom->tables, 8, "badsv"), 0);
	give(8, "BALANCE", "BAL", 0);
	atomic_store(&ow_tables_adv(dom->tables, 8)[0].svc, 0xfffffff0);
	atomic_store(&dom->tables->srv[8].cur_adv, 0xffffffff);
	atomic_store(&dom->tables->srv[8].state, 77);
	memset(dom->tables->srv[8].bin, 'x', sizeof(dom->tables->srv[8].bin));
	s = look();
	assert_int_equal(s->n_offers, 0);
	assert_int_equal(s->n_servers, 1);
	assert_int_equal(s->servers[0].busy_svc, 0);
	assert_int_equal(strlen(s->servers[0].bin), 63);
	atomic_store(&dom->tables->srv[8].cur_adv, 0);
	atomic_store(&ow_tables_adv(dom->tables, 8)[0].svc, 0);
	assert_int_equal(ow_tables_lock(dom->tables), 0);
	ow_srv_clear(dom->tables, 8);
	ow_tables_unlock(dom->tables);
}

/* A slot changes hands as fast as it can, in the order of ow_srv_clear() and
 * ow_srv_take(); each process has another name. */
_Noreturn static void change_owner(void)
{
	static const char *const names[] = { "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
					     "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb" };
	struct ow_srv *slot = &dom->tables->srv[9];
	volatile int pause;
	uint64_t round;

	for (round = 0;; round++) {
		atomic_store(&slot->start, 0);
		atomic_store(&slot->pid, 0);
		atomic_thread_fence(memory_order_seq_cst);
		strcpy(slot->bin, names[round % 2]);
		atomic_store(&slot->start, 1 + round);
		atomic_store(&slot->pid, getpid());
		for (pause = 0; pause < 60; pause++)
			; /* long enough to be met */
	}
}

/* Name and start time are of one process. */
static void check_whole(const struct ow_seen_server *e)
{
	char c = e->start % 2 == 1 ? 'a' : 'b';

	assert_int_equal(strlen(e->bin), 30);
	assert_int_equal(strspn(e->bin, (char[]){ c, '\0' }), 30);
}

static void a_server_row_is_never_a_mix_of_two_processes(void **state)
{
	uint64_t end = ow_clock_mono_ns() + 10 * OW_NS_PER_SEC;
	int seen = 0;
	pid_t pid;

	assert_int_equal(ow_srv_take(dom->tables, 9, "banksv"), 0);
	pid = test_fork();
	if (pid == 0)
		change_owner();
	while (seen < SEEN && ow_clock_mono_ns() < end) {
		const struct ow_sample *s = look();

		assert_true(s->n_servers <= 1);
		if (s->n_servers == 0 || s->servers[0].pid != pid)
			continue;
		seen++;
		check_whole(&s->servers[0]);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_true(seen > 0);
	ow_reap_servers(dom);
}

/* The console cannot write: that is a SIGSEGV of its own. */
static void the_tables_are_mapped_for_reading_only(void **state)
{
	char line[512], perms[8];
	unsigned long off, own[8];
	int i, heads = 0, n = 0;
	FILE *f;

	look();
	f = fopen("/proc/self/maps", "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (strstr(line, ",shm/tables") == NULL ||
		    sscanf(line, "%*s %7s %lx", perms, &off) != 2)
			continue;
		heads += off == 0;
		if (perms[1] != 'w')
			continue;
		/* The test's own: it maps each part once. */
		for (i = 0; i < n; i++)
			assert_int_not_equal(own[i], off);
		assert_in_range(n, 0, 7);
		own[n++] = off;
	}
	if (f != NULL)
		fclose(f);
	assert_int_equal(heads, 2); /* of the test, and of the sampler */
}

static void a_removed_domain_is_noticed(void **state)
{
	const struct ow_sample *s = look();

	atomic_store(&dom->tables->head->gone, 1);
	assert_int_equal(ow_sampler_look(sampler, false, &s), 0);
	/* Its segment still lies there: it is attached again, or not. */
	atomic_store(&dom->tables->head->gone, 0);
	WAIT_FOR(ow_sampler_look(sampler, false, &s) == 0 && s->domain);
}

#define FACT(f) cmocka_unit_test_setup_teardown(f, look_from_outside, tidy)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(a_domain_without_servers_is_seen),
		FACT(a_server_and_its_services_are_copied),
		FACT(damaged_rows_are_left_out),
		FACT(a_server_row_is_never_a_mix_of_two_processes),
		FACT(the_tables_are_mapped_for_reading_only),
		FACT(a_removed_domain_is_noticed),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
