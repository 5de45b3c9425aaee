/* SPDX-License-Identifier: Apache-2.0 */
/*
 * families.c - the figures of a domain as families of OpenMetrics
 */
#include "clients/ndrxmetrics/families.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ndrx_config.h>

#include "libatmi/clock.h"
#include "libatmi/ctl.h"
#include "libatmi/queue.h"

/* Buckets told: 16 us to 67 s. Those below and above are in the next. */
#define BUCKET_FIRST 3u
#define BUCKET_LAST  25u

struct family;
typedef void write_fn(const struct ow_figures *f, const struct family *fam,
		      struct ow_text *t);

struct family {
	const char *name, *type, *unit, *help;
	write_fn *write;
	size_t off; /* of the word, for writers of one word */
};

static double seconds(uint64_t us)
{
	return (double)us / 1e6;
}

static const char *suffix_of(const struct family *fam)
{
	return strcmp(fam->type, "counter") == 0 ? "_total" : "";
}

static void one_uint(const struct family *fam, struct ow_text *t,
		     const struct ow_text_label *labels, uint64_t value)
{
	const char *const name[2] = { fam->name, suffix_of(fam) };

	ow_text_uint(t, name, labels, value);
}

static void one_real(const struct family *fam, struct ow_text *t,
		     const struct ow_text_label *labels, double value)
{
	const char *const name[2] = { fam->name, suffix_of(fam) };

	ow_text_real(t, name, labels, value);
}

/* ---- the domain ---- */

static void write_info(const struct ow_figures *f, const struct family *fam,
		       struct ow_text *t)
{
	const char *const name[2] = { fam->name, "_info" };
	struct ow_text_label labels[] = { { "domain", f->view.d.prefix },
					  { "version", NDRX_VERSION },
					  { NULL, NULL } };

	ow_text_uint(t, name, labels, 1);
}

static void write_up(const struct ow_figures *f, const struct family *fam,
		     struct ow_text *t)
{
	one_uint(fam, t, NULL, f->up);
}

static void write_ndrxd(const struct ow_figures *f, const struct family *fam,
			struct ow_text *t)
{
	one_uint(fam, t, NULL, ow_view_ndrxd(&f->view) > 0);
}

static void write_events(const struct ow_figures *f, const struct family *fam,
			 struct ow_text *t)
{
	for (uint32_t k = OW_EVENT_NONE + 1; k < OW_EVENT_KIND_END; k++) {
		struct ow_text_label labels[] = {
			{ "kind", ow_event_word(k) }, { NULL, NULL }
		};

		one_uint(fam, t, labels,
			 f->events == NULL ? 0 : ow_events_count(f->events, k));
	}
}

/* A word of the tables' head. */
static void write_head(const struct ow_figures *f, const struct family *fam,
		       struct ow_text *t)
{
	const char *head = (const char *)f->view.d.tables->head;

	one_uint(fam, t, NULL,
		 atomic_load((const _Atomic uint64_t *)(head + fam->off)));
}

static void write_mq_limit(const struct ow_figures *f,
			   const struct family *fam, struct ow_text *t)
{
	if (f->view.d.mq_limit != 0)
		one_uint(fam, t, NULL, f->view.d.mq_limit);
}

static void write_clients(const struct ow_figures *f,
			  const struct family *fam, struct ow_text *t)
{
	const char *c = (const char *)ow_totals_clients(f->totals);

	one_uint(fam, t, NULL, *(const uint64_t *)(c + fam->off));
}

static void write_health(const struct ow_figures *f, const struct family *fam,
			 struct ow_text *t)
{
	for (int i = 0; i < f->nhealth; i++) {
		struct ow_text_label labels[] = {
			{ "what", f->health[i].what }, { NULL, NULL }
		};

		one_uint(fam, t, labels, f->health[i].grade);
	}
}

/* ---- services ---- */

/* A service that exists. */
struct service {
	const struct ow_svc *svc;
	const struct ow_total *total;
	char name[OW_SVC_NAME];
	struct ow_text_label labels[3]; /* the second is free */
};

/* The next service from *i on; false: no more. */
static bool next_service(const struct ow_figures *f, uint32_t *i,
			 struct service *s)
{
	const struct ow_svc *first = f->view.d.tables->svc;

	memset(s, 0, sizeof(*s));
	for (; *i < ow_view_services(&f->view); (*i)++) {
		s->svc = ow_view_service(&f->view, *i, s->name);
		if (s->svc == NULL)
			continue;
		s->total = ow_totals_service(f->totals,
					     (uint32_t)(s->svc - first));
		s->labels[0].name = "service";
		s->labels[0].value = s->name;
		(*i)++;
		return true;
	}
	return false;
}

