/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list_queues.c - pqa: queues and their depths
 *
 * The names come from the shared tables; the kernel is asked for each depth.
 * Where the queue file system is mounted and readable (NDRX_QPATH,
 * /dev/mqueue), pqa also shows what the tables do not know.
 */
#include <dirent.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>

#include "clients/xadmin/commands.h"
#include "clients/xadmin/domain_view.h"
#include "clients/xadmin/listing.h"
#include "clients/xadmin/names.h"
#include "libatmi/env.h"

static const struct ow_column pqa_columns[] = {
	{ "MSG QUEUED", 10, OW_COLUMN_RIGHT },
	{ "Q NAME", 64, 0 },
	{ NULL, 0, 0 },
};

struct listing {
	const struct ow_view *v; /* NULL: no tables */
	struct ow_listing out;
	struct ow_names seen;	 /* the file system adds only the rest */
};

static void list_one(struct listing *l, const char *name)
{
	struct mq_attr attr;
	mqd_t mq = mq_open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int r;

	if (mq == (mqd_t)-1)
		return;
	r = mq_getattr(mq, &attr);
	mq_close(mq);
	if (r < 0 || !ow_names_add(&l->seen, name))
		return;
	if (l->out.json == NULL) {
		ow_grid_cell(l->out.grid, "%ld", attr.mq_curmsgs);
		if (attr.mq_curmsgs >= attr.mq_maxmsg)
			ow_grid_paint(l->out.grid, OW_COLOUR_BAD); /* full */
		ow_grid_cell(l->out.grid, "%s", name);
		ow_grid_end_row(l->out.grid);
		return;
	}
	ow_json_row_begin(l->out.json);
	ow_json_str(l->out.json, "queue", name);
	ow_json_int(l->out.json, "queued", attr.mq_curmsgs);
	ow_json_int(l->out.json, "messages_max", attr.mq_maxmsg);
	ow_json_int(l->out.json, "message_bytes", attr.mq_msgsize);
	ow_json_row_end(l->out.json);
}

static void list_tables(struct listing *l)
{
	const struct ow_tables *t = l->v->d.tables;
	char name[OW_NAMES_LEN], part[96];
	const struct ow_svc *s;
	uint32_t i;

	for (i = 0; i < ow_view_services(l->v); i++) {
		s = ow_view_service(l->v, i, part);
		if (s == NULL || (atomic_load(&s->gen) & 1) == 0)
			continue;
		snprintf(name, sizeof(name), "/%s,svc,%.31s", l->v->d.prefix,
			 part);
		list_one(l, name);
	}
	for (i = 0; i < ow_view_clients(l->v); i++) {
		if (!ow_view_client(l->v, i))
			continue;
		ow_view_text(part, t->clt[i].queue, sizeof(part));
		snprintf(name, sizeof(name), "/%s,%s", l->v->d.prefix, part);
		if (part[0] != '\0')
			list_one(l, name);
	}
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
		list_one(l, name);
	}
	if (dir != NULL)
		closedir(dir);
}

int ow_list_pqa(struct ow_args *a)
{
	struct listing l = { .v = NULL };
	char why[512], prefix[OW_PREFIX_MAX + 4];
	struct ow_view v;
	struct ow_domain d;

	if (ow_domain_read_env(&d, why, sizeof(why)) != 0)
		return ow_cmd_fail(a, "%s", why);
	snprintf(prefix, sizeof(prefix), "%s,", d.prefix);
	if (ow_listing_begin(&l.out, a, pqa_columns) != 0)
		return ow_cmd_fail(a, "no memory");
	if (ow_view_open(&v, why, sizeof(why)) == 0) {
		l.v = &v;
		list_tables(&l);
		ow_view_close(&v);
	}
	list_directory(&l, ow_args_has(a, 'a') ? "" : prefix);
	ow_listing_end(&l.out);
	ow_names_clear(&l.seen);
	return OW_EXIT_OK;
}
