/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sim_unsol.c - unsolicited messages without processes or clocks
 *
 * As test_sim.c: the seed decides who runs next. Clients get messages from a
 * service that they call, from each other, and from those that left.
 */
#include "tests/unit/libatmi/transport/local/sim.h"

#define CLIENTS 3
#define ROUNDS	5
#define NOTES	7 /* of each call */

static struct {
	struct sim_server server;
	int clients_left, wrong, notes;
} run;

static __thread int self_number, next_note;

/* "CLIENT NUMBER": those of a client come in order, and to it alone. */
static void on_note(char *data, long len, long flags)
{
	int client = -1, n = -1;

	(void)len, (void)flags;
	run.notes++;
	if (sscanf(data, "%d %d", &client, &n) != 2 || client != self_number ||
	    n != next_note++)
		run.wrong++;
}

/* Notes for the caller, in the middle of its call. */
static void NOTE(TPSVCINFO *info)
{
	int client = -1, from = 0, i;
	char *p = tpalloc("STRING", NULL, 64);

	if (sscanf(info->data, "%d %d", &client, &from) != 2)
		abort();
	for (i = 0; i < NOTES; i++) {
		snprintf(p, 64, "%d %d", client, from + i);
		if (tpnotify(&info->cltid, p, 0, TPNOBLOCK) != 0)
			run.wrong++;
		world_yield();
	}
	tpfree(p);
	tpreturn(TPSUCCESS, 0, info->data, 0, 0);
}

static int init(int argc, char **argv)
{
	(void)argc, (void)argv;
	return tpadvertise("NOTE", NOTE) | tpadvertise("STOP", SIM_STOP);
}

static void end_client(void)
{
	char *p;

	if (--run.clients_left == 0) {
		p = tpalloc("STRING", NULL, 8);
		if (tpacall("STOP", p, 0, TPNOREPLY) == -1)
			abort();
		tpfree(p);
	}
	tpterm();
}

static void be_notified(void *arg)
{
	char *p = tpalloc("STRING", NULL, 64);
	long len = 0;
	int i;

	self_number = (int)(intptr_t)arg;
	next_note = 0;
	sim_await(&run.server, 1);
	for (i = 0; i < ROUNDS; i++) {
		/* Each round is another context, mostly in another slot. */
		if (tpsetunsol(on_note) == TPUNSOLERR)
			abort();
		snprintf(p, 64, "%d %d", self_number, i * NOTES);
		if (tpcall("NOTE", p, 0, &p, &len, 0) == -1)
			abort();
		tpchkunsol();
		if (next_note != (i + 1) * NOTES)
			run.wrong++;
		if (i + 1 < ROUNDS)
			tpterm();
		world_yield();
	}
	tpfree(p);
	end_client();
}

static void each_client_gets_its_own_messages_in_order(void **state)
{
	uint64_t seed, n = 0, bytes = 0;
	int i;

	for (seed = 1; seed <= 100; seed++) {
		memset(&run, 0, sizeof(run));
		world_begin(seed);
		sim_server(&run.server, 1, init);
		for (i = 0; i < CLIENTS; i++) {
			run.clients_left++;
			world_add(be_notified, (void *)(intptr_t)i);
		}
		world_run();
		assert_int_equal(run.wrong, 0);
		assert_int_equal(run.notes, CLIENTS * ROUNDS * NOTES);
		ow_blocks_usage(dom->blocks, &n, &bytes);
		assert_int_equal(n, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_client_gets_its_own_messages_in_order),
	};

	sim_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
