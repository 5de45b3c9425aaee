/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standby.h - do enough servers of a service compute already?
 *
 * A service that computes needs a CPU all the time. If more of its servers are
 * awake than there are CPUs, no more requests are served in a second: more are
 * held by servers that wait for a CPU. So a server that finds the CPUs taken by
 * others of its kind does not take a request: it stands by, and looks again
 * after standby_ns. (A service that waits, for a database or a network, has
 * use for every server: none stands by for it.)
 *
 * How does it find that? By what it measures about itself, not by a count of
 * servers, which the dead and the stopped would falsify:
 *
 *	late	it was woken, and had its CPU only standby_late_ns later; a CPU
 *		that is idle comes sooner
 *	held	it served, and had no CPU for standby_held_ns meanwhile, while
 *		others served
 *
 * and only if all this holds, too:
 *
 *	the service computes: somebody saw that in the last second, and nobody
 *	saw it wait
 *	its queue moves: somebody has served a request in the last 3 ms. So
 *	whoever is stopped, killed, or waits after all, keeps nobody from serving
 *	services of the domain use `standby_share` of all CPUs. Where other
 *	programs take the CPUs, fewer servers would get a smaller share
 *
 * What a server measures is in transport/standby.h.
 */
#ifndef OW_WAKING_STANDBY_H
#define OW_WAKING_STANDBY_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/waking/constants.h"

/* So long it is known that a service computes, or waits. */
#define OW_STANDBY_KNOWN_NS UINT64_C(1000000000)
/* A queue that has not moved for so long needs another server. */
#define OW_STANDBY_MOVED_NS UINT64_C(3000000)
/* Shorter services are not measured. */
#define OW_STANDBY_SHORT_NS UINT64_C(20000)
/* A thread is measured once in so long, */
#define OW_STANDBY_GAP_NS UINT64_C(1000000)
/* or, while its services take less than standby_judge_ns, in so long; */
#define OW_STANDBY_PERIOD_NS UINT64_C(4000000)
/* or, if its service waits, in so long. */
#define OW_STANDBY_SELDOM_NS UINT64_C(250000000)
/* The use of the CPUs is reckoned over so long. */
#define OW_STANDBY_USE_NS UINT64_C(10000000)

/* What a server has measured, between the last time and now. */
struct ow_stretch {
	uint64_t took_ns;  /* its last service */
	uint64_t cpu_ns;   /* CPU time that it used */
	uint64_t delay_ns; /* ready to run, but without a CPU */
};

enum ow_stretch_kind {
	OW_STRETCH_UNKNOWN,
	OW_STRETCH_COMPUTED, /* the service waited for nothing but a CPU */
	OW_STRETCH_WAITED,
};

/* The stretch is longer than the service, so what is neither CPU time nor delay
 * is the least that the service has waited. */
static inline enum ow_stretch_kind ow_stretch_kind(const struct ow_stretch *s)
{
	uint64_t known = s->cpu_ns + s->delay_ns;

	if (known + s->took_ns / 8 < s->took_ns)
		return OW_STRETCH_WAITED;
	return known <= 2 * s->took_ns ? OW_STRETCH_COMPUTED
				       : OW_STRETCH_UNKNOWN;
}

/* Is a server measured that has served, `since_ns` after the last time? */
static inline bool ow_standby_measures(const struct ow_waking *k,
				       uint64_t took_ns, uint64_t since_ns,
				       bool waits)
{
	uint64_t gap = waits ? OW_STANDBY_SELDOM_NS
		       : took_ns >= k->standby_judge_ns
			   ? OW_STANDBY_GAP_NS
			   : OW_STANDBY_PERIOD_NS;

	return took_ns >= OW_STANDBY_SHORT_NS && since_ns >= gap;
}

/* What is known of a service, and of the CPUs. */
struct ow_standby_view {
	uint64_t computed_ns; /* since a service was seen to compute */
	uint64_t waited_ns;   /* to wait */
	uint64_t moved_ns;    /* since a request was served */
	uint64_t late_ns;     /* so late this server got its CPU */
	uint32_t share; /* per mille of all CPUs, used by services */
};

/* Do enough servers work? */
static inline bool ow_standby_is_enough(const struct ow_waking *k,
					const struct ow_standby_view *v)
{
	return k->standby_ns > 0 && v->late_ns >= k->standby_late_ns &&
	       v->share >= k->standby_share &&
	       v->computed_ns < OW_STANDBY_KNOWN_NS &&
	       v->waited_ns >= OW_STANDBY_KNOWN_NS &&
	       v->moved_ns < OW_STANDBY_MOVED_NS;
}

#endif
