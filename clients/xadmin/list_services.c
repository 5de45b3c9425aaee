/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list_services.c - psc and psvc: services, from the shared tables
 */
#include <stdio.h>
#include <string.h>

#include "clients/xadmin/commands.h"
#include "clients/xadmin/domain_view.h"
#include "clients/xadmin/format.h"
#include "clients/xadmin/json.h"

static const char psc_head[] =
    "Nd Service Name Routine Name Prog Name SRVID #SUCC #FAIL      MAX     "
    "LAST STAT";
static const char psc_s_head[] =
    "Nd Service Name                   Prog SRVID #SUCC #FAIL      MAX     "
    "LAST STAT";
static const int psc_widths[] = { 2, 12, 12, 9, 5, 5, 5, 8, 8, 5, 0 };
static const int psc_s_widths[] = { 2, 30, 4, 5, 5, 5, 8, 8, 5, 0 };

static const char psvc_head[] =
    "  SLOT SERVICE NAME NSRV FLAGS CSRVS TCLST CMAX CNODES";
static const int psvc_widths[] = { 6, 12, 4, 5, 5, 5, 4, 32, 0 };

/* One service of one server, copied out. */
struct offer {
	uint32_t srvid;
	char svc[OW_SVC_NAME];
	char func[OW_SVC_NAME];
	char bin[64];
	bool busy;
	const struct ow_adv *adv;
};

typedef void offer_fn(const struct ow_view *v, const struct offer *o,
		      void *arg);

static void each_offer(const struct ow_view *v, offer_fn *fn, void *arg)
{
	const struct ow_tables *t = v->d.tables;
	struct offer o;
	uint32_t row, n;

	for (o.srvid = ow_srv_next(t, 1); o.srvid != 0;
	     o.srvid = ow_srv_next(t, o.srvid + 1)) {
		if (!ow_srv_alive(t, o.srvid))
			continue;
		n = ow_view_rows(v, o.srvid);
		ow_view_bin(v, o.srvid, o.bin);
		for (row = 0; row < n; row++) {
			if (ow_view_row_service(v, o.srvid, row, o.svc) == NULL)
				continue;
			o.adv = &t->adv[o.srvid][row];
			ow_view_text(o.func, o.adv->func, sizeof(o.func));
			o.busy = atomic_load(&t->srv[o.srvid].cur_adv) ==
				 row + 1;
			fn(v, &o, arg);
		}
	}
}

struct columns {
	char svc[32], func[16], bin[16];
	char ok[16], fail[16], max[16], last[16];
};

static void make_columns(const struct offer *o, struct columns *c)
{
	ow_format_clip(o->func, 12, c->func, sizeof(c->func));
	ow_format_count(atomic_load(&o->adv->ok), c->ok, sizeof(c->ok));
	ow_format_count(atomic_load(&o->adv->fail), c->fail, sizeof(c->fail));
	ow_format_us(atomic_load(&o->adv->max_us), c->max, sizeof(c->max));
	ow_format_us(atomic_load(&o->adv->last_us), c->last, sizeof(c->last));
}

static const char *stat_word(const struct offer *o)
{
	return o->busy ? "BUSY" : "AVAIL";
}

static void print_offer(const struct ow_view *v, const struct offer *o,
			void *arg)
{
	struct columns c;

	(void)arg;
	make_columns(o, &c);
	ow_format_clip(o->svc, 12, c.svc, sizeof(c.svc));
	ow_format_clip(o->bin, 9, c.bin, sizeof(c.bin));
	printf("%2ld %-12.12s %-12.12s %-9.9s %5u %5.5s %5.5s %8.8s %8.8s "
	       "%-5.5s\n",
	       v->d.nodeid, c.svc, c.func, c.bin, o->srvid, c.ok, c.fail,
	       c.max, c.last, stat_word(o));
}

static void print_offer_long(const struct ow_view *v, const struct offer *o,
			     void *arg)
{
	struct columns c;

	(void)arg;
	make_columns(o, &c);
	ow_format_clip(o->svc, 30, c.svc, sizeof(c.svc));
	ow_format_clip(o->bin, 4, c.bin, sizeof(c.bin));
	printf("%2ld %-30.30s %-4.4s %5u %5.5s %5.5s %8.8s %8.8s %-5.5s\n",
	       v->d.nodeid, c.svc, c.bin, o->srvid, c.ok, c.fail, c.max,
	       c.last, stat_word(o));
}

