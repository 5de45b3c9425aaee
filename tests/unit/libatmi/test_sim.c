/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sim.c - calls, servers and time-outs without processes or clocks
 *
 * Clients and servers of this process are actors on the local transport
 * (transport/local/world.h): the seed decides which one runs next, and time
 * passes only when all wait. OW_SEED and OW_SEEDS run other or more seeds.
 */
#include "tests/unit/libatmi/transport/local/sim.h"

#define MS OW_NS_PER_MS

static uint64_t seeds = 100, first_seed = 1;

/* What the actors of a run tell each other. */
static struct {
	struct sim_server server[SIM_SERVERS];
	int n_servers, clients_left;
	int calls, good, errors[TPMAXVAL + 1], wrong;
	int unbegun; /* TPENOENT after the request was queued */
	uint64_t executed[4096]; /* times, by number of the call */
	int next;
	uint64_t took_ns;
	bool serving; /* the server to be killed is in its service */
} run;

static char *new_string(const char *text)
{
	char *p = tpalloc("STRING", NULL, 64);

	assert_non_null(p);
	strcpy(p, text);
	return p;
}

/* ---- services ---- */

/* Gives its data back, after some time by the seed. */
static void ECHO(TPSVCINFO *info)
{
	int n = atoi(info->data);

	run.executed[n]++;
	if (world_random(4) == 0)
		world_sleep(world_random(3) * MS);
	else
		world_yield();
	tpreturn(TPSUCCESS, n, info->data, 0, 0);
}

static void SLOW(TPSVCINFO *info)
{
	world_sleep(5 * OW_NS_PER_SEC);
	tpreturn(TPSUCCESS, 0, info->data, 0, 0);
}

/* Never comes back: it waits to be killed. */
static void HANG(TPSVCINFO *info)
{
	(void)info;
	run.serving = true;
	world_sleep(UINT64_MAX / 2);
}

/* Calls ECHO for its caller. */
static void RELAY(TPSVCINFO *info)
{
	char *data = info->data;
	long len = 0;

	if (tpcall("ECHO", data, 0, &data, &len, 0) == -1)
		tpreturn(TPFAIL, tperrno, NULL, 0, 0);
	tpreturn(TPSUCCESS, tpurcode, data, 0, 0);
}

static void PASS(TPSVCINFO *info)
{
	tpforward("ECHO", info->data, 0, 0);
}

static int init_all(int argc, char **argv)
{
	(void)argc, (void)argv;
	return tpadvertise("ECHO", ECHO) | tpadvertise("SLOW", SLOW) |
	       tpadvertise("STOP", SIM_STOP) | tpadvertise("HANG", HANG);
}

static int init_relay(int argc, char **argv)
{
	(void)argc, (void)argv;
	return tpadvertise("RELAY", RELAY) | tpadvertise("PASS", PASS) |
	       tpadvertise("STOP", SIM_STOP);
}

/* ---- clients ---- */

/* One call of ECHO, RELAY or PASS, noted in `run`. */
static void call(const char *service)
{
	char *p, text[12];
	long len = 0;
	int n = run.next++;

	snprintf(text, sizeof(text), "%d", n);
	p = new_string(text);
	run.calls++;
	if (tpcall((char *)service, p, 0, &p, &len, 0) == -1) {
		run.unbegun +=
		    tperrno == TPENOENT &&
		    strstr(tpstrerror(tperrno), "was queued") != NULL;
		run.errors[tperrno]++;
	} else if (strcmp(p, text) != 0 || tpurcode != n ||
		 run.executed[n] != 1)
		run.wrong++;
	else
		run.good++;
	tpfree(p);
}

/* When the last client is done, the servers are stopped. */
static void end_client(void)
{
	char *p;
	int i;

	if (--run.clients_left == 0)
		for (i = 0; i < run.n_servers; i++) {
			if (world_was_killed(run.server[i].actor))
				continue;
			p = new_string("");
			if (tpacall("STOP", p, 0, TPNOREPLY) == -1)
				abort();
			tpfree(p);
		}
	tpterm();
}

static void call_often(void *service)
{
	int i;

	sim_await(run.server, run.n_servers);
	for (i = 0; i < 10; i++)
		call(service);
	end_client();
}

static void begin(uint64_t seed, int servers)
{
	memset(&run, 0, sizeof(run));
	world_begin(seed);
	run.n_servers = servers;
}

static void add_client(void (*fn)(void *), void *arg)
{
	run.clients_left++;
	world_add(fn, arg);
}

