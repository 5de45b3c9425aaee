/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait_note.c - what a context that waits notes for onlookers, in its slot
 */
#include "libatmi/domain/wait_note.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/domain/tables.h"

/* wait_how: a thread id of Linux has at most 22 bits. */
#define HOW_TID	     0x3fffffu
#define HOW_ANY	     0x400000u
#define HOW_PEER     0x800000u
#define HOW_GEN	     0xff000000u
#define GEN_SHIFT    23 /* the lowest bit of a generation in use is 1 */

static uint32_t gen_bits(uint32_t gen)
{
	return (gen << GEN_SHIFT) & HOW_GEN;
}

/* This thread, in this context. */
static uint32_t how(const struct ow_clt *c)
{
	return ((uint32_t)syscall(SYS_gettid) & HOW_TID) |
	       gen_bits(ow_load_relaxed(&c->gen));
}

void ow_wait_note_reply(struct ow_clt *c, const struct ow_wait_reply *w)
{
	atomic_store(&c->wait_how, 0);
	atomic_store(&c->wait_since_ns, w->since_ns);
	atomic_store(&c->wait_deadline_ns, w->deadline_ns);
	atomic_store(&c->wait_svc, w->svc);
	atomic_store(&c->wait_how, how(c) | (w->any ? HOW_ANY : 0));
	atomic_store(&c->wait_seq, w->seq);
}

void ow_wait_note_message(struct ow_clt *c, const struct ow_wait_message *w)
{
	uint64_t quiet = w->looked_ns > w->since_ns
				 ? (w->looked_ns - w->since_ns) / OW_NS_PER_MS
				 : 0;

	atomic_store(&c->wait_since_ns, w->since_ns);
	atomic_store(&c->wait_deadline_ns, (uint64_t)w->slot << 32 | w->gen);
	atomic_store(&c->wait_svc,
		     quiet < UINT32_MAX ? (uint32_t)quiet : UINT32_MAX);
	atomic_store(&c->wait_how, how(c) | HOW_PEER);
}

void ow_wait_note_clear(struct ow_clt *c)
{
	atomic_store(&c->wait_seq, 0);
	atomic_store(&c->wait_how, 0);
}

static void read_message(const struct ow_clt *c, struct ow_wait_message *ret)
{
	uint64_t peer = atomic_load(&c->wait_deadline_ns);

	ret->slot = (uint32_t)(peer >> 32);
	ret->gen = (uint32_t)peer;
	ret->since_ns = atomic_load(&c->wait_since_ns);
	ret->looked_ns = ret->since_ns +
			 atomic_load(&c->wait_svc) * OW_NS_PER_MS;
}

static void read_reply(const struct ow_clt *c, struct ow_wait_reply *ret)
{
	ret->svc = atomic_load(&c->wait_svc);
	ret->since_ns = atomic_load(&c->wait_since_ns);
	ret->deadline_ns = atomic_load(&c->wait_deadline_ns);
}

bool ow_wait_note_read(const struct ow_clt *c, struct ow_wait_note *ret)
{
	uint32_t word = atomic_load(&c->wait_how), how = word;
	uint64_t since;

	*ret = (struct ow_wait_note){ .gen = atomic_load(&c->gen) };
	ret->reply.seq = atomic_load(&c->wait_seq);
	if ((how & HOW_GEN) != gen_bits(ret->gen))
		how = 0;
	ret->tid = how & HOW_TID;
	ret->for_message = ret->reply.seq == 0 && (how & HOW_PEER);
	if ((ret->gen & 1) == 0 || (ret->reply.seq == 0 && !ret->for_message))
		return false;
	if (ret->for_message)
		read_message(c, &ret->message);
	else
		read_reply(c, &ret->reply);
	ret->reply.any = how == 0 || (how & HOW_ANY) != 0;
	since = ret->for_message ? ret->message.since_ns : ret->reply.since_ns;
	return atomic_load(&c->wait_seq) == ret->reply.seq &&
	       atomic_load(&c->wait_since_ns) == since &&
	       atomic_load(&c->wait_how) == word &&
	       atomic_load(&c->gen) == ret->gen;
}
