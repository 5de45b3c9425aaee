/* SPDX-License-Identifier: Apache-2.0 */
/* test_recorder.c - a day of 250 servers and 100 services fits the file */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/events.h"
#include "libndrx/blackbox/changes.h"
#include "libndrx/blackbox/file.h"
#include "libndrx/blackbox/player.h"
#include "libndrx/blackbox/recorder.h"
#include "libndrx/model/sample.h"

#define SERVERS	 250u
#define SERVICES 100u
#define OFFERS	 500u /* two services of each server */
#define CLIENTS	 100u
#define DAY	 86400.0

static struct ow_seen_service services[SERVICES];
static struct ow_seen_server servers[SERVERS];
static struct ow_seen_offer offers[OFFERS];
static struct ow_seen_client clients[CLIENTS];
static struct ow_sample sample;
static char path[64];

static uint32_t upto(uint32_t n)
{
	return (uint32_t)rand() % n;
}

static void begin(void)
{
	uint32_t i;

	srand(3);
	sample = (struct ow_sample){ .services = services,
				     .n_services = SERVICES,
				     .servers = servers,
				     .n_servers = SERVERS,
				     .offers = offers,
				     .n_offers = OFFERS,
				     .clients = clients,
				     .n_clients = CLIENTS,
				     .domain = true };
	for (i = 0; i < SERVICES; i++) {
		services[i].index = i * 7;
		snprintf(services[i].name, 32, "SERVICE%u", i);
	}
	for (i = 0; i < SERVERS; i++) {
		servers[i].srvid = i + 1;
		servers[i].pid = (int32_t)(1000 + i);
		servers[i].start = 5000 + i;
		servers[i].alive = true;
		snprintf(servers[i].bin, 64, "banksv%u", i / 25);
	}
	for (i = 0; i < OFFERS; i++) {
		offers[i].srvid = i / 2 + 1;
		offers[i].row = i % 2;
		offers[i].svc = i % SERVICES * 7;
		snprintf(offers[i].func, 32, "SERVICE%u", i % SERVICES);
	}
	for (i = 0; i < CLIENTS; i++) {
		clients[i].slot = i;
		clients[i].gen = 1;
		clients[i].pid = (int32_t)(9000 + i);
		snprintf(clients[i].cltid, 96, "clt,teller,%u,0,1", 9000 + i);
	}
}

static void serve(struct ow_seen_offer *o, uint32_t calls)
{
	uint32_t k;

	o->counts.n[OW_CNT_OK] += calls;
	o->counts.n[OW_CNT_SUM_US] += calls * (80 + upto(40));
	o->counts.n[OW_CNT_WAIT_US] += calls * (20 + upto(40));
	o->counts.n[OW_CNT_BYTES] += calls * (300 + upto(100));
	o->counts.n[OW_CNT_WAKEUPS] += upto(calls);
	for (k = 0; k < 5; k++) {
		o->counts.n[OW_CNT_HIST + 4 + k] += upto(calls / 2);
		o->counts.n[OW_CNT_WAIT_HIST + 3 + k] += upto(calls / 2);
	}
	o->front_ns = sample.now_ns - upto(1000000);
}

/* A second in which all work: 40,000 calls. */
static void work(void)
{
	uint32_t i;

	for (i = 0; i < OFFERS; i++)
		serve(&offers[i], 60 + upto(40));
	for (i = 0; i < SERVERS; i++) {
		struct ow_seen_server *s = &servers[i];

		s->requests += 140 + upto(40);
		s->wakeups += 90 + upto(40);
		s->state = upto(2) ? OW_SRV_BUSY : OW_SRV_IDLE;
		s->busy_svc = s->state == OW_SRV_BUSY
				  ? 1 + offers[2 * i + upto(2)].svc : 0;
		s->busy_since_ns = sample.now_ns - upto(1000000);
		if (upto(4) == 0) { /* processes take turns */
			s->proc.read_ns = sample.now_ns;
			s->proc.cpu_us += 8000 + upto(4000);
			s->proc.rss = (8192 + upto(64)) * 4096;
			s->proc.requests = s->requests;
		}
	}
	for (i = 0; i < SERVICES; i++)
		services[i].depth = upto(3) ? 0 : upto(12);
	for (i = 0; i < CLIENTS; i++) {
		clients[i].calls += 300 + upto(200);
		clients[i].outstanding = upto(2);
	}
}

