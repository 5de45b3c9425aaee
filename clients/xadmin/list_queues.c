/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list_queues.c - pq and pqa: queues and their depths
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
#include "clients/xadmin/format.h"
#include "clients/xadmin/json.h"
#include "clients/xadmin/names.h"
#include "libatmi/env.h"
#include "libatmi/queue.h"

#define HISTORY 10

static const char pq_head[] =
    "SERVICE NAME QUEUE LAST AVERAGE HISTORICAL (10 SANITY CYCLES)";
static const int pq_widths[] = { 12, 10, 7, 29, 0 };
static const char pqa_head[] = "MSG QUEUED Q NAME";
static const int pqa_widths[] = { 10, 64, 0 };

static void print_depth(const char *name, uint32_t depth)
{
	char clip[16];
	int i;

	ow_format_clip(name, 12, clip, sizeof(clip));
	printf("%-12.12s %10u %7d", clip, depth, 0);
	for (i = 0; i < HISTORY; i++)
		printf(" 0");
	putchar('\n');
}

static void json_depth(struct ow_json *j, const struct ow_svc *s,
		       const char *name, uint32_t depth)
{
	ow_json_row_begin(j);
	ow_json_str(j, "service", name);
	ow_json_uint(j, "queued", depth);
	ow_json_uint(j, "queue_messages_max", s->maxmsg);
	ow_json_uint(j, "servers", atomic_load(&s->nsrv));
	ow_json_row_end(j);
}

int ow_list_pq(struct ow_args *a)
{
	struct ow_json j = { .out = stdout };
	const struct ow_svc *s;
	char why[512], name[OW_SVC_NAME], queue[64];
	struct ow_view v;
	uint32_t i, depth;

	if (ow_view_open(&v, why, sizeof(why)) != 0)
		return ow_cmd_fail(a, "%s", why);
	if (a->json)
		ow_json_list_begin(&j, NULL);
	else
		ow_format_header(pq_head, pq_widths);
	for (i = 0; i < ow_view_services(&v); i++) {
		s = ow_view_service(&v, i, name);
		if (s == NULL || (atomic_load(&s->gen) & 1) == 0)
			continue;
		snprintf(queue, sizeof(queue), "svc,%s", name);
		if (ow_queue_peek(&v.d, queue, &depth) != 0)
			continue;
		if (a->json)
			json_depth(&j, s, name, depth);
		else
			print_depth(name, depth);
	}
	if (a->json)
		ow_json_list_end(&j);
	ow_view_close(&v);
	return OW_EXIT_OK;
}

/* ---- pqa ---- */

struct listing {
	const struct ow_view *v; /* NULL: no tables */
	struct ow_json *json;	 /* NULL: text */
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
	if (l->json == NULL) {
		printf("%10ld %s\n", attr.mq_curmsgs, name);
		return;
	}
	ow_json_row_begin(l->json);
	ow_json_str(l->json, "queue", name);
	ow_json_int(l->json, "queued", attr.mq_curmsgs);
	ow_json_int(l->json, "messages_max", attr.mq_maxmsg);
	ow_json_int(l->json, "message_bytes", attr.mq_msgsize);
	ow_json_row_end(l->json);
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
	struct ow_json j = { .out = stdout };
	struct listing l = { .json = a->json ? &j : NULL };
	char why[512], prefix[OW_PREFIX_MAX + 4];
	struct ow_view v;
	struct ow_domain d;
	int r = ow_view_open(&v, why, sizeof(why));

	if (ow_domain_read_env(&d, why, sizeof(why)) != 0)
		return ow_cmd_fail(a, "%s", why);
	snprintf(prefix, sizeof(prefix), "%s,", d.prefix);
	if (a->json)
		ow_json_list_begin(&j, NULL);
	else
		ow_format_header(pqa_head, pqa_widths);
	if (r == 0) {
		l.v = &v;
		list_tables(&l);
		ow_view_close(&v);
	}
	list_directory(&l, ow_args_has(a, 'a') ? "" : prefix);
	if (a->json)
		ow_json_list_end(&j);
	ow_names_clear(&l.seen);
	return OW_EXIT_OK;
}
