/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queues.c - pqa: queues, with their depths
 *
 * Names come from the shared tables, depths from the transport. Where the
 * queue file system is mounted and readable (NDRX_QPATH, /dev/mqueue), pqa
 * also shows queues that are not in the tables.
 */
#include "clients/xadmin/list/list.h"

#include <dirent.h>
#include <inttypes.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>

#include "clients/xadmin/output/listing.h"
#include "clients/xadmin/domain/names.h"
#include "clients/xadmin/domain/reach.h"
#include "libatmi/base/env.h"
#include "libatmi/transport/transport.h"
#include "libatmi/domain/queue_name.h"
#include "libubf/base/printable.h"

static const struct ow_column pqa_columns[] = {
	{ "MSG QUEUED", 10, OW_COLUMN_RIGHT },
	{ "Q NAME", 64, 0 },
	{ NULL, 0, 0 },
};

struct listing {
	struct ow_observer *v; /* NULL: no tables */
	struct ow_listing out;
	struct ow_names seen; /* listed already */
};

struct queue_row {
	const char *name;
	uint64_t queued, messages_max, message_bytes;
};

static void show_queue(struct listing *l, const struct queue_row *q)
{
	struct ow_json *j = l->out.json;
	struct ow_grid *g = l->out.grid;

	if (!ow_names_add(&l->seen, q->name))
		return;
	if (j == NULL) {
		ow_grid_cell(g, "%" PRIu64, q->queued);
		if (q->messages_max > 0 && q->queued >= q->messages_max)
			ow_grid_paint(g, OW_COLOUR_BAD); /* full */
		ow_grid_cell(g, "%s", q->name);
		ow_grid_end_row(g);
		return;
	}
	ow_json_row_begin(j);
	ow_json_str(j, "queue", q->name);
	ow_json_uint(j, "queued", q->queued);
	ow_json_uint(j, "messages_max", q->messages_max);
	ow_json_uint(j, "message_bytes", q->message_bytes);
	ow_json_row_end(j);
}

static void list_services(struct listing *l)
{
	char full[OW_NAMES_LEN], name[OW_SVC_NAME];
	const struct ow_svc *s;
	uint32_t i, depth;

	for (i = 0; i < ow_observer_services(l->v); i++) {
		s = ow_observer_service(l->v, i, name);
		if (s == NULL || !ow_observer_has_queue(s) ||
		    !ow_observer_depth(l->v, name, &depth))
			continue;
		ow_queue_name_of(&l->v->d, name, full, sizeof(full));
		show_queue(l, &(struct queue_row){ full, depth, s->maxmsg,
						   s->msgsize });
	}
}

static void list_clients(struct listing *l)
{
	const struct ow_tables *t = l->v->d.tables;
	char full[OW_NAMES_LEN], queue[OW_CLT_QUEUE];
	uint32_t i, depth;

	for (i = 0; i < ow_observer_clients(l->v); i++) {
		if (!ow_observer_client(l->v, i) ||
		    ow_queue_peek(&l->v->d, ow_mailbox(i), &depth) != 0)
			continue;
		ow_printable(ow_clt_queue(t, i, queue));
		if (queue[0] == '\0')
			continue;
		ow_queue_name_full(&l->v->d, queue, full, sizeof(full));
		show_queue(l, &(struct queue_row){ full, depth,
						   t->clt[i].maxmsg,
						   t->clt[i].msgsize });
	}
}

/* A queue of the file system. */
static void list_named(struct listing *l, const char *name)
{
	struct mq_attr attr;
	mqd_t mq = mq_open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (mq == (mqd_t)-1)
		return;
	if (mq_getattr(mq, &attr) == 0)
		show_queue(l, &(struct queue_row){
				  name, (uint64_t)attr.mq_curmsgs,
				  (uint64_t)attr.mq_maxmsg,
				  (uint64_t)attr.mq_msgsize });
	mq_close(mq);
}

/* Queues in the file system that begin with `prefix`. */
static void list_directory(struct listing *l, const char *prefix)
{
	DIR *dir = opendir(ow_env_str("NDRX_QPATH", "/dev/mqueue"));
	char name[OW_NAMES_LEN + 1];
	struct dirent *e;

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		if (e->d_name[0] == '.' ||
		    strncmp(e->d_name, prefix, strlen(prefix)) != 0)
			continue;
		snprintf(name, sizeof(name), "/%s", e->d_name);
		list_named(l, name);
	}
	if (dir != NULL)
		closedir(dir);
}

int ow_list_pqa(struct ow_args *a)
{
	struct listing l = { .v = NULL };
	char why[512], prefix[OW_PREFIX_MAX + 4];
	struct ow_observer v;
	struct ow_domain d;
	int r;

	if (ow_reach_own(a, &d) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	snprintf(prefix, sizeof(prefix), "%s,", d.prefix);
	if (ow_listing_begin(&l.out, &a->form, pqa_columns) != 0)
		return ow_cmd_fail(a, "no memory");
	r = ow_observer_open(&v, why, sizeof(why));
	if (r == 0) {
		l.v = &v;
		list_services(&l);
		list_clients(&l);
		ow_observer_close(&v);
	}
	list_directory(&l, ow_args_has(a, 'a') ? "" : prefix);
	ow_listing_end(&l.out);
	ow_names_clear(&l.seen);
	return r == 0 || r == OW_TABLES_ABSENT ? OW_EXIT_OK
					       : ow_cmd_fail(a, "%s", why);
}
