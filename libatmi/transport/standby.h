/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standby.h - what servers measure, to know whether more of them are of use
 *
 * libatmi/waking/standby.h says what is decided by it. A server that has served
 * notes in its service when that was. Now and then it asks the kernel for its
 * CPU time, and for the time in which it was ready and had no CPU (the second
 * number of /proc/thread-self/schedstat; a kernel without it has no servers
 * that stand by). By these it notes in the service whether it computes or
 * waits, and adds its CPU time to what services of the domain use.
 *
 * All these words are hints, each written whole. A killed or stopped process
 * leaves the time at which it did something, which grows old by itself: after 3
 * ms its queue counts as standing still, after a second nothing is known of its
 * service, after 80 ms no CPU counts as used. Two that write at once lose one
 * of the writes.
 *
 * A struct ow_standby belongs to one thread.
 */
#ifndef OW_STANDBY_H
#define OW_STANDBY_H

#include <stdbool.h>
#include <stdint.h>

struct ow_domain;
struct ow_svc;

struct ow_standby {
	struct ow_domain *dom;
	uint64_t at_ns, cpu_ns, delay_ns; /* when it was measured last */
};

void ow_standby_init(struct ow_standby *s, struct ow_domain *d);
/* The server has served a request of the service, from `since_ns` on, in
 * `took_ns`. True: it had no CPU for long, while others served, and they are
 * enough. */
bool ow_standby_served(struct ow_standby *s, struct ow_svc *svc,
		       uint64_t since_ns, uint64_t took_ns);
/* The server comes `late_ns` after it was to come: are the others enough? */
bool ow_standby_is_needless(const struct ow_standby *s,
			    const struct ow_svc *svc, uint64_t now_ns,
			    uint64_t late_ns);
/* May that be true at all? For services that do not compute it costs one
 * word. */
bool ow_standby_may_be(const struct ow_svc *svc);
/* Does the service wait for something else than a CPU? So it did less than a
 * second ago. */
bool ow_standby_waits(const struct ow_svc *svc, uint64_t now_ns);

#endif
