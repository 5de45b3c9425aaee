/* SPDX-License-Identifier: Apache-2.0 */
/*
 * families.c - the table of OpenMetrics families
 */
#include "clients/ndrxmetrics/families.h"

#include "clients/ndrxmetrics/family.h"

#define COUNTER OW_FAMILY_COUNTER
#define GAUGE	"gauge"
#define AT(type, word) \
	.off = offsetof(struct type, word), \
	.size = sizeof(((struct type *)NULL)->word)

static const struct ow_family families[] = {
	{ "onewake_up", GAUGE, NULL,
	  "1: the domain exists.",
	  .write = ow_family_up },
	/* The families below are written only while the domain exists. */
	{ "onewake_build", "info", NULL,
	  "Domain and version.",
	  .write = ow_family_info },
	{ "onewake_ndrxd_up", GAUGE, NULL,
	  "1: the supervisor runs.",
	  .write = ow_family_ndrxd },
	{ "onewake_ndrxd_events", COUNTER, NULL,
	  "Events of the supervisor, by kind; see events in ndrxtop.",
	  .write = ow_family_events },
	{ "onewake_queue_memory_bytes", GAUGE, "bytes",
	  "Bytes of RLIMIT_MSGQUEUE that the queues of the domain use.",
	  .write = ow_family_head, AT(ow_tables_head, mq_bytes) },
	{ "onewake_queue_memory_limit_bytes", GAUGE, "bytes",
	  "RLIMIT_MSGQUEUE; absent: no limit.",
	  .write = ow_family_mq_limit },
	{ "onewake_malformed_replies", COUNTER, NULL,
	  "Messages dropped because they were no replies.",
	  .write = ow_family_head, AT(ow_tables_head, garbage) },
	{ "onewake_client_contexts", GAUGE, NULL,
	  "Contexts that call: threads of clients, servers that call.",
	  .write = ow_family_clients, AT(ow_totals_clients, contexts) },
	{ "onewake_client_calls", COUNTER, NULL,
	  "Calls made.",
	  .write = ow_family_clients, AT(ow_totals_clients, calls) },
	{ "onewake_client_timeouts", COUNTER, NULL,
	  "Calls without a reply in time.",
	  .write = ow_family_clients, AT(ow_totals_clients, timeouts) },
	{ "onewake_client_late_replies", COUNTER, NULL,
	  "Replies that came after the caller had stopped waiting.",
	  .write = ow_family_clients, AT(ow_totals_clients, late) },
	{ "onewake_client_outstanding", GAUGE, NULL,
	  "Calls that wait for their reply now.",
	  .write = ow_family_clients, AT(ow_totals_clients, outstanding) },
	{ "onewake_doctor_grade", GAUGE, NULL,
	  "Findings of xadmin doctor: 0 ok, 1 warning, 2 failure.",
	  .write = ow_family_health },

	{ "onewake_service_calls", COUNTER, NULL,
	  "Requests served, by result.",
	  .write = ow_family_calls },
	{ "onewake_service_time_seconds", "histogram", "seconds",
	  "Time in the service function.",
	  .write = ow_family_histogram,
	  AT(ow_total, counts.n[OW_CNT_HIST]) },
	{ "onewake_service_wait_seconds", "histogram", "seconds",
	  "Time in the queue.",
	  .write = ow_family_histogram,
	  AT(ow_total, counts.n[OW_CNT_WAIT_HIST]) },
	{ "onewake_service_payload_bytes", COUNTER, "bytes",
	  "Payload of the requests served.",
	  .write = ow_family_total, AT(ow_total, counts.n[OW_CNT_BYTES]) },
	{ "onewake_service_wakeups", COUNTER, NULL,
	  "Times a server was woken for the queue.",
	  .write = ow_family_total, AT(ow_total, counts.n[OW_CNT_WAKEUPS]) },
	{ "onewake_service_vain_wakeups", COUNTER, NULL,
	  "Of these wake-ups, those that found the queue empty.",
	  .write = ow_family_total, AT(ow_total, counts.n[OW_CNT_VAIN]) },
	{ "onewake_service_expired", COUNTER, NULL,
	  "Requests dropped unserved, past their deadline.",
	  .write = ow_family_service, AT(ow_svc, expired) },
	{ "onewake_service_queue_full", COUNTER, NULL,
	  "Sends that found the queue full.",
	  .write = ow_family_service, AT(ow_svc, full) },
	{ "onewake_service_abandoned", COUNTER, NULL,
	  "Requests that got TPESVCERR because their server died.",
	  .write = ow_family_service, AT(ow_svc, failed) },
	{ "onewake_service_queue_depth", GAUGE, NULL,
	  "Requests waiting now.",
	  .write = ow_family_depth },
	{ "onewake_service_oldest_request_seconds", GAUGE, "seconds",
	  "Age of the oldest waiting request, an upper bound.",
	  .write = ow_family_oldest },
	{ "onewake_service_servers", GAUGE, NULL,
	  "Servers that offer the service now.",
	  .write = ow_family_service, AT(ow_svc, nsrv) },
	{ "onewake_service_busy_servers", GAUGE, NULL,
	  "Servers that are serving a request of the service now.",
	  .write = ow_family_total, AT(ow_total, busy) },

	{ "onewake_server_up", GAUGE, NULL,
	  "1: the process of the server lives.",
	  .write = ow_family_alive },
	{ "onewake_server_wanted", GAUGE, NULL,
	  "1: the server runs or should run; 0: stopped by an order, not "
	  "needed, or its group runs on another node.",
	  .write = ow_family_wanted },
	{ "onewake_server_calls", COUNTER, NULL,
	  "Requests that this process has served, by result.",
	  .write = ow_family_server_calls },
	{ "onewake_server_requests", COUNTER, NULL,
	  "Requests that this process has received.",
	  .write = ow_family_server, AT(ow_srv, requests) },
	{ "onewake_server_wakeups", COUNTER, NULL,
	  "Times that this process was woken.",
	  .write = ow_family_server, AT(ow_srv, wakeups) },
	{ "onewake_server_malformed_requests", COUNTER, NULL,
	  "Messages dropped because they were no requests.",
	  .write = ow_family_server, AT(ow_srv, garbage) },
	{ "onewake_server_lost_replies", COUNTER, NULL,
	  "Replies to clients that had ended.",
	  .write = ow_family_server, AT(ow_srv, lost_replies) },
	{ "onewake_server_restarts", COUNTER, NULL,
	  "Times that ndrxd has restarted the server.",
	  .write = ow_family_server, AT(ow_srv, ctl_restarts) },
	{ "onewake_server_request_age_seconds", GAUGE, "seconds",
	  "Age of the request being served; 0: none.",
	  .write = ow_family_age },
};

void ow_families_write(const struct ow_figures *f, struct ow_text *t)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		const struct ow_family *fam = &families[i];

		if (i > 0 && !f->up)
			break;
		ow_text_family(t, fam->name, fam->type, fam->unit, fam->help);
		fam->write(f, fam, t);
	}
	ow_text_end(t);
}
