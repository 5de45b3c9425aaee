/* SPDX-License-Identifier: Apache-2.0 */
/*
 * show.c - every effective value with its origin
 *
 * Built on the tables of fields, so a new field is shown without a change
 * here.
 */
#include "libndrx/config/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/config/getter.h"
#include "libndrx/config/grammar.h"

struct show {
	void (*fn)(const struct ow_config_setting *value, void *arg);
	void *arg;
};

static const struct ow_config_origin nowhere = { .file = NULL };

static int show_field(const struct show *show, const struct ow_field *f,
		      const void *base, struct ow_config_setting *value)
{
	char *text = NULL;
	size_t len;
	FILE *out;

	if ((f->flags & OW_FIELD_CHECKED) != 0)
		return 0;
	value->name = f->name;
	value->value = NULL;
	if (!ow_config_field_is_absent(f, base)) {
		out = open_memstream(&text, &len);
		if (out == NULL)
			return -ENOMEM;
		ow_config_field_text(out, f, base);
		if (fclose(out) != 0) {
			free(text);
			return -ENOMEM;
		}
		value->value = text;
	}
	show->fn(value, show->arg);
	free(text);
	return 0;
}

static int show_fields(const struct show *show,
		       const struct ow_field_table *table, const void *base,
		       const struct ow_config_origin *origins,
		       const struct ow_config_server *server)
{
	int r = 0;

	for (size_t i = 0; i < table->n && r == 0; i++) {
		struct ow_config_setting value = {
			.server = server,
			.origin = origins != NULL ? &origins[i] : &nowhere,
		};

		r = show_field(show, &table->fields[i], base, &value);
	}
	return r;
}

static void show_envs(const struct show *show,
		      const struct ow_config_server *s)
{
	for (size_t i = 0; i < s->n_envs; i++) {
		struct ow_config_setting value = {
			.server = s,
			.name = s->envs[i].name,
			.is_env = true,
			.value = s->envs[i].value,
			.origin = &s->envs[i].origin,
		};

		show->fn(&value, show->arg);
	}
}

/* The position of an attribute is not kept: its element's is shown for it. A
 * value that equals the default counts as the default. */
static bool is_initial(const struct ow_field *f, const void *base)
{
	const void *member = (const char *)base + f->offset;

	switch (f->kind) {
	case OW_FIELD_BOOL:
		return !*(const bool *)member;
	case OW_FIELD_INT:
		return *(const int *)member == 0;
	case OW_FIELD_SIZE:
		return *(const int64_t *)member == OW_CONFIG_NO_LIMIT;
	default:
		return ow_config_field_is_absent(f, base);
	}
}

static int show_attrs(const struct show *show,
		      const struct ow_field_table *table, const void *base,
		      const struct ow_config_setting *whose)
{
	int r = 0;

	for (size_t i = 0; i < table->n && r == 0; i++) {
		const struct ow_field *f = &table->fields[i];
		struct ow_config_setting value = *whose;

		if (is_initial(f, base))
			value.origin = &nowhere;
		r = show_field(show, f, base, &value);
	}
	return r;
}

static int show_groups(const struct show *show, const struct ow_config *c)
{
	int r = 0;

	for (size_t i = 0; i < c->n_groups && r == 0; i++) {
		const struct ow_config_procgroup *g = &c->groups[i];
		struct ow_config_origin at = { .file = g->file,
					       .line = g->line };

		r = show_attrs(
		    show, &ow_config_group_table, g,
		    &(struct ow_config_setting){ .group = g, .origin = &at });
	}
	return r;
}

static int show_clients(const struct show *show, const struct ow_config *c)
{
	int r = 0;

	for (size_t i = 0; i < c->n_clients && r == 0; i++) {
		const struct ow_config_client *cl = &c->clients[i];
		struct ow_config_origin at = { .file = cl->file,
					       .line = cl->line };

		r = show_attrs(
		    show, &ow_config_client_table, cl,
		    &(struct ow_config_setting){ .client = cl, .origin = &at });
	}
	return r;
}

