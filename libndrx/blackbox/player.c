/* SPDX-License-Identifier: Apache-2.0 */
/*
 * player.c - reads the black box, second by second
 */
#include "libndrx/blackbox/player.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "libndrx/blackbox/difference.h"
#include "libndrx/blackbox/event.h"
#include "libndrx/blackbox/file.h"

#define RAW_MAX (64u << 20)

struct ow_bb_player {
	struct ow_bb_file *file;
	struct ow_bb_place at;
	struct ow_bb_state state;
	struct ow_bb_sample *sample;
	unsigned char *raw;
	size_t room;
	uint64_t number, lost; /* number: of the last record, 0: none */
	bool good; /* `state` is that of the last record */
	bool back; /* the clock was set back before it */
};

struct ow_bb_player *ow_bb_player_new(struct ow_bb_file *f)
{
	struct ow_bb_player *p = calloc(1, sizeof(*p));

	if (p != NULL)
		p->sample = ow_bb_sample_new();
	if (p == NULL || p->sample == NULL) {
		free(p);
		ow_bb_close(f);
		return NULL;
	}
	p->file = f;
	return p;
}

struct ow_bb_player *ow_bb_player_free(struct ow_bb_player *p)
{
	if (p == NULL)
		return NULL;
	ow_bb_close(p->file);
	ow_bb_free(&p->state);
	ow_bb_sample_free(p->sample);
	free(p->raw);
	free(p);
	return NULL;
}

static int unpack(struct ow_bb_player *p, const struct ow_bb_record *r,
		  struct ow_bb_rest *ret)
{
	uLongf n = r->head.raw;
	unsigned char *more;

	if (n > RAW_MAX)
		return -EBADMSG;
	if (p->room < n) {
		more = realloc(p->raw, n);
		if (more == NULL)
			return -ENOMEM;
		p->raw = more;
		p->room = n;
	}
	if (uncompress(p->raw, &n, r->contents, r->head.len) != Z_OK ||
	    n != r->head.raw)
		return -EBADMSG;
	*ret = (struct ow_bb_rest){ p->raw, p->raw + n, false };
	return 0;
}

/* The state after a record; its events are left in *ret. 1: it builds on one
 * that is not there. */
static int take(struct ow_bb_player *p, const struct ow_bb_record *r,
		struct ow_bb_rest *ret)
{
	bool follows = p->good && r->head.number == p->number + 1;
	int e;

	if (p->number != 0 && r->head.number > p->number + 1)
		p->lost += r->head.number - p->number - 1;
	p->number = r->head.number;
	p->back = (r->head.flags & OW_BB_BACK) != 0;
	p->good = false;
	if (r->head.flags & OW_BB_WHOLE)
		ow_bb_empty(&p->state);
	else if (!follows) {
		p->lost++;
		return 1;
	}
	e = unpack(p, r, ret);
	if (e == 0) {
		p->state.now_ns = r->head.mono_ns;
		p->state.real_ns = r->head.real_ns;
		e = ow_bb_apply(&p->state, ret);
	}
	p->good = e == 0;
	if (e == -EBADMSG) {
		p->lost++;
		return 1;
	}
	return e;
}

static int tell(struct ow_bb_player *p, struct ow_bb_rest *rest,
		const struct ow_bb_listener *l)
{
	const struct ow_sample *s;
	struct ow_event e;

	if (l == NULL)
		return 0;
	while (l->event != NULL && ow_bb_get_event(rest, &e))
		l->event(l->arg, &e);
	s = ow_bb_to_sample(p->sample, &p->state);
	return s == NULL ? -ENOMEM : l->sample(l->arg, s);
}

int ow_bb_play(struct ow_bb_player *p, uint64_t real_ns,
	       const struct ow_bb_listener *l)
{
	struct ow_bb_place next = p->at;
	struct ow_bb_record r;
	struct ow_bb_rest rest;
	int e = 0;

	while (e == 0 && ow_bb_next(p->file, &next, &r)) {
		if (r.head.real_ns > real_ns) {
			/* The clock may have been set back since. */
			if (!ow_bb_skip(p->file, &next, real_ns))
				return 0;
			p->at = next;
			p->number = 0; /* those between are not lost */
			continue;
		}
		p->at = next;
		e = take(p, &r, &rest);
		if (e == 0)
			e = tell(p, &rest, l);
		else if (e > 0)
			e = 0;
	}
	return e;
}

int ow_bb_play_from(struct ow_bb_player *p, uint64_t real_ns)
{
	p->at = ow_bb_seek(p->file, real_ns);
	p->good = false;
	p->number = p->lost = 0;
	return ow_bb_play(p, real_ns, NULL);
}

uint64_t ow_bb_play_next(struct ow_bb_player *p)
{
	struct ow_bb_place next = p->at;
	struct ow_bb_record r;

	return ow_bb_next(p->file, &next, &r) ? r.head.real_ns : 0;
}

uint64_t ow_bb_play_lost(const struct ow_bb_player *p)
{
	return p->lost;
}

bool ow_bb_play_is_back(const struct ow_bb_player *p)
{
	return p->back;
}

bool ow_bb_player_span(struct ow_bb_player *p, uint64_t *ret_first,
		       uint64_t *ret_last)
{
	struct ow_bb_place at = { 0 };
	struct ow_bb_record r;

	if (!ow_bb_next(p->file, &at, &r))
		return false;
	*ret_first = ow_bb_earliest(p->file);
	*ret_last = r.head.real_ns;
	at = ow_bb_seek(p->file, UINT64_MAX);
	while (ow_bb_next(p->file, &at, &r))
		*ret_last = r.head.real_ns;
	return true;
}

void ow_bb_player_say(struct ow_bb_player *p, char *buf, size_t size)
{
	int n = 0;

	buf[0] = '\0';
	if (p->lost > 0)
		n = snprintf(buf, size, "%llu records are damaged, and left out",
			     (unsigned long long)p->lost);
	if (ow_bb_is_torn(p->file) && n >= 0 && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, "%sthe last record was half "
			 "written, and is dropped", n > 0 ? "; " : "");
}

struct ow_bb_file *ow_bb_player_file(struct ow_bb_player *p)
{
	return p->file;
}
