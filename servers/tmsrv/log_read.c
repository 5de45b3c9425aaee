/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_read.c - the log of a tmsrv is read at its start
 *
 * What holds is in record.h. Damage ends the start, unless the operator has
 * accepted it: then all records that are whole count, also those behind the
 * hole, and whatever the log does not know of the transactions until then is in
 * doubt: nobody presumes that they were rolled back.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libndrx/storage/damage.h"
#include "servers/tmsrv/log.h"
#include "servers/tmsrv/log_inside.h"
#include "libatmi/log/log.h"

#define NUMBERS UINT64_C(1000000) /* that a lost RESERVE may have allowed */

/* ---- records ---- */

int log_add_live(struct tmlog *l, enum kind kind, uint64_t tran,
		 const struct tmlog_branch *b, uint32_t n)
{
	struct live *v = calloc(1, sizeof(*v) + n * sizeof(*b));

	if (v == NULL)
		return -ENOMEM;
	v->tran = tran;
	v->kind = kind;
	v->n = n;
	if (n > 0)
		memcpy(v->branches, b, n * sizeof(*b));
	HASH_ADD(hh, l->live, tran, sizeof(v->tran), v);
	if (v->hh.tbl != NULL)
		return 0;
	free(v);
	return -ENOMEM;
}

struct live *log_find_live(const struct tmlog *l, uint64_t tran)
{
	struct live *v = NULL;

	HASH_FIND(hh, l->live, &tran, sizeof(tran), v);
	return v;
}

void log_drop_live(struct tmlog *l, uint64_t tran)
{
	struct live *v = log_find_live(l, tran);

	if (v == NULL)
		return;
	HASH_DEL(l->live, v);
	free(v);
}

static int take(struct tmlog *l, const struct record *r)
{
	const struct tmlog_branch *b = (const struct tmlog_branch *)(r + 1);
	struct live *v;

	switch (r->kind) {
	case IDENTITY:
		l->identity = r->value;
		return 0;
	case RESERVE:
		l->reserved = l->granted = l->next = r->value;
		return 0;
	case DOUBT:
		l->doubt = r->value;
		return 0;
	case COMMIT:
	case PREPARED:
		log_drop_live(l, r->value);
		return log_add_live(l, r->kind, r->value, b, r->n);
	case BY_HAND:
		v = log_find_live(l, r->value);
		if (v != NULL && r->n == 1)
			v->by_hand = *b;
		return 0;
	case END:
		log_drop_live(l, r->value);
		return 0;
	default:
		return -EINVAL;
	}
}

static int take_all(struct tmlog *l, const struct record_scan *s, size_t n)
{
	size_t i;
	int r = 0;

	for (i = 0; i < n && r == 0; i++)
		r = take(l, s->all[i]);
	return r;
}

/* ---- damage ---- */

static void say_kept(struct ow_damage *d, const struct record_scan *s)
{
	static const char *const words[] = {
		[COMMIT] = "decided", [END] = "ended",
		[PREPARED] = "prepared", [BY_HAND] = "decided by hand",
	};
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->all[i]->kind < sizeof(words) / sizeof(words[0]) &&
		    words[s->all[i]->kind] != NULL)
			ow_damage_say(d, "kept: %016" PRIx64 " %s",
				      s->all[i]->value,
				      words[s->all[i]->kind]);
}

static void report(const struct tmlog *l, const struct record_scan *s,
		   const char *mark, size_t size, struct ow_damage *d)
{
	uint64_t lost = s->proof > s->last ? s->proof - s->last : 0;

	lost -= s->n - s->chained < lost ? s->n - s->chained : lost;
	ow_damage_say(d, "log of transactions %s: damaged at byte %zu of %zu: "
		      "up to %" PRIu64 " records that were on disk are lost "
		      "(numbers %" PRIu64 " to %" PRIu64 "), %zu are kept%s",
		      l->path, s->end, size, lost, s->last + 1, s->proof, s->n,
		      mark);
	ow_damage_say(d, "lost may be: decisions to commit. Branches of these "
		      "transactions that are prepared stay as they are, until "
		      "an operator ends each (xadmin recoverlocal, commitlocal, "
		      "abortlocal)");
	ow_damage_say(d, "lost may be: ends. Such a transaction is committed "
		      "once more, which changes nothing");
	say_kept(d, s);
}