#define EACH_SERVICE(f, s) \
	for (uint32_t i_ = 0; next_service(f, &i_, &(s));)

static void write_calls(const struct ow_figures *f, const struct family *fam,
			struct ow_text *t)
{
	struct service s;

	EACH_SERVICE(f, s) {
		s.labels[1].name = "result";
		s.labels[1].value = "ok";
		one_uint(fam, t, s.labels, s.total->ok);
		s.labels[1].value = "fail";
		one_uint(fam, t, s.labels, s.total->fail);
	}
}

/* A word of struct ow_total. */
static void write_total(const struct ow_figures *f, const struct family *fam,
			struct ow_text *t)
{
	struct service s;

	EACH_SERVICE(f, s)
		one_uint(fam, t, s.labels,
			 *(const uint64_t *)((const char *)s.total +
					     fam->off));
}

/* Words of struct ow_svc. */
static void write_svc64(const struct ow_figures *f, const struct family *fam,
			struct ow_text *t)
{
	struct service s;

	EACH_SERVICE(f, s)
		one_uint(fam, t, s.labels,
			 atomic_load((const _Atomic uint64_t *)
				     ((const char *)s.svc + fam->off)));
}

static void write_svc32(const struct ow_figures *f, const struct family *fam,
			struct ow_text *t)
{
	struct service s;

	EACH_SERVICE(f, s)
		one_uint(fam, t, s.labels,
			 atomic_load((const _Atomic uint32_t *)
				     ((const char *)s.svc + fam->off)));
}

static void write_busy(const struct ow_figures *f, const struct family *fam,
		       struct ow_text *t)
{
	struct service s;

	EACH_SERVICE(f, s)
		one_uint(fam, t, s.labels, s.total->busy);
}

/* Requests waiting; 0 without a queue. */
static uint32_t depth_of(const struct ow_figures *f, const struct service *s)
{
	struct ow_domain d = f->view.d;
	char queue[64];
	uint32_t depth = 0;

	snprintf(queue, sizeof(queue), "svc,%s", s->name);
	return ow_queue_peek(&d, queue, &depth) == 0 ? depth : 0;
}

static void write_depth(const struct ow_figures *f, const struct family *fam,
			struct ow_text *t)
{
	struct service s;

	EACH_SERVICE(f, s)
		one_uint(fam, t, s.labels, depth_of(f, &s));
}

static void write_oldest(const struct ow_figures *f, const struct family *fam,
			 struct ow_text *t)
{
	struct service s;

	EACH_SERVICE(f, s) {
		uint64_t now = ow_clock_mono_ns(), age = 0;

		if (depth_of(f, &s) > 0 && s.total->front_ns != 0 &&
		    now > s.total->front_ns)
			age = (now - s.total->front_ns) / OW_NS_PER_US;
		one_real(fam, t, s.labels, seconds(age));
	}
}

static void write_buckets(const struct family *fam, struct ow_text *t,
			  struct service *s, const uint64_t *hist)
{
	const char *const name[2] = { fam->name, "_bucket" };
	const char *const count[2] = { fam->name, "_count" };
	uint64_t sum = 0;
	char le[32];

	s->labels[1] = (struct ow_text_label){ "le", le };
	for (unsigned int b = 0; b < OW_HIST_BUCKETS; b++) {
		sum += hist[b];
		if (b < BUCKET_FIRST || b > BUCKET_LAST)
			continue;
		snprintf(le, sizeof(le), "%.9g", seconds(ow_bucket_to(b)));
		ow_text_uint(t, name, s->labels, sum);
	}
	snprintf(le, sizeof(le), "+Inf");
	ow_text_uint(t, name, s->labels, sum);
	s->labels[1].name = NULL;
	ow_text_uint(t, count, s->labels, sum);
}

static void write_histogram(const struct ow_figures *f,
			    const struct family *fam, struct ow_text *t)
{
	const char *const name[2] = { fam->name, "_sum" };
	struct service s;

	EACH_SERVICE(f, s) {
		bool wait = fam->off == offsetof(struct ow_total, wait_hist);

		write_buckets(fam, t, &s,
			      wait ? s.total->wait_hist : s.total->hist);
		ow_text_real(t, name, s.labels,
			     seconds(wait ? s.total->wait_sum_us
					  : s.total->sum_us));
	}
}

/* ---- servers ---- */

struct server {
	const struct ow_srv *srv;
	uint32_t id;
	bool alive;
	char number[16], program[64];
	struct ow_text_label labels[4]; /* the third is free */
};

/* The next server from *id on that has a name; false: no more. */
static bool next_server(const struct ow_figures *f, uint32_t *id,
			struct server *s)
{
	const struct ow_tables *tab = f->view.d.tables;