/* All is as before: no slot, no queue, no block is left. */
static void end_run(void)
{
	uint64_t n = 0, bytes = 0;
	uint32_t i, depth;

	world_run();
	for (i = 1; i <= SIM_SERVERS; i++)
		assert_int_equal(dom->tables->srv[i].pid, 0);
	for (i = 0; i < dom->tables->head->clt_high; i++) {
		assert_int_equal(dom->tables->clt[i].gen & 1, 0);
		depth = 0;
		ow_queue_peek(dom, ow_mailbox(i), &depth);
		assert_int_equal(depth, 0);
	}
	for (i = 0; i < dom->tables->head->nsvc; i++)
		assert_int_equal(
		    ow_queue_peek(dom, ow_service_queue(
			dom->tables->svc[dom->tables->head->svc_list[i]].name),
				  &depth), OW_QUEUE_GONE);
	ow_blocks_usage(dom->blocks, &n, &bytes);
	assert_int_equal(n, 0);
}

#define FOR_SEEDS(seed)                                                     \
	for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++)

/* ---- facts ---- */

static void each_call_gets_its_own_reply_and_is_executed_once(void **state)
{
	int i;

	FOR_SEEDS(seed)
	{
		begin(seed, 2);
		sim_server(&run.server[0], 1, init_all);
		sim_server(&run.server[1], 2, init_all);
		for (i = 0; i < 5; i++)
			add_client(call_often, "ECHO");
		end_run();
		assert_int_equal(run.good, run.calls);
	}
}

static void services_that_call_and_forward_reach_the_first_caller(void **state)
{
	FOR_SEEDS(seed)
	{
		begin(seed, 4);
		sim_server(&run.server[0], 1, init_all);
		sim_server(&run.server[1], 2, init_all);
		sim_server(&run.server[2], 3, init_relay);
		sim_server(&run.server[3], 4, init_relay);
		add_client(call_often, "RELAY");
		add_client(call_often, "RELAY");
		add_client(call_often, "PASS");
		end_run();
		assert_int_equal(run.good, run.calls);
	}
}

static uint64_t turns_of(uint64_t seed)
{
	begin(seed, 2);
	sim_server(&run.server[0], 1, init_all);
	sim_server(&run.server[1], 2, init_all);
	add_client(call_often, "ECHO");
	add_client(call_often, "ECHO");
	end_run();
	return world_turns() * 1000003 + world_now();
}

static void the_same_seed_gives_the_same_run(void **state)
{
	uint64_t a = turns_of(7), b = turns_of(7), other = 0, seed;

	assert_int_equal(a, b);
	for (seed = 8; seed < 12; seed++)
		other += turns_of(seed) != a;
	assert_true(other > 0);
}

static void call_slowly(void *arg)
{
	char *p = new_string("1");
	uint64_t t0;
	long len = 0;

	(void)arg;
	sim_await(run.server, run.n_servers);
	tptoutset(2);
	t0 = world_now();
	if (tpcall("SLOW", p, 0, &p, &len, 0) == -1)
		run.errors[tperrno]++;
	run.took_ns = world_now() - t0;
	tptoutset(60);
	world_sleep(10 * OW_NS_PER_SEC); /* the late reply comes */
	call("ECHO"); /* and is dropped here */
	tpfree(p);
	end_client();
}

static void a_time_out_comes_at_its_time_and_a_late_reply_is_dropped(void **st)
{
	FOR_SEEDS(seed)
	{
		begin(seed, 2);
		sim_server(&run.server[0], 1, init_all);
		sim_server(&run.server[1], 2, init_all);
		add_client(call_slowly, NULL);
		end_run();
		assert_int_equal(run.errors[TPETIME], 1);
		assert_in_range(run.took_ns, 2 * OW_NS_PER_SEC,
				2 * OW_NS_PER_SEC + MS);
		assert_int_equal(run.good, 1);
	}
}

/* More calls out than any queue holds; replies are fetched at the end. */
static void send_many(void *arg)
{
	char *p, text[12];
	int i, cd[30];
	long len = 0;

	(void)arg;
	sim_await(run.server, run.n_servers);
	for (i = 0; i < 30; i++) {
		snprintf(text, sizeof(text), "%d", run.next++);
		p = new_string(text);
		cd[i] = tpacall("ECHO", p, 0, 0);
		tpfree(p);
		run.calls += cd[i] > 0;
	}
	for (i = 0; i < 30; i++) {
		p = new_string("");
		if (tpgetrply(&cd[i], &p, &len, 0) == -1)
			run.errors[tperrno]++;
		else
			run.good++;
		tpfree(p);
	}
	end_client();
}

static void full_queues_in_both_directions_block_nobody_for_ever(void **state)
{
	FOR_SEEDS(seed)
	{
		begin(seed, 1);
		sim_server(&run.server[0], 1, init_all);
		add_client(send_many, NULL);
		add_client(send_many, NULL);
		end_run();
		assert_int_equal(run.calls, 60);
		assert_int_equal(run.good, run.calls);
	}
}

