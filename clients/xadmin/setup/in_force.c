/* SPDX-License-Identifier: Apache-2.0 */
/*
 * in_force.c - the values that a running ndrxd uses
 */
#include "clients/xadmin/setup/in_force.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "libndrx/observe/command.h"
#include "libatmi/domain/domain.h"
#include "libatmi/member/join.h"
#include "libubf/base/cleanup.h"

struct value {
	struct ow_place_of at; /* padding is zero: compared as bytes */
	char *text;	       /* NULL: no value */
	bool seen;
	UT_hash_handle hh;
};

struct ow_in_force {
	struct value *values; /* in the order of the file */
};

/* "http NAME", "http NAME route POST /PATH", "http NAME host NAME" */
static void place_of_http(const struct ow_config_setting *v, char *buf,
			  size_t size)
{
	static const char *const keys[] = { "name", "svc" };
	const char *gate = v->gate != NULL
			       ? ow_config_http_value(v->gate, "name") : NULL;
	const char *method = ow_config_http_value(v->http, "method");
	const char *path = ow_config_http_value(v->http, "path"), *key = NULL;
	size_t i, n;

	n = (size_t)snprintf(buf, size, "http%s%.60s", gate != NULL ? " " : "",
			     gate != NULL ? gate : "");
	if (v->http == v->gate)
		return;
	for (i = 0; key == NULL && i < 2; i++)
		key = ow_config_http_value(v->http, keys[i]);
	if (path != NULL)
		snprintf(buf + n, size - n, " %s %s %s", v->http->element,
			 method != NULL ? method : "POST", path);
	else
		snprintf(buf + n, size - n, " %s %s", v->http->element,
			 key != NULL ? key : "");
}

void ow_place_of(const struct ow_config_setting *v, struct ow_place_of *ret)
{
	const struct ow_config_server *s = v->server;

	memset(ret, 0, sizeof(*ret));
	ret->srvid = s != NULL ? s->srvid : 0;
	if (v->group != NULL)
		snprintf(ret->section, sizeof(ret->section), "group %s",
			 v->group->name);
	else if (v->client != NULL)
		snprintf(ret->section, sizeof(ret->section), "client %s/%s",
			 v->client->tag, v->client->subsect);
	else if (v->access != NULL)
		snprintf(ret->section, sizeof(ret->section), "access %s",
			 v->access->group);
	else if (v->security != NULL)
		snprintf(ret->section, sizeof(ret->section), "security");
	else if (v->cluster != NULL)
		snprintf(ret->section, sizeof(ret->section), "cluster");
	else if (v->event != NULL)
		snprintf(ret->section, sizeof(ret->section), "event %.60s",
			 v->event->name);
	else if (v->http != NULL)
		place_of_http(v, ret->section, sizeof(ret->section));
	else if (v->service != NULL)
		snprintf(ret->section, sizeof(ret->section), "service %s",
			 v->service->name);
	else
		snprintf(ret->section, sizeof(ret->section), "%s",
			 s != NULL ? s->name : "appconfig");
	snprintf(ret->name, sizeof(ret->name), "%s%s", v->is_env ? "env " : "",
		 v->name);
}

/* The later of two variables with one name is used, as in a process. */
static void add(const struct ow_config_setting *v, void *arg)
{
	struct ow_in_force *f = arg;
	struct value *value, *before;

	value = calloc(1, sizeof(*value));
	if (value == NULL)
		return;
	ow_place_of(v, &value->at);
	value->text = v->value != NULL ? strdup(v->value) : NULL;
	HASH_FIND(hh, f->values, &value->at, sizeof(value->at), before);
	if (before != NULL) {
		free(before->text);
		before->text = value->text;
		free(value);
		return;
	}
	HASH_ADD(hh, f->values, at, sizeof(value->at), value);
}

/* The path of the file, if an ndrxd stands behind it. */
static bool find_file(char path[OW_IN_FORCE_PATH])
{
	struct ow_command_link remote = { .fd = -1 };
	struct ow_domain d;
	char why[512];

	if (ow_domain_read_env(&d, why, sizeof(why)) != 0 ||
	    d.run_dir[0] == '\0' || ow_command_open(&d, &remote) != 0)
		return false;
	ow_command_close(&remote);
	ow_domain_in_force(&d, path);
	return true;
}

struct ow_in_force *ow_in_force_open(void)
{
	OW_CLEANUP(ow_config_freep) struct ow_config *config = NULL;
	OW_CLEANUP(ow_in_force_closep) struct ow_in_force *f = NULL;
	struct ow_in_force *ret;
	char path[OW_IN_FORCE_PATH];
	struct ow_config_error err;

	if (!find_file(path) || ow_config_load(path, &err, &config) != 0)
		return NULL;
	f = calloc(1, sizeof(*f));
	if (f == NULL || ow_config_each_value(config, add, f) != 0)
		return NULL;
	ret = f;
	f = NULL;
	return ret;
}

struct ow_in_force *ow_in_force_close(struct ow_in_force *f)
{
	struct value *v, *next;

	if (f == NULL)
		return NULL;
	HASH_ITER(hh, f->values, v, next) {
		HASH_DEL(f->values, v);
		free(v->text);
		free(v);
	}
	free(f);
	return NULL;
}

bool ow_in_force_find(struct ow_in_force *f, const struct ow_place_of *at,
		      const char **ret_text)
{
	struct value *v;

	HASH_FIND(hh, f->values, at, sizeof(*at), v);
	if (v == NULL)
		return false;
	v->seen = true;
	*ret_text = v->text;
	return true;
}

void ow_in_force_each_unseen(struct ow_in_force *f,
			     void (*fn)(const struct ow_place_of *at,
					const char *text, void *arg),
			     void *arg)
{
	struct value *v;

	for (v = f->values; v != NULL; v = v->hh.next)
		if (!v->seen)
			fn(&v->at, v->text, arg);
}
