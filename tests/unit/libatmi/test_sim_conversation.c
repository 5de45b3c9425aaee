/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sim_conversation.c - conversations without processes or clocks
 *
 * As test_sim.c: the seed decides which end runs next, and time passes only
 * when all wait. OW_SEED and OW_SEEDS run other or more seeds.
 */
#include "tests/unit/libatmi/transport/local/sim.h"

#include "libatmi/converse/ends/conversation.h"

#define MS OW_NS_PER_MS
#define N  40 /* messages of a stream: more than a window */

static uint64_t seeds = 60, first_seed = 1;

static struct {
	struct sim_server server[SIM_SERVERS];
	int n_servers, clients_left;
	int good, wrong, errors[TPMAXVAL + 1];
	int ahead, ahead_max; /* messages sent and not fetched */
	uint64_t took_ns;
	bool serving;
	long event;
} run;

static char *new_number(long who, long n)
{
	char *p = tpalloc("STRING", NULL, 600);

	assert_non_null(p);
	snprintf(p, 600, "%ld %ld", who, n);
	if (n % 7 == 3) /* in a block */
		memset(p + strlen(p), ' ', 550 - strlen(p)), p[550] = '\0';
	return p;
}

static void check(const char *p, long who, long n)
{
	long a = -1, b = -1;

	sscanf(p, "%ld %ld", &a, &b);
	if (a == who && b == n)
		run.good++;
	else
		run.wrong++;
}

static void send_stream(int cd, long who, long flags)
{
	long i, event = 0;
	char *p;

	for (i = 0; i < N; i++) {
		p = new_number(who, i);
		if (tpsend(cd, p, 0, i == N - 1 ? flags : 0, &event) == -1)
			run.errors[tperrno]++;
		if (++run.ahead > run.ahead_max)
			run.ahead_max = run.ahead;
		tpfree(p);
	}
}

/* The event with which the stream ends. */
static long receive_stream(int cd, long who, char **data)
{
	long len = 0, event = 0, i;

	for (i = 0;; i++) {
		if (tprecv(cd, data, &len, 0, &event) == -1 &&
		    event != TPEV_SENDONLY)
			return event;
		run.ahead--;
		check(*data, who, i);
		if (event != 0)
			return event;
		if (world_random(8) == 0)
			world_sleep(world_random(3) * MS);
	}
}

/* ---- services ---- */

/* Gets a stream, sends one, and returns the name that it was called with. */
static void CHAT(TPSVCINFO *info)
{
	long who = atol(info->data), event;
	char *p = tpalloc("STRING", NULL, 100);

	if (info->cd != 0 || (info->flags & TPCONV) == 0)
		run.wrong++;
	event = receive_stream(info->cd, who, &p);
	if (event == TPEV_SENDONLY)
		send_stream(info->cd, who, 0);
	else
		run.event = event;
	tpfree(p);
	tpreturn(TPSUCCESS, who, info->data, 0, 0);
}

static void SLEEPY(TPSVCINFO *info)
{
	char *p = NULL;
	long len = 0, event = 0;

	run.serving = true;
	world_sleep(5 * OW_NS_PER_SEC);
	while (tprecv(info->cd, &p, &len, 0, &event) == 0)
		run.ahead--;
	run.event = event;
	tpreturn(TPSUCCESS, 0, NULL, 0, 0);
}

static int init_all(int argc, char **argv)
{
	(void)argc, (void)argv;
	return tpadvertise("CHAT", CHAT) | tpadvertise("SLEEPY", SLEEPY) |
	       tpadvertise("STOP", SIM_STOP);
}

/* ---- clients ---- */

static void end_client(void)
{
	char *p;
	int i;

	if (--run.clients_left == 0)
		for (i = 0; i < run.n_servers; i++) {
			if (world_was_killed(run.server[i].actor))
				continue;
			p = new_number(0, 0);
			if (tpacall("STOP", p, 0, TPNOREPLY) == -1)
				abort();
			tpfree(p);
		}
	tpterm();
}

static void chat(void *arg)
{
	long who = (long)arg, round, event;
	char *p;
	int cd;

	sim_await(run.server, run.n_servers);
	for (round = 0; round < 3; round++) {
		p = new_number(who * 10 + round, 0);
		cd = tpconnect("CHAT", p, 0, TPSENDONLY);
		if (cd != 0)
			run.errors[tperrno]++;
		send_stream(cd, who * 10 + round, TPRECVONLY);
		event = receive_stream(cd, who * 10 + round, &p);
		if (event != TPEV_SVCSUCC || tpurcode != who * 10 + round)
			run.wrong++;
		tpfree(p);
	}
	end_client();
}

static void begin(uint64_t seed, int servers)
{
	int i;

	memset(&run, 0, sizeof(run));
	world_begin(seed);
	run.n_servers = servers;
	for (i = 0; i < servers; i++)
		sim_server(&run.server[i], (uint32_t)i + 1, init_all);
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
	uint32_t i;

	world_run();
	for (i = 0; i < dom->tables->head->clt_high; i++)
		assert_int_equal(dom->tables->clt[i].gen & 1, 0);
	ow_blocks_usage(dom->blocks, &n, &bytes);
	assert_int_equal(n, 0);
}

#define FOR_SEEDS(seed)                                                     \
	for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++)

/* ---- facts ---- */

static void each_end_gets_its_own_messages_once_and_in_order(void **state)
{
	int most = 0;

	FOR_SEEDS(seed)
	{
		begin(seed, 2);
		add_client(chat, (void *)1L);
		add_client(chat, (void *)2L);
		add_client(chat, (void *)3L);
		end_run();
		assert_int_equal(run.wrong, 0);
		assert_int_equal(run.good, 3 * 3 * 2 * N);
		if (run.ahead_max > most)
			most = run.ahead_max;
	}
	assert_true(most > 8); /* messages wait for each other at times */
}

