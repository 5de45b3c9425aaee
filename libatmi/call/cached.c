/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cached.c - kept replies in the path of tpcall() and tpacall()
 */
#include "libatmi/call/cached.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/cache/ask.h"
#include "libatmi/call/calls.h"
#include "libatmi/call/content.h"
#include "libatmi/call/context.h"
#include "libatmi/call/deliver.h"
#include "libatmi/door/rules.h"

/* May this call have a kept reply? Rules about callers are checked by who
 * serves, so that with rules each call is served. */
static bool is_free(const struct ow_ctx *c, const struct ow_sending *data,
		    long flags)
{
	return c->tran == 0 && (flags & TPNOCACHEDDATA) == 0 &&
	       data->content.type != OW_BUF_NOTED &&
	       (ow_rules_guards(c->dom) &
		(OW_GUARD_AUTH | OW_GUARD_SERVICES)) == 0;
}

/* All that is sent: type, subtype, payload. */
static int add_whole(struct ow_cache_ask *k, const struct ow_content *content)
{
	uint8_t head[2] = { content->type, content->sub_len };
	int r = ow_cache_bytes_add(&k->bytes, head, sizeof(head));

	if (r == 0)
		r = ow_cache_bytes_add(&k->bytes, content->subtype,
				       content->sub_len);
	if (r == 0)
		r = ow_cache_bytes_add(&k->bytes, content->payload.data,
				       content->payload.len);
	return r;
}

/* The key of the request: 0, or not 0: it has none. */
static int make_key(struct ow_cache_ask *k, const struct ow_sending *data)
{
	int r;

	k->bytes.len = 0;
	if (k->settings.key[0] == '\0')
		r = add_whole(k, &data->content);
	else if (data->info.type != OW_BUF_UBF || data->buffer == NULL ||
		 k->fields.n < 0)
		r = OW_CACHE_BUSY;
	else
		r = ow_cache_bytes_fields(&k->bytes, &k->fields,
					  (UBFH *)data->buffer);
	if (r == 0)
		ow_cache_ask_key(k);
	return r;
}

static struct ow_cache_ask *of_context(struct ow_ctx *c)
{
	if (c->cached == NULL)
		c->cached = calloc(1, sizeof(*c->cached));
	return c->cached;
}

enum ow_cached_use ow_cached_look(struct ow_ctx *c, const char *svc,
				  const struct ow_sending *data, long flags,
				  uint64_t now_ns)
{
	struct ow_cache_ask *k;

	if (!is_free(c, data, flags) || ow_cache_need(c->dom, false) != 0)
		return OW_CACHED_NOT;
	k = of_context(c);
	if (k == NULL || ow_cache_ask_learn(c->dom, k, svc) != 0)
		return OW_CACHED_NOT;
	if (make_key(k, data) != 0) {
		ow_cache_count(c->dom, k->row, OW_CACHE_UNFIT);
		return OW_CACHED_NOT;
	}
	if ((flags & TPNOCACHELOOK) == 0 &&
	    ow_cache_look(c->dom, &k->key, now_ns, &k->room, &k->reply) == 0) {
		ow_cache_count(c->dom, k->row, OW_CACHE_HIT);
		return OW_CACHED_FOUND;
	}
	ow_cache_count(c->dom, k->row, OW_CACHE_MISS);
	return flags & TPNOCACHEADD ? OW_CACHED_NOT : OW_CACHED_KEEP;
}

/* Keep the reply under this key. */
static void put(struct ow_ctx *c, const struct ow_cache_key *key,
		uint64_t expires_ns, const struct ow_envelope *reply)
{
	const struct ow_msg *m = reply->head;
	struct ow_cache_reply kept = {
		.buftype = m->buftype,
		.sub_len = m->sub_len,
		.urcode = m->urcode,
		.payload = reply->payload.data,
		.len = m->len,
	};
	int r = OW_CACHE_BUSY;

	if (m->tperr != 0)
		return;
	if (reply->payload.data != NULL && m->buftype != OW_BUF_NOTED)
		r = ow_cache_put(c->dom, key, expires_ns, &kept);
	ow_cache_count(c->dom, key->row,
		       r == 0 ? OW_CACHE_KEPT : OW_CACHE_UNFIT);
}

void ow_cached_keep(struct ow_ctx *c, uint64_t begin_ns,
		    const struct ow_envelope *reply)
{
	struct ow_cache_ask *k = c->cached;

	put(c, &k->key, begin_ns + k->settings.ttl_ns, reply);
	ow_cache_ask_end(k);
}

/* What was found, as the message that did not come. */
static void make_reply(struct ow_ctx *c, struct ow_msg *m,
		       struct ow_envelope *ret)
{
	const struct ow_cache_reply *kept = &c->cached->reply;

	*m = (struct ow_msg){ .buftype = kept->buftype,
			      .sub_len = kept->sub_len,
			      .len = kept->len,
			      .urcode = kept->urcode };
	ow_envelope_init(ret, m, sizeof(*m), c->dom->blocks);
	ret->payload.data = (void *)(uintptr_t)kept->payload;
	ret->payload.len = kept->len;
}

int ow_cached_deliver(struct ow_ctx *c, char **data, long *len, long flags)
{
	struct ow_envelope e;
	struct ow_msg m;
	int r;

	make_reply(c, &m, &e);
	r = ow_deliver_content(&e, data, len, flags);
	tpurcode = (long)m.urcode;
	ow_cache_ask_end(c->cached);
	return r;
}

int ow_cached_arrive(struct ow_ctx *c, int cd)
{
	const struct ow_cache_reply *kept = &c->cached->reply;
	struct ow_envelope e;
	struct ow_msg *m = malloc(sizeof(*m) + kept->len);
	int r = -ENOMEM;

	if (m != NULL) {
		make_reply(c, m, &e);
		if (kept->len > 0)
			memcpy(m + 1, kept->payload, kept->len);
		e.room = sizeof(*m) + kept->len;
		ow_call_keep(c, cd, &e);
		free(m);
		r = 0;
	}
	ow_cache_ask_end(c->cached);
	return r == 0 ? 0 : ow_tp_fail(TPEOS, "no memory for a kept reply");
}

void ow_cached_wish(struct ow_ctx *c, int cd, uint64_t begin_ns)
{
	struct ow_call_more *m = ow_call_need_more(c, &c->calls[cd]);

	if (m != NULL)
		m->wish = ow_cache_wish_new(c->cached, begin_ns);
	ow_cache_ask_end(c->cached);
}

void ow_cached_fulfil(struct ow_ctx *c, int cd,
		      const struct ow_envelope *reply)
{
	const struct ow_cache_wish *w = c->calls[cd].more->wish;

	if (w != NULL)
		put(c, &w->key, w->expires_ns, reply);
}