static void fill_without_waiting(void *arg)
{
	char *p = new_string("1");
	int i;

	(void)arg;
	sim_await(run.server, run.n_servers);
	tpacall("SLOW", p, 0, TPNOREPLY);
	world_sleep(MS);
	for (i = 0; i < 12; i++) { /* eight fit */
		run.calls++;
		if (tpacall("SLOW", p, 0, TPNOREPLY | TPNOBLOCK) == -1)
			run.errors[tperrno]++;
	}
	tpfree(p);
	end_client();
}

static void a_full_queue_is_tpeblock_for_those_who_do_not_wait(void **state)
{
	begin(3, 1);
	sim_server(&run.server[0], 1, init_all);
	add_client(fill_without_waiting, NULL);
	end_run();
	assert_int_equal(run.errors[TPEBLOCK], 4);
}

static void call_the_hanging_one(void *arg)
{
	char *p = new_string("1");
	uint64_t t0 = world_now();
	long len = 0;

	(void)arg;
	sim_await(run.server, run.n_servers);
	if (tpcall("HANG", p, 0, &p, &len, 0) == -1)
		run.errors[tperrno]++;
	run.took_ns = world_now() - t0;
	tpfree(p);
	end_client();
}

static bool is_serving(void *arg)
{
	(void)arg;
	return run.serving;
}

static void kill_the_hanging_one(void *arg)
{
	(void)arg;
	world_wait(is_serving, NULL, WORLD_FOREVER);
	world_sleep(world_random(50) * MS);
	sim_kill(&run.server[0]);
}

/* TPESVCERR for the request that it had begun, TPENOENT for those that wait
 * behind it: no other server will come. */
static void a_killed_server_s_callers_are_told_at_once(void **state)
{
	FOR_SEEDS(seed)
	{
		begin(seed, 1);
		sim_server(&run.server[0], 1, init_all);
		add_client(call_the_hanging_one, NULL);
		add_client(call_the_hanging_one, NULL);
		add_client(call_the_hanging_one, NULL);
		world_add(kill_the_hanging_one, NULL);
		end_run();
		assert_int_equal(run.errors[TPESVCERR], 1);
		assert_int_equal(run.errors[TPENOENT], 2);
		assert_in_range(run.took_ns, 0, 100 * MS);
	}
}

/* ---- a service that comes and goes ---- */

static bool flicker_on;

static void FLICKER(TPSVCINFO *info)
{
	if (world_random(3) == 0) {
		tpunadvertise("ECHO");
		flicker_on = false;
	} else if (!flicker_on) {
		flicker_on = tpadvertise("ECHO", ECHO) == 0;
	}
	tpreturn(TPSUCCESS, 0, info->data, 0, 0);
}

static int init_flicker(int argc, char **argv)
{
	(void)argc, (void)argv;
	flicker_on = true;
	return tpadvertise("ECHO", ECHO) | tpadvertise("FLICKER", FLICKER) |
	       tpadvertise("STOP", SIM_STOP);
}

static void flicker_often(void *arg)
{
	char *p = new_string("");
	long len = 0;
	int i;

	(void)arg;
	sim_await(run.server, run.n_servers);
	for (i = 0; i < 20; i++)
		if (tpcall("FLICKER", p, 0, &p, &len, 0) == -1)
			run.wrong++;
	tpfree(p);
	end_client();
}

/* Each call of it has a reply or an error at once: none waits for its
 * time-out, none is executed without its caller hearing of it. */
static void a_removed_queue_strands_no_request(void **state)
{
	int done, refused = 0;

	FOR_SEEDS(seed)
	{
		begin(seed, 1);
		sim_server(&run.server[0], 1, init_flicker);
		add_client(flicker_often, NULL);
		add_client(call_often, "ECHO");
		add_client(call_often, "ECHO");
		add_client(call_often, "ECHO");
		end_run();
		done = run.errors[TPENOENT] + run.errors[TPESVCERR];
		assert_int_equal(run.good + done, run.calls);
		assert_int_equal(run.wrong, 0);
		refused += run.unbegun;
	}
	assert_true(refused > 0 || seeds < 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    each_call_gets_its_own_reply_and_is_executed_once),
		cmocka_unit_test(
		    services_that_call_and_forward_reach_the_first_caller),
		cmocka_unit_test(the_same_seed_gives_the_same_run),
		cmocka_unit_test(
		    a_time_out_comes_at_its_time_and_a_late_reply_is_dropped),
		cmocka_unit_test(
		    full_queues_in_both_directions_block_nobody_for_ever),
		cmocka_unit_test(
		    a_full_queue_is_tpeblock_for_those_who_do_not_wait),
		cmocka_unit_test(
		    a_killed_server_s_callers_are_told_at_once),
		cmocka_unit_test(a_removed_queue_strands_no_request),
	};

	if (getenv("OW_SEED") != NULL) {
		first_seed = strtoull(getenv("OW_SEED"), NULL, 10);
		seeds = 1;
	}
	if (getenv("OW_SEEDS") != NULL)
		seeds = strtoull(getenv("OW_SEEDS"), NULL, 10);
	sim_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