/* Mean bytes of a record over `n` seconds. */
static double run(struct ow_bb_recorder *r, unsigned int n, void (*fn)(void))
{
	struct stat before, after;
	unsigned int i;

	assert_int_equal(stat(path, &before), 0);
	for (i = 0; i < n; i++) {
		sample.now_ns += OW_NS_PER_SEC;
		sample.real_ns += OW_NS_PER_SEC;
		if (fn != NULL)
			fn();
		assert_int_equal(ow_bb_record_sample(r, &sample), 0);
	}
	assert_int_equal(stat(path, &after), 0);
	return (double)(after.st_size - before.st_size) / n;
}

static void a_day_fits_although_all_work_all_the_time(void **state)
{
	struct ow_bb_recorder *r = NULL;
	char why[256] = "";
	double idle, busy;

	begin();
	sample.now_ns = 1000 * OW_NS_PER_SEC;
	sample.real_ns = UINT64_C(1795000000) * OW_NS_PER_SEC;
	assert_int_equal(ow_bb_recorder_open(path, OW_BB_MIB, &r, why,
					     sizeof(why)), 0);
	run(r, 1, work);
	idle = run(r, 180, NULL);
	run(r, 120, work); /* uses up what was saved */
	busy = run(r, 420, work);
	print_message("a record: %.0f bytes idle, %.0f busy: %.0f and %.0f MiB "
		      "a day\n", idle, busy, idle * DAY / (1 << 20),
		      busy * DAY / (1 << 20));
	assert_in_range((unsigned int)busy, 1000,
			(unsigned int)(OW_BB_MIB * 1048576.0 / DAY));
	assert_in_range((unsigned int)idle, 10, 1000);
	ow_bb_recorder_close(r);
}

struct seen {
	unsigned int n;
	bool good;
};

static int look(void *arg, const struct ow_sample *s)
{
	struct seen *v = arg;

	v->n++;
	v->good = s->n_servers == SERVERS && s->n_offers == OFFERS &&
		  s->n_services == SERVICES && s->n_clients == CLIENTS;
	if (v->good && s->real_ns == sample.real_ns) {
		v->good = s->servers[17].state == servers[17].state &&
			  s->services[9].depth == services[9].depth &&
			  strcmp(s->offers[3].func, "SERVICE3") == 0;
	}
	return v->good ? 0 : -1;
}

static void each_second_is_read_back(void **state)
{
	struct seen v = { 0 };
	struct ow_bb_listener l = { look, NULL, &v };
	struct ow_bb_player *p;
	struct ow_bb_file *f;

	assert_int_equal(ow_bb_open(path, &f), 0);
	p = ow_bb_player_new(f);
	assert_int_equal(ow_bb_play_from(p, 0), 0);
	assert_int_equal(ow_bb_play(p, UINT64_MAX, &l), 0);
	assert_true(v.good);
	assert_int_equal(v.n, 1 + 180 + 120 + 420);
	assert_int_equal(ow_bb_play_lost(p), 0);
	ow_bb_player_free(p);
}

static unsigned int count(const struct ow_bb_changes *l, const char *kind,
			  const char *text)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < l->n; i++)
		n += strcmp(l->list[i].kind, kind) == 0 &&
		     strncmp(l->list[i].text, text, strlen(text)) == 0;
	return n;
}

/* The clock is set back by an hour, and forward by two. */
static void a_clock_that_is_set_is_told_and_is_no_gap(void **state)
{
	struct ow_bb_recorder *r = NULL;
	struct ow_bb_changes changes;
	struct ow_bb_player *p;
	struct ow_bb_file *f;
	char why[256] = "";

	assert_int_equal(unlink(path), 0);
	begin();
	assert_int_equal(ow_bb_recorder_open(path, 2, &r, why, sizeof(why)),
			 0);
	sample.now_ns = 1000 * OW_NS_PER_SEC;
	sample.real_ns = UINT64_C(1795000000) * OW_NS_PER_SEC;
	run(r, 10, NULL);
	sample.real_ns -= 3600 * OW_NS_PER_SEC;
	run(r, 10, NULL);
	sample.real_ns += 7200 * OW_NS_PER_SEC;
	run(r, 10, NULL);
	sample.now_ns += 60 * OW_NS_PER_SEC;
	sample.real_ns += 60 * OW_NS_PER_SEC;
	run(r, 2, NULL);
	ow_bb_recorder_close(r);
	assert_int_equal(ow_bb_open(path, &f), 0);
	p = ow_bb_player_new(f);
	assert_int_equal(ow_bb_changes_find(p, 0, UINT64_MAX, &changes), 0);
	assert_int_equal(count(&changes, "clock", "the clock went back by "
					 "3600 s"), 1);
	assert_int_equal(count(&changes, "clock", "the clock went forward by "
					 "7200 s"), 1);
	assert_int_equal(count(&changes, "no record", "nothing was recorded "
					 "for 61 s"), 1);
	assert_int_equal(count(&changes, "no record", ""), 1);
	ow_bb_changes_free(&changes);
	ow_bb_player_free(p);
}

