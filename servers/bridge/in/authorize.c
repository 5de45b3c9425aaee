/* SPDX-License-Identifier: Apache-2.0 */
/*
 * authorize.c - may a caller of another node have what it asks for?
 */
#include "servers/bridge/in/authorize.h"

#include <stdio.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"
#include "libatmi/post/message.h"
#include "servers/bridge/directory/offers.h"

/* A request that is refused. */
struct refused {
	const struct ow_br_frame *f;
	uint32_t node;
	const char *login;
};

static void complain(struct ow_br_door *door, const struct refused *q,
		     const char *why)
{
	uint64_t now = ow_clock_mono_ns();

	if (now - door->complained_ns < OW_NS_PER_SEC)
		return;
	door->complained_ns = now;
	log_warn("%s: node %u%s%s is refused: %s (further ones within "
		 "a second are not logged)", q->f->svc, q->node,
		 q->login[0] != '\0' ? ", logged in as " : "", q->login, why);
}

int ow_br_authorize(struct ow_br_directory *d, struct ow_br_door *door,
		    const struct ow_br_frame *f, uint32_t node,
		    const struct ow_br_caller *caller)
{
	const struct refused q = { f, node, caller->login };
	char svc[OW_BR_NAME];
	int r;

	/* Whether it is offered now its queue says: the node may have sent the
	 * request before it heard that it is no more. */
	if ((f->kind == OW_BR_REQUEST || f->kind == OW_BR_CONNECT) &&
	    !ow_br_offers_may(&d->peers->opt, f->svc)) {
		complain(door, &q, "not offered to other nodes");
		return TPENOENT;
	}
	if (ow_rules_guards(d->peers->dom) == door->door.guards &&
	    door->door.guards == 0)
		return 0;
	r = ow_door_read(&door->door, d->peers->dom);
	snprintf(svc, sizeof(svc), "%s", f->svc);
	svc[strcspn(svc, "@")] = '\0'; /* of a group: the rule is the same */
	if (r == 0 &&
	    ow_door_authorizes_remote(&door->door, svc, node, caller->login))
		return 0;
	complain(door, &q, r == 0 ? "not in its acl, or not logged in"
				  : strerror(-r));
	return TPEPERM;
}

int ow_br_authorize_post(struct ow_br_directory *d, struct ow_br_door *door,
			 const char *message, long len, uint32_t node)
{
	struct ow_br_frame f = { .kind = OW_BR_POST };
	const struct refused q = { &f, node, "" };
	struct ow_post_message head;
	const char *event;
	int r;

	if (ow_post_head(message, len, &head, &event) != 0)
		return TPEINVAL;
	if (ow_rules_guards(d->peers->dom) == door->door.guards &&
	    door->door.guards == 0)
		return 0;
	r = ow_door_read(&door->door, d->peers->dom);
	if (r == 0 && ow_door_authorizes_post(&door->door, event, node))
		return 0;
	snprintf(f.svc, sizeof(f.svc), "event %.25s", event);
	complain(door, &q, r == 0 ? "the node is not in its acl"
				  : strerror(-r));
	return TPEPERM;
}
