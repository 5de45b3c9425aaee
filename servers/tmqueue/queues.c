/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queues.c - the queues of a space: what is defined, figures, who waits
 */
#include "servers/tmqueue/queues.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct queue *queues_find(struct queues *qs, const char *name, bool make)
{
	struct queue *q;

	for (q = qs->first; q != NULL; q = q->next) {
		if (strcmp(q->name, name) == 0)
			return q;
	}
	q = make ? calloc(1, sizeof(*q)) : NULL;
	if (q == NULL)
		return NULL;
	strncpy(q->name, name, TMQNAMELEN);
	definition_default(&q->def);
	q->next = qs->first;
	qs->first = q;
	return q;
}

struct queue *queues_by_id(struct queues *qs, uint32_t id)
{
	struct queue *q;

	for (q = qs->first; q != NULL && q->id != id;)
		q = q->next;
	return q;
}

struct queue *queues_use(struct queues *qs, const char *name)
{
	struct queue *q = queues_find(qs, name, false), *model;

	if (*name == '\0')
		return NULL;
	if (q != NULL && (q->defined || q->own))
		return q;
	model = queues_find(qs, "@", false);
	if (model == NULL || !model->defined)
		return NULL;
	if (q == NULL)
		q = queues_find(qs, name, true);
	if (q != NULL)
		q->def = model->def;
	return q;
}

struct queue *queues_take_from(struct queues *qs, const char *name)
{
	struct queue *q = queues_use(qs, name);

	if (q != NULL)
		return q;
	q = queues_find(qs, name, false);
	return q != NULL && q->now.queued > 0 ? q : NULL;
}

bool queue_is_forwarding(const struct queue *q, uint64_t number)
{
	uint32_t i;

	for (i = 0; i < q->n_forwarded; i++) {
		if (q->forwarded[i] == number)
			return true;
	}
	return false;
}

uint64_t queues_resume(const struct queues *qs)
{
	const struct queue *q;
	uint64_t at = 0;

	for (q = qs->first; q != NULL; q = q->next)
		if (q->paused_ns != 0 && (at == 0 || q->paused_ns < at))
			at = q->paused_ns;
	return at;
}

uint64_t queue_locked(const struct queue *q)
{
	if (!q->def.transact)
		return q->now.locked + q->n_forwarded;
	return q->now.locked > q->n_forwarded ? q->now.locked
					      : q->n_forwarded;
}

/* ---- the data base ---- */

static int load(struct queues *qs, const MDB_val *key, const MDB_val *data)
{
	char name[TMQNAMELEN + 1] = "";
	struct queue_record rec;
	struct queue *q;
	size_t more = data->mv_size - sizeof(rec);

	if (key->mv_size > TMQNAMELEN || data->mv_size < sizeof(rec) ||
	    more > XATMI_SERVICE_NAME_LENGTH)
		return -EBADMSG;
	memcpy(name, key->mv_data, key->mv_size);
	memcpy(&rec, data->mv_data, sizeof(rec));
	q = queues_find(qs, name, true);
	if (q == NULL)
		return -ENOMEM;
	q->id = rec.id;
	q->now = q->saved = rec.figures;
	memcpy(q->service, (const char *)data->mv_data + sizeof(rec), more);
	q->own = more > 0 || strcmp(name, QUEUE_FAILED) == 0;
	if (rec.id > qs->last_id)
		qs->last_id = rec.id;
	return 0;
}

int queues_load(struct queues *qs, struct store *s)
{
	MDB_cursor *c = NULL;
	MDB_val key, data;
	int r = store_seek(s, s->queue, "", 1, false, &c, &key, &data);

	while (r == 0) {
		r = load(qs, &key, &data);
		if (r == 0)
			r = store_step(s, c, false, &key, &data);
	}
	if (c != NULL)
		mdb_cursor_close(c);
	return r == STORE_ABSENT ? 0 : r;
}

void queues_free(struct queues *qs)
{
	struct queue *q;

	while ((q = qs->first) != NULL) {
		qs->first = q->next;
		free(q);
	}
}

int queues_write(struct queues *qs, struct store *s)
{
	char bytes[sizeof(struct queue_record) + XATMI_SERVICE_NAME_LENGTH + 1];
	struct queue_record rec = { .id = 0 };
	struct queue *q;
	int r = 0;

	for (q = qs->first; q != NULL && r == 0; q = q->next) {
		if (!q->dirty)
			continue;
		rec.id = q->id;
		rec.figures = q->now;
		memcpy(bytes, &rec, sizeof(rec));
		strcpy(bytes + sizeof(rec), q->service);
		r = store_put(s, s->queue, q->name, strlen(q->name), bytes,
			      sizeof(rec) + strlen(q->service));
	}
	return r;
}

void queues_keep(struct queues *qs)
{
	struct queue *q;

	for (q = qs->first; q != NULL; q = q->next) {
		if (q->dirty)
			q->saved = q->now;
		q->dirty = false;
	}
}

void queues_undo(struct queues *qs)
{
	struct queue *q;

	for (q = qs->first; q != NULL; q = q->next) {
		if (q->dirty)
			q->now = q->saved;
		q->dirty = false;
	}
}
