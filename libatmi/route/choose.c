/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.c - read the file of routes; choose the group of a request
 *
 * The file is read once per process and version. Callers share what was read,
 * under a lock that only the next version takes for writing.
 */
#include "libatmi/route/route.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/forks.h"
#include "libatmi/base/owned.h"
#include "libatmi/domain/domain.h"
#include "libatmi/route/ranges.h"
#include "libubf/base/uncancelled.h"

struct route {
	char name[OW_ROUTE_GROUP], field[64], type[16];
	BFLDID id; /* 0: not known to ndrxd */
	bool view; /* `field` is a member of views */
	struct ow_ranges *ranges;
};

struct routed {
	char service[OW_SVC_NAME], route[OW_ROUTE_GROUP];
};

/* What the file says. */
struct book {
	uint32_t version; /* 0: none was read */
	struct route *routes;
	struct routed *services;
	size_t n_routes, n_services;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct book book;

static void lock_book(void)
{
	pthread_rwlock_wrlock(&lock);
}

static void unlock_book(void)
{
	pthread_rwlock_unlock(&lock);
}

static void forked(void)
{
	pthread_rwlock_init(&lock, NULL);
}

OW_FORKS_INNER static void watch_forks(void)
{
	pthread_atfork(lock_book, unlock_book, forked);
}

/* ---- the file ---- */

static void clear(struct book *b)
{
	size_t i;

	for (i = 0; i < b->n_routes; i++)
		ow_ranges_free(b->routes[i].ranges);
	free(b->routes);
	free(b->services);
	memset(b, 0, sizeof(*b));
}

static int add_route(struct book *b, const char *line)
{
	struct route *all, r = { .id = 0 };
	int at = 0, id = 0, e;

	r.view = line[0] == 'v';
	if (r.view)
		(void)sscanf(line, "view %15s %63s %15s %n", r.name, r.field,
			     r.type, &at);
	else
		(void)sscanf(line, "route %15s %d %63s %15s %n", r.name, &id,
			     r.field, r.type, &at);
	if (at == 0)
		return -EBADMSG; /* not up to the ranges */
	r.id = id;
	e = ow_ranges_parse(line + at, &r.ranges);
	if (e != 0)
		return e;
	all = realloc(b->routes, (b->n_routes + 1) * sizeof(*all));
	if (all == NULL) {
		ow_ranges_free(r.ranges);
		return -ENOMEM;
	}
	all[b->n_routes++] = r;
	b->routes = all;
	return 0;
}

static int add_service(struct book *b, const char *line)
{
	struct routed *all, s;

	if (sscanf(line, "service %31s %15s", s.service, s.route) != 2)
		return -EBADMSG;
	all = realloc(b->services, (b->n_services + 1) * sizeof(*all));
	if (all == NULL)
		return -ENOMEM;
	all[b->n_services++] = s;
	b->services = all;
	return 0;
}

static int read_lines(FILE *fp, struct book *b)
{
	char *line = NULL;
	size_t room = 0;
	int r = 0;

	while (r == 0 && getline(&line, &room, fp) > 0) {
		line[strcspn(line, "\n")] = '\0';
		r = line[0] == 's' ? add_service(b, line) : add_route(b, line);
	}
	free(line);
	return r == 0 && !feof(fp) ? -ENOMEM : r;
}

/* Read the file: 0, -errno. */
static int read_book(const struct ow_domain *d, struct book *ret)
{
	struct book b = { .version = atomic_load(&d->tables->head->routes) };
	char path[160];
	FILE *fp;
	int r;

	ow_domain_shm_path(d, "routes", path, sizeof(path));
	r = ow_owned_fopen(path, &fp);
	if (r != 0)
		return r;
	r = read_lines(fp, &b);
	fclose(fp);
	if (r != 0)
		clear(&b);
	else
		*ret = b;
	return r;
}

/* Have the version in force, with the lock held for reading: 0, or -errno
 * without the lock. */
static int open_book(const struct ow_domain *d)
{
	struct book fresh;
	int r;

	pthread_rwlock_rdlock(&lock);
	if (book.version == atomic_load(&d->tables->head->routes))
		return 0;
	pthread_rwlock_unlock(&lock);
	r = read_book(d, &fresh);
	if (r != 0)
		return r;
	pthread_rwlock_wrlock(&lock);
	clear(&book);
	book = fresh;
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_rdlock(&lock);
	return 0;
}

static const struct route *route_of(const char *svc)
{
	const char *name = NULL;
	size_t i;

	for (i = 0; i < book.n_services; i++)
		if (strcmp(book.services[i].service, svc) == 0)
			name = book.services[i].route;
	for (i = 0; name != NULL && i < book.n_routes; i++)
		if (strcmp(book.routes[i].name, name) == 0)
			return &book.routes[i];
	return NULL;
}

/* ---- the request ---- */

/* The field of a request that decides. */
struct decider {
	const struct route *r;
	const struct ow_route_data *data;
	BFLDID id; /* of UBF */
	int type;  /* of the field or member */
};

static enum ow_ranges_kind kind_of(const struct route *r, int type)
{
	const char *t = r->type;

