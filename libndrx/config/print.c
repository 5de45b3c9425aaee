/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.c - the effective configuration written as XML
 *
 * The text loads to the same values; sections without effect are left out.
 * Built on the tables of fields, so a new field is printed without a change
 * here.
 */
#include "libndrx/config/config.h"

#include <errno.h>
#include <string.h>

#include "libndrx/config/getter.h"
#include "libndrx/config/grammar.h"

struct printer {
	FILE *out;
	const char *indent;
};

static void put_fields(const struct printer *p,
		       const struct ow_field_table *table, const void *base)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct ow_field *f = &table->fields[i];

		if (ow_config_field_is_absent(f, base))
			continue;
		fprintf(p->out, "%s<%s>", p->indent, f->name);
		ow_config_field_xml(p->out, f, base);
		fprintf(p->out, "</%s>\n", f->name);
	}
}

/* The start of an element with attributes only, up to before its ">". */
static void put_attrs(FILE *out, const char *name,
		      const struct ow_field_table *table, const void *base)
{
	fprintf(out, "\t\t<%s", name);
	for (size_t i = 0; i < table->n; i++) {
		const struct ow_field *f = &table->fields[i];

		if (ow_config_field_is_absent(f, base))
			continue;
		fprintf(out, " %s=\"", f->name);
		ow_config_field_xml(out, f, base);
		fputc('"', out);
	}
}

static void put_groups(FILE *out, const struct ow_config *config)
{
	if (config->n_groups == 0)
		return;
	fputs("\t<procgroups>\n", out);
	for (size_t i = 0; i < config->n_groups; i++) {
		put_attrs(out, "procgroup", &ow_config_group_table,
			  &config->groups[i]);
		fputs("/>\n", out);
	}
	fputs("\t</procgroups>\n", out);
}

static void put_access(FILE *out, const struct ow_config *config)
{
	for (size_t i = 0; i < config->n_access; i++) {
		put_attrs(out, "access", &ow_config_access_table,
			  &config->access[i]);
		fputs("/>\n", out);
	}
}

static void put_security(FILE *out, const struct ow_config *config)
{
	if (config->security.file != NULL) {
		put_attrs(out, "security", &ow_config_security_table,
			  &config->security);
		fputs("/>\n", out);
	}
	for (size_t i = 0; i < config->n_events; i++) {
		put_attrs(out, "event", &ow_config_event_table,
			  &config->events[i]);
		fputs("/>\n", out);
	}
}

static void put_cluster(FILE *out, const struct ow_config *config)
{
	if (config->cluster.file == NULL)
		return;
	put_attrs(out, "cluster", &ow_config_cluster_table, &config->cluster);
	fputs("/>\n", out);
}

static void put_services(FILE *out, const struct ow_config *config)
{
	if (config->n_services == 0)
		return;
	fputs("\t<services>\n", out);
	for (size_t i = 0; i < config->n_services; i++) {
		put_attrs(out, "service", &ow_config_service_table,
			  &config->services[i]);
		fputs("/>\n", out);
	}
	fputs("\t</services>\n", out);
}

static void put_routes(const struct printer *p,
		       const struct ow_config *config)
{
	if (config->n_routes == 0)
		return;
	fputs("\t<routing>\n", p->out);
	for (size_t i = 0; i < config->n_routes; i++) {
		put_attrs(p->out, "route", &ow_config_route_attrs,
			  &config->routes[i]);
		fputs(">\n", p->out);
		put_fields(p, &ow_config_route_table, &config->routes[i]);
		fputs("\t\t</route>\n", p->out);
	}
	fputs("\t</routing>\n", p->out);
}

static void put_envs(const struct printer *p, const struct ow_config_env *e,
		     size_t n)
{
	for (; n > 0; n--, e++) {
		fprintf(p->out, "%s<env name=\"", p->indent);
		ow_config_text_put(p->out, e->name, true);
		fputs(e->value == NULL ? "\" unset=\"Y\">" : "\">", p->out);
		if (e->value != NULL)
			ow_config_text_put(p->out, e->value, !e->is_encrypted);
		fputs("</env>\n", p->out);
	}
}

static void put_clients(const struct printer *p,
			const struct ow_config *config)
{
	if (config->n_clients == 0)
		return;
	fputs("\t<clients>\n", p->out);
	for (size_t i = 0; i < config->n_clients; i++) {
		const struct ow_config_client *c = &config->clients[i];

		if (c->implied)
			continue;
		fputs("\t\t<client>\n\t", p->out);
		put_attrs(p->out, "exec", &ow_config_client_table, c);
		fputs(">\n\t\t\t<envs>\n", p->out);
		put_envs(p, c->envs, c->n_envs);
		fputs("\t\t\t</envs></exec>\n\t\t</client>\n", p->out);
	}
	fputs("\t</clients>\n", p->out);
}

static void put_server(const struct printer *p,
		       const struct ow_config_server *s)
{
	fputs("\t\t<server name=\"", p->out);
	ow_config_text_put(p->out, s->name, true);
	fputs("\">\n", p->out);
	put_fields(p, &ow_config_server_table, s);
	put_envs(p, s->envs, s->n_envs);
	fputs("\t\t</server>\n", p->out);
}

static void put_http_element(FILE *out, const struct ow_config_http *h)
{
	fprintf(out, "\t%s<%s", strcmp(h->element, "http") == 0 ? "" : "\t",
		h->element);
	for (size_t i = 0; i < h->n; i++) {
		fprintf(out, " %s=\"", h->pairs[i].name);
		ow_config_text_put(out, h->pairs[i].value, true);
		fputc('"', out);
	}
}

static void put_http(FILE *out, const struct ow_config *config)
{
	bool open = false;

	for (size_t i = 0; i < config->n_http; i++) {
		const struct ow_config_http *h = &config->http[i];
		bool is_section = strcmp(h->element, "http") == 0;

		if (open && is_section)
			fputs("\t</http>\n", out);
		put_http_element(out, h);
		fputs(is_section ? ">\n" : "/>\n", out);
		open = true;
	}
	if (open)
		fputs("\t</http>\n", out);
}

int ow_config_print(FILE *out, const struct ow_config *config)
{
	struct printer app = { .out = out, .indent = "\t\t" };
	struct printer server = { .out = out, .indent = "\t\t\t" };

	fputs("<?xml version=\"1.0\"?>\n<endurox>\n\t<appconfig>\n", out);
	put_fields(&app, &ow_config_app_table, &config->app);
	fputs("\t</appconfig>\n", out);
	put_groups(out, config);
	fputs("\t<servers>\n", out);
	for (size_t i = 0; i < config->n_servers; i++)
		put_server(&server, &config->servers[i]);
	fputs("\t</servers>\n", out);
	put_clients(&server, config);
	put_access(out, config);
	put_security(out, config);
	put_cluster(out, config);
	put_services(out, config);
	put_routes(&server, config);
	put_http(out, config);
	fputs("</endurox>\n", out);
	return ferror(out) != 0 || fflush(out) != 0 ? -EIO : 0;
}