static void send_to_a_sleeper(void *arg)
{
	uint64_t t0;
	long event = 0;
	char *p = new_number(1, 1);
	int cd;

	(void)arg;
	sim_await(run.server, run.n_servers);
	tptoutset(2);
	cd = tpconnect("SLEEPY", p, 0, TPSENDONLY);
	t0 = world_now();
	while (tpsend(cd, p, 0, 0, &event) == 0)
		run.ahead++;
	run.errors[tperrno]++;
	run.took_ns = world_now() - t0;
	if (tpsend(cd, p, 0, TPNOBLOCK, &event) == -1)
		run.errors[tperrno]++;
	tptoutset(60);
	if (tpsend(cd, p, 0, 0, &event) == 0) /* when it wakes up */
		run.ahead++;
	tpdiscon(cd);
	tpfree(p);
	end_client();
}

static void a_sender_waits_for_room_until_its_deadline_and_goes_on(void **st)
{
	FOR_SEEDS(seed)
	{
		begin(seed, 1);
		add_client(send_to_a_sleeper, NULL);
		end_run();
		assert_int_equal(run.errors[TPETIME], 1);
		assert_int_equal(run.errors[TPEBLOCK], 1);
		assert_in_range(run.took_ns, 2 * OW_NS_PER_SEC,
				2 * OW_NS_PER_SEC + MS);
		assert_int_equal(run.event, TPEV_DISCONIMM);
		assert_int_equal(run.ahead, 0);
	}
}

static void wait_for_a_sleeper(void *arg)
{
	long len = 0, event = 0;
	char *p = new_number(1, 1);
	int cd;

	(void)arg;
	sim_await(run.server, run.n_servers);
	cd = tpconnect("SLEEPY", p, 0, TPRECVONLY);
	if (tprecv(cd, &p, &len, 0, &event) == -1)
		run.errors[tperrno]++;
	run.event = event;
	if (tprecv(cd, &p, &len, 0, &event) == -1)
		run.errors[tperrno]++;
	tpfree(p);
	end_client();
}

static bool is_serving(void *arg)
{
	(void)arg;
	return run.serving;
}

static void kill_the_sleeper(void *arg)
{
	(void)arg;
	world_wait(is_serving, NULL, WORLD_FOREVER);
	world_sleep(world_random(50) * MS);
	sim_kill(&run.server[0]);
	run.took_ns = world_now();
}

/* A killed server's context is in this process, which lives: no reaper takes
 * it. */
static void clear_slots(void)
{
	struct ow_queue *q = NULL;
	uint32_t i;

	for (i = 0; i < dom->tables->head->clt_high; i++) {
		if ((dom->tables->clt[i].gen & 1) == 0)
			continue;
		ow_queue_open(dom, ow_mailbox(i), &q);
		ow_clt_close(dom->tables, i, dom->tables->clt[i].gen);
		ow_reap_discard(dom, q);
		ow_queue_close(q);
		ow_clt_free(dom->tables, i);
	}
}

static void a_killed_server_is_news_at_once_and_the_descriptor_is_free(void **s)
{
	FOR_SEEDS(seed)
	{
		begin(seed, 1);
		add_client(wait_for_a_sleeper, NULL);
		world_add(kill_the_sleeper, NULL);
		world_run();
		assert_int_equal(run.event, TPEV_SVCERR);
		assert_int_equal(run.errors[TPEEVENT], 1);
		assert_int_equal(run.errors[TPEINVAL], 1);
		assert_in_range(world_now() - run.took_ns, 0, 100 * MS);
		clear_slots();
	}
}

/* Both send without asking: neither queue nor window blocks them for ever. */
static void conv_at_once(void *arg)
{
	long event = 0;
	char *p = new_number(5, 0);
	int cd, i;

	(void)arg;
	sim_await(run.server, run.n_servers);
	cd = tpconnect("BOTH", p, 0, 0);
	for (i = 0; i < 30; i++)
		if (tpsend(cd, p, 0, 0, &event) == -1)
			run.errors[tperrno]++;
	while (event != TPEV_SVCSUCC) {
		long len = 0;

		if (tprecv(cd, &p, &len, 0, &event) == 0)
			run.good++;
		else if (event != TPEV_SVCSUCC)
			break;
	}
	tpfree(p);
	end_client();
}

static void BOTH(TPSVCINFO *info)
{
	long len = 0, event = 0;
	char *p = NULL;
	int i;

	for (i = 0; i < 30; i++)
		if (tpsend(info->cd, info->data, 0, 0, &event) == -1)
			run.errors[tperrno]++;
	for (i = 0; i < 30; i++)
		if (tprecv(info->cd, &p, &len, 0, &event) == 0)
			run.good++;
	tpreturn(TPSUCCESS, 0, NULL, 0, 0);
}

static int init_both(int argc, char **argv)
{
	(void)argc, (void)argv;
	return tpadvertise("BOTH", BOTH) | tpadvertise("STOP", SIM_STOP);
}

static void two_that_send_at_each_other_both_get_everything(void **state)
{
	FOR_SEEDS(seed)
	{
		begin(seed, 0);
		run.n_servers = 1;
		sim_server(&run.server[0], 1, init_both);
		add_client(conv_at_once, NULL);
		end_run();
		assert_int_equal(run.good, 60);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    each_end_gets_its_own_messages_once_and_in_order),
		cmocka_unit_test(
		    a_sender_waits_for_room_until_its_deadline_and_goes_on),
		cmocka_unit_test(
		    a_killed_server_is_news_at_once_and_the_descriptor_is_free),
		cmocka_unit_test(
		    two_that_send_at_each_other_both_get_everything),
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