static void json_offer(const struct ow_view *v, const struct offer *o,
		       void *arg)
{
	struct ow_json *j = arg;
	const struct ow_adv *adv = o->adv;
	int i;

	ow_json_row_begin(j);
	ow_json_int(j, "node", v->d.nodeid);
	ow_json_str(j, "service", o->svc);
	ow_json_str(j, "function", o->func);
	ow_json_str(j, "program", o->bin);
	ow_json_uint(j, "srvid", o->srvid);
	ow_json_uint(j, "succeeded", atomic_load(&adv->ok));
	ow_json_uint(j, "failed", atomic_load(&adv->fail));
	ow_json_uint(j, "min_us", atomic_load(&adv->min_us));
	ow_json_uint(j, "max_us", atomic_load(&adv->max_us));
	ow_json_uint(j, "last_us", atomic_load(&adv->last_us));
	ow_json_uint(j, "sum_us", atomic_load(&adv->sum_us));
	ow_json_uint(j, "wait_sum_us", atomic_load(&adv->wait_sum_us));
	ow_json_list_begin(j, "histogram_log2_us");
	for (i = 0; i < (int)OW_HIST_BUCKETS; i++)
		ow_json_uint(j, NULL, atomic_load(&adv->hist[i]));
	ow_json_list_end(j);
	ow_json_list_begin(j, "wait_histogram_log2_us");
	for (i = 0; i < (int)OW_HIST_BUCKETS; i++)
		ow_json_uint(j, NULL, atomic_load(&adv->wait_hist[i]));
	ow_json_list_end(j);
	ow_json_str(j, "status", stat_word(o));
	ow_json_row_end(j);
}

int ow_list_psc(struct ow_args *a)
{
	bool long_names = ow_args_has(a, 's');
	struct ow_json j = { .out = stdout };
	struct ow_view v;
	char why[512];

	if (ow_view_open(&v, why, sizeof(why)) != 0)
		return ow_cmd_fail(a, "%s", why);
	if (a->json) {
		ow_json_list_begin(&j, NULL);
		each_offer(&v, json_offer, &j);
		ow_json_list_end(&j);
	} else if (long_names) {
		ow_format_header(psc_s_head, psc_s_widths);
		each_offer(&v, print_offer_long, NULL);
	} else {
		ow_format_header(psc_head, psc_widths);
		each_offer(&v, print_offer, NULL);
	}
	ow_view_close(&v);
	return OW_EXIT_OK;
}

/* ---- psvc ---- */

static void print_service(const struct ow_svc *s, uint32_t slot,
			  const char *name, bool whole)
{
	char clip[OW_SVC_NAME], nsrv[16];

	ow_format_clip(name, whole ? OW_SVC_NAME - 1 : 12, clip, sizeof(clip));
	ow_format_count(atomic_load(&s->nsrv), nsrv, sizeof(nsrv));
	/* No cluster yet: no server on another node. */
	printf("%6u %-12s %4.4s %5d %5d %5d %4d %032d\n", slot, clip, nsrv, 0,
	       0, 0, 0, 0);
}

static void json_service(struct ow_json *j, const struct ow_svc *s,
			 uint32_t slot, const char *name)
{
	ow_json_row_begin(j);
	ow_json_uint(j, "slot", slot);
	ow_json_str(j, "service", name);
	ow_json_uint(j, "servers", atomic_load(&s->nsrv));
	ow_json_bool(j, "queue", (atomic_load(&s->gen) & 1) != 0);
	ow_json_uint(j, "priority", atomic_load(&s->prio));
	ow_json_uint(j, "queue_messages_max", s->maxmsg);
	ow_json_uint(j, "queue_message_bytes", s->msgsize);
	ow_json_uint(j, "expired", atomic_load(&s->expired));
	ow_json_uint(j, "queue_full", atomic_load(&s->full));
	ow_json_uint(j, "failed_by_system", atomic_load(&s->failed));
	ow_json_row_end(j);
}

int ow_list_psvc(struct ow_args *a)
{
	struct ow_json j = { .out = stdout };
	const struct ow_svc *s;
	char why[512], name[OW_SVC_NAME];
	struct ow_view v;
	uint32_t i;

	if (ow_view_open(&v, why, sizeof(why)) != 0)
		return ow_cmd_fail(a, "%s", why);
	if (a->json)
		ow_json_list_begin(&j, NULL);
	else
		ow_format_header(psvc_head, psvc_widths);
	for (i = 0; i < ow_view_services(&v); i++) {
		s = ow_view_service(&v, i, name);
		if (s == NULL || (atomic_load(&s->nsrv) == 0 &&
				  (atomic_load(&s->gen) & 1) == 0))
			continue;
		if (a->json)
			json_service(&j, s, (uint32_t)(s - v.d.tables->svc),
				     name);
		else
			print_service(s, (uint32_t)(s - v.d.tables->svc), name,
				      ow_args_has(a, 'r'));
	}
	if (a->json)
		ow_json_list_end(&j);
	ow_view_close(&v);
	return OW_EXIT_OK;
}
