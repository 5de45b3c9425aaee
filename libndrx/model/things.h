/* SPDX-License-Identifier: Apache-2.0 */
/*
 * things.h - the data of the model, shared by its files
 *
 * Services, servers, offers and clients are kept in hash tables by identity,
 * with the number of the look that saw them last. What a look does not see is
 * dropped, except services: their totals go on when a server comes back.
 */
#ifndef OW_THINGS_H
#define OW_THINGS_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "libndrx/model/rows.h"
#include "libndrx/model/sample.h"
#include "libndrx/model/window.h"

struct ow_m_service {
	struct ow_service_row v;
	uint32_t index;
	bool shown;
	struct ow_counts total; /* growth since the first look */
	struct ow_counts own;	/* counters of the service itself, last look */
	struct ow_window window;
	uint64_t front_ns; /* no older request is in the queue */
	uint64_t second;   /* of the newest depth in the history */
	uint32_t offers_peak;
	struct ow_growth hits;
	/* of living servers; begun: requests whose bytes are counted */
	uint64_t calls_all, errors_all, bytes_all, begun_all;
	double switched; /* context switches of the calls in the window */
	double calls_offered, calls_busiest, calls_switched;
	UT_hash_handle hh;
};

struct ow_m_server {
	struct ow_server_row v;
	uint32_t srvid, seen;
	int32_t pid;
	uint64_t start;
	struct ow_growth requests;
	struct ow_proc proc;
	double switches; /* per request; NAN: unknown */
	UT_hash_handle hh;
};

struct ow_m_offer {
	struct ow_offer_row v;
	uint64_t id; /* srvid << 32 | row */
	uint32_t seen, svc;
	int32_t pid;
	uint64_t start;
	struct ow_counts last;
	struct ow_window window;
	UT_hash_handle hh;
};

struct ow_m_client {
	struct ow_client_row v;
	uint64_t id; /* slot << 32 | gen */
	uint32_t seen;
	struct ow_growth calls, timeouts;
	UT_hash_handle hh;
};

/* The counters of a tmsrv. */
struct ow_m_tm {
	uint32_t srvid, seen;
	struct ow_growth committed, rolled_back;
	UT_hash_handle hh;
};

struct ow_m_durable {
	struct ow_durable_row v;
	char id[24]; /* server id and name */
	uint32_t seen;
	struct ow_growth in, out, failures;
	UT_hash_handle hh;
};

struct ow_m_link {
	struct ow_link_row v;
	uint64_t id; /* srvid << 40 | node << 32 | bridge */
	uint32_t seen;
	struct ow_growth out, in, errors;
	UT_hash_handle hh;
};

struct ow_list {
	const struct ow_row **rows;
	size_t n, allocated;
};

struct ow_model {
	struct ow_overview overview;
	uint64_t span_ns;
	bool fresh; /* the first look at this domain */
	struct ow_growth spins, spin_hits, spin_ns;
	struct ow_m_service *services;
	struct ow_m_server *servers;
	struct ow_m_offer *offers;
	struct ow_m_client *clients;
	struct ow_m_tm *tms;
	struct ow_tran_row *trans;
	size_t alloc_trans;
	struct ow_m_durable *durable;
	struct ow_m_link *links;
	struct ow_list list_services, list_servers, list_offers, list_clients;
	struct ow_list list_trans, list_durable;
	struct ow_list list_links;
	struct ow_call_row *calls;
	size_t alloc_calls;
	struct ow_list list_calls;
	struct ow_route_row *routes;
	size_t alloc_routes;
	struct ow_list list_routes;
};

/* Append a row: 0 or -ENOMEM. */
int ow_list_add(struct ow_list *l, const struct ow_row *row);

struct ow_m_service *ow_model_find_service(struct ow_model *m, uint32_t index);
struct ow_m_server *ow_model_find_server(struct ow_model *m, uint32_t srvid);

/* The steps of processing a sample, in this order. 0 or -ENOMEM. */
int ow_model_take_services(struct ow_model *m, const struct ow_sample *s);
int ow_model_take_servers(struct ow_model *m, const struct ow_sample *s);
int ow_model_take_clients(struct ow_model *m, const struct ow_sample *s);
int ow_model_take_links(struct ow_model *m, const struct ow_sample *s);
int ow_model_take_offers(struct ow_model *m, const struct ow_sample *s);
void ow_model_share_offers(struct ow_model *m);
int ow_model_sum_services(struct ow_model *m, const struct ow_sample *s);
int ow_model_take_trans(struct ow_model *m, const struct ow_sample *s);
int ow_model_take_durable(struct ow_model *m, const struct ow_sample *s);
int ow_model_take_routes(struct ow_model *m, const struct ow_sample *s);
int ow_model_take_calls(struct ow_model *m, const struct ow_sample *s);

void ow_model_free_services(struct ow_model *m);
void ow_model_free_servers(struct ow_model *m);
void ow_model_free_offers(struct ow_model *m);
void ow_model_free_clients(struct ow_model *m);
void ow_model_free_trans(struct ow_model *m);
void ow_model_free_durable(struct ow_model *m);
void ow_model_free_links(struct ow_model *m);
void ow_model_free_routes(struct ow_model *m);
void ow_model_free_calls(struct ow_model *m);

#endif