/* ---- events, and a recorder that is started again ---- */

static char heard[256];

static int pass(void *arg, const struct ow_sample *s)
{
	return 0;
}

static void hear(void *arg, const struct ow_event *e)
{
	size_t n = strlen(heard);

	snprintf(heard + n, sizeof(heard) - n, "%s ", e->who);
}

static void record_once(void)
{
	struct ow_bb_recorder *r = NULL;
	char why[256] = "";

	assert_int_equal(ow_bb_recorder_open(path, 2, &r, why, sizeof(why)), 0);
	assert_int_equal(ow_bb_record_sample(r, &sample), 0);
	ow_bb_recorder_close(r);
}

/* Of a clock that is `ahead` seconds before that of events. */
static void record(int64_t ahead)
{
	sample.now_ns = ow_clock_mono_ns();
	sample.real_ns = ow_clock_real_ns() +
			 (uint64_t)(ahead * (int64_t)OW_NS_PER_SEC);
	record_once();
}

static void happens(struct ow_events *ring, const char *who)
{
	struct ow_event e = { .kind = OW_EVENT_DIED };

	snprintf(e.who, sizeof(e.who), "%s", who);
	ow_events_add(ring, &e);
}

static const char *what_was_heard(void)
{
	struct ow_bb_listener l = { pass, hear, NULL };
	struct ow_bb_player *p;
	struct ow_bb_file *f;

	heard[0] = '\0';
	assert_int_equal(ow_bb_open(path, &f), 0);
	p = ow_bb_player_new(f);
	assert_int_equal(ow_bb_play_from(p, 0), 0);
	assert_int_equal(ow_bb_play(p, UINT64_MAX, &l), 0);
	ow_bb_player_free(p);
	return heard;
}

/* While no recorder ran the clock was set back by an hour: what came then is not
 * what the file has. The same without that. */
static void each_event_is_told_once_whatever_the_clock_was(void **state)
{
	static const int64_t ahead[] = { 3600, 0 };
	struct ow_events *ring = NULL;
	char folder[80], file[128];
	size_t i;

	snprintf(folder, sizeof(folder), "%s.d", path);
	assert_int_equal(mkdir(folder, 0700), 0);
	setenv("NDRX_SHMPATH", folder, 1);
	snprintf(file, sizeof(file), "%s/blackbox_size,shm", folder);
	assert_int_equal(mkdir(file, 0700), 0);
	strcat(file, "/events");
	for (i = 0; i < 2; i++) {
		unlink(path);
		begin();
		assert_int_equal(ow_events_open(file, true, &ring), 0);
		happens(ring, "before");
		record(ahead[i]);
		happens(ring, "after");
		record(0);
		record(0);
		ow_events_close(ring);
		assert_int_equal(unlink(file), 0);
		assert_string_equal(what_was_heard(), "before after ");
	}
	unsetenv("NDRX_SHMPATH");
	*strrchr(file, '/') = '\0';
	assert_int_equal(rmdir(file), 0);
	assert_int_equal(rmdir(folder), 0);
}

static int set_up(void **state)
{
	snprintf(path, sizeof(path), "/tmp/blackbox.size.%d", (int)getpid());
	setenv("NDRX_QPREFIX", "/blackbox_size", 1);
	return 0;
}

static int clean(void **state)
{
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_day_fits_although_all_work_all_the_time),
		cmocka_unit_test(each_second_is_read_back),
		cmocka_unit_test(a_clock_that_is_set_is_told_and_is_no_gap),
		cmocka_unit_test(each_event_is_told_once_whatever_the_clock_was),
	};

	return cmocka_run_group_tests(tests, set_up, clean);
}