/* Numbers that may have been given: a record that is lost may have allowed a
 * million more. */
static void be_in_doubt(struct tmlog *l, const struct record_scan *s)
{
	uint64_t lost = s->proof > s->last ? s->proof - s->last : 0;
	uint64_t most = log_first_number(l->identity), number;
	size_t i;

	if (l->reserved > most)
		most = l->reserved;
	for (i = 0; i < s->n; i++) {
		number = s->all[i]->value & OW_TMLOG_NUMBERS;
		if (s->all[i]->kind >= COMMIT && s->all[i]->kind <= BY_HAND &&
		    number > most)
			most = number;
	}
	l->doubt = most + (lost + 1) * NUMBERS;
	if (l->doubt > OW_TMLOG_NUMBERS)
		l->doubt = OW_TMLOG_NUMBERS;
	l->reserved = l->granted = l->next = l->doubt;
}

/* Go on without what is lost, if the operator wants it. */
static int go_on(struct tmlog *l, const struct record_scan *s,
		 const char *mark, size_t size, char *why, size_t room)
{
	struct ow_damage d = { .len = 0 };
	int r;

	report(l, s, mark, size, &d);
	if (!ow_damage_is_accepted(&d, l->path, why, room))
		return -EBADMSG;
	r = take_all(l, s, s->n);
	if (l->identity == 0)
		l->identity = l->mark.id;
	be_in_doubt(l, s);
	log_warn("%.*s: an operator has accepted it",
		 (int)strcspn(d.text, "\n"), d.text);
	return r;
}

/* ---- all ---- */

static int read_file(struct tmlog *l, char **ret, size_t *ret_size)
{
	struct stat st;
	size_t at = 0;
	ssize_t got = 1;
	char *all;

	if (fstat(l->fd, &st) != 0)
		return -errno;
	all = malloc((size_t)st.st_size + 1);
	if (all == NULL)
		return -ENOMEM;
	while (at < (size_t)st.st_size && got > 0) {
		got = pread(l->fd, all + at, (size_t)st.st_size - at,
			    (off_t)at);
		at += got > 0 ? (size_t)got : 0;
	}
	if (at == (size_t)st.st_size) {
		*ret = all;
		*ret_size = at;
		return 0;
	}
	free(all);
	return got < 0 ? -errno : -EIO;
}

/* What is wrong with the watermark; "": nothing, NULL: there is none, and none
 * is wanted yet. */
static const char *judge_mark(const struct tmlog *l, int r,
			      const struct record_scan *s)
{
	if (r == WATERMARK_DAMAGED)
		return "; its watermark is damaged";
	if (r == WATERMARK_MISSING)
		return s->n == 0 || s->copies ? NULL
					      : "; its watermark is missing";
	return l->mark.id == s->all[0]->value ? ""
					      : "; its watermark is of another "
						"log";
}

static int take_what_holds(struct tmlog *l, struct record_scan *s, int mark,
			   size_t size, char *why, size_t room)
{
	const char *wrong = s->n == 0 && mark == 0 ? ""
						   : judge_mark(l, mark, s);

	if (record_is_damage(s) || (wrong != NULL && wrong[0] != '\0'))
		return go_on(l, s, wrong != NULL ? wrong : "", size, why,
			     room);
	ow_damage_none(l->path);
	return take_all(l, s, s->chained);
}

int log_read(struct tmlog *l, char *why, size_t room)
{
	struct record_scan s = { .n = 0 };
	char *bytes = NULL;
	size_t size = 0;
	int r, mark;

	mark = watermark_open(&l->mark, l->folder, l->mark_name);
	if (mark < 0)
		return mark;
	if (mark == WATERMARK_DAMAGED)
		watermark_close(&l->mark);
	r = read_file(l, &bytes, &size);
	if (r == 0)
		r = record_scan(bytes, size, mark == 0 ? l->mark.number : 0,
				&s);
	l->number = s.proof > s.last ? s.proof : s.last;
	if (r == 0 && s.n > 0 && s.all[s.n - 1]->number > l->number)
		l->number = s.all[s.n - 1]->number;
	if (r == 0)
		r = take_what_holds(l, &s, mark, size, why, room);
	record_scan_free(&s);
	free(bytes);
	return r;
}
