/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_cluster.c - check the cluster: nats-server, and the other nodes
 */
#include "libndrx/observe/doctor.h"

#include <stdio.h>
#include <string.h>

#include "libndrx/observe/bridges.h"
#include "libatmi/base/clock.h"

#define NAMED 4 /* nodes named in a finding */

static void say_away(struct ow_doctor *doc, const struct ow_nodes_snapshot *p)
{
	char found[120];

	snprintf(found, sizeof(found), "bridge %u, cluster %s: not connected",
		 p->head.srvid, p->cluster);
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_FAIL, .what = "nats-server", .found = found,
		.meaning = "services of other nodes are away, and other nodes "
			   "cannot call those here",
		.cure = "start nats-server, or correct urls and credentials in "
			"<cluster>; the log of the bridge has the reason" });
}

/* Name the nodes that are down: how many. */
static unsigned int name_silent(const struct ow_nodes_snapshot *p, char *text,
				size_t size)
{
	uint64_t now = ow_clock_mono_ns();
	unsigned int n = 0;
	size_t len = 0;
	uint32_t i;

	for (i = 0; i < p->links; i++) {
		const struct ow_nodes_link *l = &p->link[i];

		if (l->up || l->left || l->cut || n++ >= NAMED)
			continue;
		len += (size_t)snprintf(text + len, size - len,
					"%snode %u, bridge %u: silent for "
					"%llu s", n > 1 ? "; " : "", l->node,
					l->bridge,
					(unsigned long long)
					((now - l->heard_ns) / OW_NS_PER_SEC));
	}
	return n;
}

/* Each node that is cut off. */
static void say_cut(struct ow_doctor *doc, const struct ow_nodes_snapshot *p)
{
	uint32_t i, last = 0;
	char found[200];

	for (i = 0; i < p->links; i++) {
		const struct ow_nodes_link *l = &p->link[i];

		if (l->cut == OW_NODES_CUT_NONE || l->node == last)
			continue;
		last = l->node;
		snprintf(found, sizeof(found), "node %u is cut off by bridge "
			 "%u: %s", l->node, p->head.srvid,
			 ow_nodes_cut_text(l->cut));
		ow_doctor_say(doc, &(struct ow_doctor_finding){
			.grade = OW_DOCTOR_FAIL, .what = "nodes",
			.found = found,
			.meaning = "what it sends is dropped, so that it does "
				   "not disturb others; its services are away",
			.cure = "look there: a faulty or hostile program has "
				"its certificate or password" });
	}
}

static void check_bridge(struct ow_doctor *doc,
			 const struct ow_nodes_snapshot *p)
{
	char found[400] = "";
	unsigned int n;

	if (!p->connected) {
		say_away(doc, p);
		return;
	}
	say_cut(doc, p);
	n = name_silent(p, found, sizeof(found));
	if (n > NAMED)
		strcat(found, "; ...");
	if (n == 0)
		snprintf(found, sizeof(found), "bridge %u, cluster %s: "
			 "connected", p->head.srvid, p->cluster);
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = n > 0 ? OW_DOCTOR_WARN : OW_DOCTOR_OK,
		.what = "nodes", .found = found,
		.meaning = n > 0 ? "their services are away"
				 : "no node is silent",
		.cure = n > 0 ? "look there: its bridge has died, or hangs, or "
				"has no connection to nats-server"
			      : NULL });
}

void ow_doctor_cluster(struct ow_doctor *doc, const struct ow_observer *v)
{
	struct ow_bridges b;
	uint32_t i;

	ow_bridges_open(v, &b);
	for (i = 0; i < b.n; i++)
		check_bridge(doc, b.p[i]);
	ow_bridges_close(&b);
}