	if (strcmp(t, "SHORT") == 0 || strcmp(t, "LONG") == 0)
		return OW_RANGES_INTEGER;
	if (strcmp(t, "FLOAT") == 0 || strcmp(t, "DOUBLE") == 0)
		return OW_RANGES_REAL;
	if (strcmp(t, "CHAR") == 0 || strcmp(t, "STRING") == 0)
		return OW_RANGES_TEXT;
	if (type == BFLD_SHORT || type == BFLD_LONG || type == BFLD_INT)
		return OW_RANGES_INTEGER;
	return type == BFLD_FLOAT || type == BFLD_DOUBLE ? OW_RANGES_REAL
							 : OW_RANGES_TEXT;
}

/* The value as a number: 0; -1: see Berror. */
static int get(const struct decider *f, void *to, int type)
{
	if (f->r->view)
		return CBvget(f->data->cstruct, f->data->view,
			      (char *)f->r->field, 0, to, NULL, type, 0);
	return CBget(f->data->ubf, f->id, 0, to, NULL, type);
}

/* The value as a text, for free(); NULL: see Berror. */
static char *get_text(const struct decider *f)
{
	if (f->r->view)
		return CBvgetalloc(f->data->cstruct, f->data->view,
				   (char *)f->r->field, 0, BFLD_STRING, 0,
				   NULL);
	return CBgetalloc(f->data->ubf, f->id, 0, BFLD_STRING, NULL);
}

/* The group for the value; NULL: see Berror, or no range. */
static const char *group_of(const struct decider *f)
{
	struct ow_ranges_value v = { .kind = kind_of(f->r, f->type) };
	const char *group = NULL;
	char *text = NULL;
	int e = 0;

	if (v.kind == OW_RANGES_INTEGER)
		e = get(f, &v.integer, BFLD_LONG);
	else if (v.kind == OW_RANGES_REAL)
		e = get(f, &v.real, BFLD_DOUBLE);
	else
		v.text = text = get_text(f);
	if (e == 0 && (v.kind != OW_RANGES_TEXT || text != NULL))
		group = ow_ranges_find(f->r->ranges, &v);
	free(text);
	return group;
}

/* Find the field in a UBF buffer: 0, or -1 with the reason. */
static int find_field(struct decider *f, char *why, size_t size)
{
	const struct route *r = f->r;

	f->id = r->id != 0 ? r->id : Bfldid((char *)r->field);
	f->type = Bfldtype(f->id);
	if (f->data->ubf == NULL)
		snprintf(why, size, "route %s: the request is not UBF", r->name);
	else if (f->id == BBADFLDID)
		snprintf(why, size, "route %s: field %s is in no field table",
			 r->name, r->field);
	else if (!Bpres(f->data->ubf, f->id, 0))
		snprintf(why, size, "route %s: the request has no field %s",
			 r->name, r->field);
	else
		return 0;
	return -1;
}

/* Find the member in a view: 0, or -1 with the reason. */
static int find_member(struct decider *f, char *why, size_t size)
{
	const struct route *r = f->r;

	if (f->data->view == NULL)
		snprintf(why, size, "route %s: the request is not a view known "
			 "here", r->name);
	else if (Bvoccur(f->data->cstruct, f->data->view, (char *)r->field,
			 NULL, NULL, NULL, &f->type) < 0)
		snprintf(why, size, "route %s: view %s has no member %s",
			 r->name, f->data->view, r->field);
	else
		return 0;
	return -1;
}

static int choose(const struct route *r, const char *svc,
		  const struct ow_route_data *data, char name[OW_SVC_NAME],
		  char *why, size_t size)
{
	struct decider f = { .r = r, .data = data };
	const char *group;
	int n;

	if ((r->view ? find_member : find_field)(&f, why, size) != 0)
		return -1;
	group = group_of(&f);
	if (group == NULL) {
		snprintf(why, size, "route %s: no range holds the value of %s",
			 r->name, r->field);
		return -1;
	}
	n = strcmp(group, "*") == 0
		? snprintf(name, OW_SVC_NAME, "%s", svc)
		: snprintf(name, OW_SVC_NAME, "%s@%s", svc, group);
	if (n >= (int)OW_SVC_NAME - 1) {
		snprintf(why, size, "route %s: %s@... is too long", r->name,
			 svc);
		return -1;
	}
	return 0;
}

int ow_route_choose(const struct ow_domain *d, const char *svc,
		    const struct ow_route_data *data,
		    char ret_name[OW_SVC_NAME], char *why, size_t size)
{
	OW_UNCANCELLED;
	const struct route *r;
	int e = open_book(d);

	if (e != 0) {
		snprintf(why, size, "the routes of the domain: %s",
			 e == -EBADMSG || e == -EINVAL
			     ? "the file is damaged" : ow_owned_strerror(e));
		return -1;
	}
	r = route_of(svc);
	e = r != NULL ? choose(r, svc, data, ret_name, why, size)
		      : OW_ROUTE_NONE;
	pthread_rwlock_unlock(&lock);
	return e;
}
