/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.h - the gates for HTTP of a domain and their routes, as operators see them
 *
 * Each gate writes run/http.SRVID once a second, as a whole, and removes it when it
 * stops in order (servers/httpgate/internal/ops/figures.go). Columns are separated by
 * tabs; "-" is an empty one:
 *
 *	gate  1 (version)  PID  START (ticks since boot)  WRITTEN (wall clock, ms)
 *	      END OF THE CERTIFICATE (s, 0: none)  NAME  ADDRESS (-: it does not listen)
 *	route METHOD  PATH  KIND  TARGET  IN FORCE (0 1)  IN FLIGHT  REQUESTS
 *	      REQUESTS A SECOND (in 1000ths)  P50  P99 (us; both of the last 10 to 20 s)
 *	      4xx  5xx  SHED  NOT DONE  UNKNOWN
 *	ended METHOD  STATUS  SUM (us)  one column for each bucket (domain/buckets.h)
 *
 * Lines "ended" belong to the path of the route before them, whatever its method. Counters grow while the gate lives;
 * routes that a reload took away keep theirs. The requests that no route took are
 * those of the route of KIND none.
 */
#ifndef OW_HTTP_OBSERVED_H
#define OW_HTTP_OBSERVED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libatmi/domain/buckets.h"

struct ow_domain;

#define OW_HTTP_SOON_S (14 * 86400) /* a certificate ends soon */

enum ow_http_state {
	OW_HTTP_UP,
	OW_HTTP_OLD,  /* it lives, and has not written for a while: it hangs */
	OW_HTTP_DEAD, /* it did not stop in order */
};

struct ow_http_gate {
	long srvid;
	pid_t pid;
	enum ow_http_state state;
	uint64_t age_us;   /* of the figures */
	int64_t expires_s; /* wall clock; 0: it has no certificate */
	const char *name, *address; /* "" */
};

struct ow_http_route {
	const char *method, *path;
	/* service conversation queue events static transactions echo none;
	 * removed: by a reload */
	const char *kind;
	const char *target; /* of a service, a queue: its name */
	bool in_force;
	uint64_t in_flight, requests;
	uint64_t rate_milli;	 /* requests in 1,000 s */
	uint64_t p50_us, p99_us; /* 0: there were no requests lately */
	uint64_t refused;	 /* 4xx without 429 */
	uint64_t broken;	 /* 5xx without 503 */
	uint64_t shed;		 /* 429, 503 */
	/* what became of the work of those that failed, where it is said */
	uint64_t not_done, unknown;
};

/* Requests of a method that were answered with a status; 0: of statuses beyond the
 * first ones. */
struct ow_http_ended {
	const char *method;
	unsigned int status;
	uint64_t sum_us, hist[OW_HIST_BUCKETS];
};

/* Who looks: functions that are NULL are not called. Texts are valid during the
 * call, and printable. */
struct ow_http_look {
	void (*gate)(const struct ow_http_gate *g, void *arg);
	void (*route)(const struct ow_http_gate *g,
		      const struct ow_http_route *r, void *arg);
	void (*ended)(const struct ow_http_gate *g,
		      const struct ow_http_route *r,
		      const struct ow_http_ended *e, void *arg);
};

/* Each gate, followed by its routes; none where the domain has no folder. */
void ow_http_each(const struct ow_domain *d, const struct ow_http_look *look,
		  void *arg);

/* up, old, dead */
const char *ow_http_state_name(enum ow_http_state state);

#endif