static int show_services(const struct show *show, const struct ow_config *c)
{
	int r = 0;

	for (size_t i = 0; i < c->n_services && r == 0; i++) {
		const struct ow_config_service *s = &c->services[i];
		struct ow_config_origin at = { .file = s->file,
					       .line = s->line };

		r = show_attrs(
		    show, &ow_config_service_table, s,
		    &(struct ow_config_setting){ .service = s, .origin = &at });
	}
	return r;
}

static int show_access(const struct show *show, const struct ow_config *c)
{
	int r = 0;

	for (size_t i = 0; i < c->n_access && r == 0; i++) {
		const struct ow_config_access *a = &c->access[i];
		struct ow_config_origin at = { .file = a->file,
					       .line = a->line };

		r = show_attrs(
		    show, &ow_config_access_table, a,
		    &(struct ow_config_setting){ .access = a, .origin = &at });
	}
	return r;
}

static int show_security(const struct show *show, const struct ow_config *c)
{
	const struct ow_config_security *s = &c->security;
	struct ow_config_origin at = { .file = s->file, .line = s->line };
	int r = 0;

	if (s->file != NULL)
		r = show_attrs(show, &ow_config_security_table, s,
			       &(struct ow_config_setting){ .security = s,
							    .origin = &at });
	for (size_t i = 0; i < c->n_events && r == 0; i++) {
		const struct ow_config_event *e = &c->events[i];

		at = (struct ow_config_origin){ .file = e->file,
						.line = e->line };
		r = show_attrs(
		    show, &ow_config_event_table, e,
		    &(struct ow_config_setting){ .event = e, .origin = &at });
	}
	return r;
}

static int show_cluster(const struct show *show, const struct ow_config *c)
{
	const struct ow_config_cluster *s = &c->cluster;
	struct ow_config_origin at = { .file = s->file, .line = s->line };

	if (s->file == NULL)
		return 0;
	return show_attrs(
	    show, &ow_config_cluster_table, s,
	    &(struct ow_config_setting){ .cluster = s, .origin = &at });
}

/* As they are given: the gate has the defaults. */
static void show_http(const struct show *show, const struct ow_config *c)
{
	const struct ow_config_http *gate = NULL;

	for (size_t i = 0; i < c->n_http; i++) {
		const struct ow_config_http *h = &c->http[i];
		struct ow_config_origin at = { .file = h->file,
					       .line = h->line };

		if (strcmp(h->element, "http") == 0)
			gate = h;
		for (size_t k = 0; k < h->n; k++)
			show->fn(&(struct ow_config_setting){
					 .http = h, .gate = gate,
					 .name = h->pairs[k].name,
					 .value = h->pairs[k].value,
					 .origin = &at },
				 show->arg);
	}
}

int ow_config_each_value(const struct ow_config *config,
			 void (*fn)(const struct ow_config_setting *value,
				    void *arg),
			 void *arg)
{
	struct show show = { .fn = fn, .arg = arg };
	int r = show_fields(&show, &ow_config_app_table, &config->app,
			    config->app_origins, NULL);

	if (r == 0)
		r = show_groups(&show, config);
	for (size_t i = 0; i < config->n_servers && r == 0; i++) {
		const struct ow_config_server *s = &config->servers[i];

		r = show_fields(&show, &ow_config_server_table, s, s->origins,
				s);
		if (r == 0)
			show_envs(&show, s);
	}
	if (r == 0)
		r = show_clients(&show, config);
	if (r == 0)
		r = show_access(&show, config);
	if (r == 0)
		r = show_security(&show, config);
	if (r == 0)
		r = show_cluster(&show, config);
	if (r == 0)
		r = show_services(&show, config);
	if (r == 0)
		show_http(&show, config);
	return r;
}
