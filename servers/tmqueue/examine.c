/* SPDX-License-Identifier: Apache-2.0 */
/*
 * examine.c - the files of a queue space are looked at before they are used
 */
#include "servers/tmqueue/examine.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "servers/tmqueue/pages.h"

#define META	0 /* places in STORE_TABLES */
#define MESSAGE 2

/* ---- the data base ---- */

static bool is_key(const MDB_val *key, const char *name)
{
	return key->mv_size == 5 && memcmp(key->mv_data, name, 5) == 0;
}

/* A data base without checksums says so itself. */
static bool read_earlier(struct examined *e, const MDB_val *data)
{
	struct space_record r;

	if (data->mv_size != sizeof(r))
		return false;
	memcpy(&r, data->mv_data, sizeof(r));
	if (r.version == 0 || r.version > SPACE_BEFORE)
		return false;
	e->earlier = e->has_space = true;
	e->space = r;
	return true;
}

static void take_meta(struct examined *e, const MDB_val *key,
		      const MDB_val *data)
{
	if (is_key(key, "epoch"))
		e->has_epoch = store_parse_epoch(data, &e->epoch);
	if (is_key(key, "space") && data->mv_size == sizeof(e->space)) {
		memcpy(&e->space, data->mv_data, sizeof(e->space));
		e->has_space = e->space.version == SPACE_VERSION;
	}
}

static void take(unsigned int table, const MDB_val *key, const MDB_val *data,
		 void *arg)
{
	struct examined *e = arg;
	MDB_val d = *data;
	uint64_t number;

	if (table == META && is_key(key, "space") && read_earlier(e, data))
		return;
	if (!store_unseal(table, key, &d)) {
		e->bad++;
		return;
	}
	if (table == META)
		take_meta(e, key, &d);
	if (table == META && is_key(key, "epoch"))
		return;
	if (table == MESSAGE) {
		memcpy(&number, key->mv_data, sizeof(number));
		e->messages++;
		e->highest = number > e->highest ? number : e->highest;
	}
	e->records++;
	e->sum += store_weight(store_check(table, key, d.mv_data, d.mv_size));
}

static void judge_records(const struct store *s, const struct examined *e,
			  struct ow_damage *d)
{
	if (e->bad > 0)
		ow_damage_say(d, "queue space %s: %" PRIu64 " records have a "
			      "wrong checksum", s->path, e->bad);
	else if (!e->has_space || !e->has_epoch)
		ow_damage_say(d, "queue space %s: the record of its identity "
			      "is missing", s->path);
	else if (e->records != e->epoch.records || e->sum != e->epoch.sum)
		ow_damage_say(d, "queue space %s: its %" PRIu64 " records are "
			      "not the %" PRIu64 " that were written", s->path,
			      e->records, e->epoch.records);
}

static void judge_mark(const struct store *s, const struct examined *e, int mark,
		       struct ow_damage *d)
{
	uint64_t id = 0;

	memcpy(&id, e->space.id, sizeof(id));
	if (mark == WATERMARK_DAMAGED)
		ow_damage_say(d, "queue space %s: its watermark is damaged: "
			      "nobody knows whether this is all", s->path);
	else if (mark == WATERMARK_MISSING && e->exists && !e->earlier)
		ow_damage_say(d, "queue space %s: its watermark is missing: "
			      "nobody knows whether this is all", s->path);
	else if (mark == 0 && e->has_space && s->mark.id != id)
		ow_damage_say(d, "queue space %s: its watermark is of another "
			      "space", s->path);
}

static void say_kept(const struct store *s, const struct examined *e,
		     struct ow_damage *d)
{
	ow_damage_say(d, "kept: %" PRIu64 " messages in %s, and what batches of "
		      "the journal that are whole have changed", e->messages,
		      s->path);
	ow_damage_say(d, "lost may be: messages, and that messages were taken: "
		      "those come once more");
	ow_damage_say(d, "messages whose queue or state is lost are put into "
		      "the queue REPAIRED of the space; the files as they were "
		      "are kept as *.damaged");
}

bool examine_base(struct store *s, const char *mark, struct examined *ret,
		  struct ow_damage *d)
{
	static const struct pages_table tables[] = {
#define X(name, flags) { #name, flags },
		STORE_TABLES(X)
#undef X
	};
	struct pages_found f;
	int m = watermark_open(&s->mark, s->folder, mark), r;

	memset(ret, 0, sizeof(*ret));
	r = pages_read(s->path, tables, sizeof(tables) / sizeof(tables[0]),
		       take, ret, &f);
	ret->exists = r != -ENOENT;
	if (r == -ENOENT && m == 0 && s->mark.number > 0)
		ow_damage_say(d, "queue space %s: the data base is missing or "
			      "empty", s->path);
	else if (ret->exists && r != 0)
		ow_damage_say(d, "queue space %s: %s", s->path, strerror(-r));
	else if (ret->exists && f.problems > 0)
		ow_damage_say(d, "queue space %s: %s (of %" PRIu64 " faults)",
			      s->path, f.problem, f.problems);
	else if (ret->exists && !ret->earlier)
		judge_records(s, ret, d);
	judge_mark(s, ret, m, d);
	if (m != 0)
		watermark_close(&s->mark);
	if (d->len == 0)
		return true;
	say_kept(s, ret, d);
	return false;
}

/* ---- the journal ---- */

bool examine_journal(struct store *s, const struct examined *e,
		     struct ow_damage *d)
{
	struct journal *j = &s->journal;

	if (s->mark.fd >= 0 && s->mark.number > j->proof)
		j->proof = s->mark.number;
	if (j->proof <= j->number)
		return true;
	ow_damage_say(d, "queue space %s: its journal ends at byte %" PRIu64
		      " with batch %" PRIu64 ", and batch %" PRIu64
		      " was on disk", s->path, j->end, j->number, j->proof);
	ow_damage_say(d, "lost: batches %" PRIu64 " to %" PRIu64 ", but for "
		      "those that are whole", j->number + 1, j->proof);
	say_kept(s, e, d);
	return false;
}