	memset(s, 0, sizeof(*s));
	do {
		*id = ow_srv_next(tab, *id + 1);
		if (*id == 0)
			return false;
		ow_view_bin(&f->view, *id, s->program);
	} while (s->program[0] == '\0');
	s->id = *id;
	s->srv = &tab->srv[*id];
	s->alive = ow_srv_alive(tab, *id);
	snprintf(s->number, sizeof(s->number), "%" PRIu32, *id);
	s->labels[0] = (struct ow_text_label){ "srvid", s->number };
	s->labels[1] = (struct ow_text_label){ "program", s->program };
	return true;
}

#define EACH_SERVER(f, s) \
	for (uint32_t i_ = 0; next_server(f, &i_, &(s));)

static void write_alive(const struct ow_figures *f, const struct family *fam,
			struct ow_text *t)
{
	struct server s;

	EACH_SERVER(f, s)
		one_uint(fam, t, s.labels, s.alive);
}

/* Words of struct ow_srv. */
static void write_srv64(const struct ow_figures *f, const struct family *fam,
			struct ow_text *t)
{
	struct server s;

	EACH_SERVER(f, s)
		one_uint(fam, t, s.labels,
			 atomic_load((const _Atomic uint64_t *)
				     ((const char *)s.srv + fam->off)));
}

/* One that was given up is wanted as much as one that will be tried again. */
static bool wanted(const struct server *s)
{
	uint32_t state = atomic_load(&s->srv->ctl_state);

	return s->alive || (state != OW_PROC_NOT_STARTED &&
			    state != OW_PROC_EXITED &&
			    state != OW_PROC_WAITING);
}

static void write_wanted(const struct ow_figures *f, const struct family *fam,
			 struct ow_text *t)
{
	struct server s;

	EACH_SERVER(f, s)
		one_uint(fam, t, s.labels, wanted(&s));
}

static void write_restarts(const struct ow_figures *f,
			   const struct family *fam, struct ow_text *t)
{
	struct server s;

	EACH_SERVER(f, s)
		one_uint(fam, t, s.labels, atomic_load(&s.srv->ctl_restarts));
}

/* Calls of one process, good and bad, over its services. */
static void write_srv_calls(const struct ow_figures *f,
			    const struct family *fam, struct ow_text *t)
{
	struct server s;

	EACH_SERVER(f, s) {
		uint64_t ok = 0, fail = 0;

		for (uint32_t r = 0; r < ow_view_rows(&f->view, s.id); r++) {
			ok += f->view.d.tables->adv[s.id][r].ok;
			fail += f->view.d.tables->adv[s.id][r].fail;
		}
		s.labels[2] = (struct ow_text_label){ "result", "ok" };
		one_uint(fam, t, s.labels, ok);
		s.labels[2].value = "fail";
		one_uint(fam, t, s.labels, fail);
	}
}

static void write_age(const struct ow_figures *f, const struct family *fam,
		      struct ow_text *t)
{
	struct server s;

	EACH_SERVER(f, s) {
		uint64_t since = atomic_load(&s.srv->cur_since), age = 0;
		uint64_t now = ow_clock_mono_ns();

		if (s.alive && atomic_load(&s.srv->cur_adv) != 0 &&
		    now > since)
			age = (now - since) / OW_NS_PER_US;
		one_real(fam, t, s.labels, seconds(age));
	}
}

/* ---- the table ---- */

#define COUNTER "counter"
#define GAUGE	"gauge"
#define AT(type, word) offsetof(struct type, word)

static const struct family families[] = {
	{ "onewake_up", GAUGE, NULL, "1: the domain exists.", write_up, 0 },
	/* From here on: only when it exists. */
	{ "onewake_build", "info", NULL, "Domain and version.", write_info, 0 },
	{ "onewake_ndrxd_up", GAUGE, NULL, "1: the supervisor runs.",
	  write_ndrxd, 0 },
	{ "onewake_ndrxd_events", COUNTER, NULL,
	  "What the supervisor did, by kind; see events in ndrxtop.",
	  write_events, 0 },
	{ "onewake_queue_memory_bytes", GAUGE, "bytes",
	  "What the queues of the domain take of RLIMIT_MSGQUEUE.", write_head,
	  AT(ow_tables_head, mq_bytes) },
	{ "onewake_queue_memory_limit_bytes", GAUGE, "bytes",
	  "RLIMIT_MSGQUEUE; absent: none.", write_mq_limit, 0 },
	{ "onewake_malformed_replies", COUNTER, NULL,
	  "Replies dropped because they were none.", write_head,
	  AT(ow_tables_head, garbage) },
	{ "onewake_client_contexts", GAUGE, NULL,
	  "Contexts that call: threads of clients, and servers that call on.",
	  write_clients, AT(ow_totals_clients, contexts) },
	{ "onewake_client_calls", COUNTER, NULL, "Calls made.", write_clients,
	  AT(ow_totals_clients, calls) },
	{ "onewake_client_timeouts", COUNTER, NULL,
	  "Calls without a reply in time.", write_clients,
	  AT(ow_totals_clients, timeouts) },
	{ "onewake_client_late_replies", COUNTER, NULL,
	  "Replies that nobody waited for any more.", write_clients,
	  AT(ow_totals_clients, late) },
	{ "onewake_client_outstanding", GAUGE, NULL,
	  "Calls whose reply is awaited now.", write_clients,
	  AT(ow_totals_clients, outstanding) },
	{ "onewake_doctor_grade", GAUGE, NULL,
	  "What xadmin doctor finds: 0 ok, 1 warning, 2 failure.",
	  write_health, 0 },

	{ "onewake_service_calls", COUNTER, NULL,
	  "Requests served, by result.", write_calls, 0 },
	{ "onewake_service_time_seconds", "histogram", "seconds",
	  "Time in the service function.", write_histogram,
	  AT(ow_total, hist) },
	{ "onewake_service_wait_seconds", "histogram", "seconds",
	  "Time in the queue.", write_histogram, AT(ow_total, wait_hist) },
	{ "onewake_service_payload_bytes", COUNTER, "bytes",
	  "Payload of the requests served.", write_total,
	  AT(ow_total, bytes) },
	{ "onewake_service_wakeups", COUNTER, NULL,
	  "Times a server was woken for the queue.", write_total,
	  AT(ow_total, wakeups) },
	{ "onewake_service_vain_wakeups", COUNTER, NULL,
	  "Of these: and found nothing in it.", write_total,
	  AT(ow_total, vain) },
	{ "onewake_service_expired", COUNTER, NULL,
	  "Requests dropped unserved, past their deadline.", write_svc64,
	  AT(ow_svc, expired) },
	{ "onewake_service_queue_full", COUNTER, NULL,
	  "Sends that found the queue full.", write_svc64, AT(ow_svc, full) },
	{ "onewake_service_abandoned", COUNTER, NULL,
	  "Requests answered TPESVCERR because their server had gone.",
	  write_svc64, AT(ow_svc, failed) },
	{ "onewake_service_queue_depth", GAUGE, NULL,
	  "Requests waiting now.", write_depth, 0 },
	{ "onewake_service_oldest_request_seconds", GAUGE, "seconds",
	  "How long the oldest waiting request has been waiting, at most.",
	  write_oldest, 0 },
	{ "onewake_service_servers", GAUGE, NULL,
	  "Servers that offer it now.", write_svc32, AT(ow_svc, nsrv) },
	{ "onewake_service_busy_servers", GAUGE, NULL,
	  "Servers that work on a request of it now.", write_busy, 0 },

	{ "onewake_server_up", GAUGE, NULL, "1: its process lives.",
	  write_alive, 0 },
	{ "onewake_server_wanted", GAUGE, NULL,
	  "1: it runs, or ought to; 0: stopped by order, not needed, or its "
	  "group runs elsewhere.",
	  write_wanted, 0 },
	{ "onewake_server_calls", COUNTER, NULL,
	  "Requests that this process has served, by result.",
	  write_srv_calls, 0 },
	{ "onewake_server_requests", COUNTER, NULL,
	  "Requests that this process has taken in.", write_srv64,
	  AT(ow_srv, requests) },
	{ "onewake_server_wakeups", COUNTER, NULL,
	  "Times that this process came out of its wait.", write_srv64,
	  AT(ow_srv, wakeups) },
	{ "onewake_server_malformed_requests", COUNTER, NULL,
	  "Messages dropped because they were no requests.", write_srv64,
	  AT(ow_srv, garbage) },
	{ "onewake_server_lost_replies", COUNTER, NULL,
	  "Replies to clients that had gone.", write_srv64,
	  AT(ow_srv, lost_replies) },
	{ "onewake_server_restarts", COUNTER, NULL,
	  "Times that ndrxd has started it again.", write_restarts, 0 },
	{ "onewake_server_request_age_seconds", GAUGE, "seconds",
	  "How long the request in hand has been worked on; 0: none.",
	  write_age, 0 },
};

void ow_families_write(const struct ow_figures *f, struct ow_text *t)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		const struct family *fam = &families[i];

		if (i > 0 && !f->up)
			break;
		ow_text_family(t, fam->name, fam->type, fam->unit, fam->help);
		fam->write(f, fam, t);
	}
	ow_text_end(t);
}
