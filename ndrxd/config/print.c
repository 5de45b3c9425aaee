/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.c - the effective configuration written as XML
 *
 * For a user who asks what the defaults made of a server, and for tests: what
 * is written loads to the same values. Built on the tables of fields, so a new
 * field cannot be forgotten here.
 */
#include "ndrxd/config/check.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "ndrxd/config/text.h"

struct printer {
	FILE *out;
	const char *indent;
};

bool ow_config_field_is_absent(const struct ow_field *f, const void *member)
{
	switch (f->kind) {
	case OW_FIELD_TEXT:
	case OW_FIELD_COMMAND:
		return *(const char *const *)member == NULL;
	case OW_FIELD_CYCLES:
	case OW_FIELD_SECONDS:
		/* Not given, where nothing can be given as 0. */
		return (f->flags & OW_FIELD_POSITIVE) != 0 &&
		       *(const uint64_t *)member == 0;
	case OW_FIELD_PROGRAM:
		return *(const char *const *)member == NULL;
	case OW_FIELD_SCALE:
		return ((const struct ow_config_scale *)member)->wait_ms == 0;
	default:
		return false;
	}
}

static void put_scale(FILE *out, const struct ow_config_scale *s)
{
	fprintf(out,
		"wait=%" PRIu64 "ms after=%" PRIu64 "ms calm=%" PRIu64 "ms",
		s->wait_ms, s->after_ms, s->calm_ms);
}

static void put_value(FILE *out, const struct ow_field *f, const void *member)
{
	const int *signals = member;

	switch (f->kind) {
	case OW_FIELD_INT:
		fprintf(out, "%d", *(const int *)member);
		break;
	case OW_FIELD_BOOL:
		fputs(*(const bool *)member ? "Y" : "N", out);
		break;
	case OW_FIELD_CYCLES:
	case OW_FIELD_SECONDS:
		fprintf(out, "%" PRIu64 "ms", *(const uint64_t *)member);
		break;
	case OW_FIELD_SIZE:
		fprintf(out, "%" PRId64, *(const int64_t *)member);
		break;
	case OW_FIELD_KILLSEQ:
		for (int i = 0; i < 3 && signals[i] != 0; i++)
			fprintf(out, "%s%d", i > 0 ? "," : "", signals[i]);
		break;
	case OW_FIELD_TEXT:
	case OW_FIELD_PROGRAM:
		ow_config_text_put(out, *(const char *const *)member, true);
		break;
	case OW_FIELD_SCALE:
		put_scale(out, member);
		break;
	default:
		ow_config_text_put(out, *(const char *const *)member, false);
	}
}

void ow_config_field_text(FILE *out, const struct ow_field *f,
			  const void *member)
{
	uint64_t ms;

	switch (f->kind) {
	case OW_FIELD_CYCLES:
	case OW_FIELD_SECONDS:
		ms = *(const uint64_t *)member;
		if (ms % 1000 == 0)
			fprintf(out, "%" PRIu64 "s", ms / 1000);
		else
			fprintf(out, "%" PRIu64 "ms", ms);
		break;
	case OW_FIELD_TEXT:
	case OW_FIELD_COMMAND:
	case OW_FIELD_PROGRAM:
		fputs(*(const char *const *)member, out);
		break;
	default:
		put_value(out, f, member);
	}
}

static void put_fields(const struct printer *p,
		       const struct ow_field_table *table, const void *base)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct ow_field *f = &table->fields[i];
		const void *member = (const char *)base + f->offset;

		if (ow_config_field_is_absent(f, member))
			continue;
		fprintf(p->out, "%s<%s>", p->indent, f->name);
		put_value(p->out, f, member);
		fprintf(p->out, "</%s>\n", f->name);
	}
}

/* An element that is nothing but attributes; not closed. */
static void put_attrs(FILE *out, const char *name,
		      const struct ow_field_table *table, const void *base)
{
	fprintf(out, "\t\t<%s", name);
	for (size_t i = 0; i < table->n; i++) {
		const struct ow_field *f = &table->fields[i];
		const void *member = (const char *)base + f->offset;

		if (ow_config_field_is_absent(f, member))
			continue;
		fprintf(out, " %s=\"", f->name);
		put_value(out, f, member);
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

static void put_envs(const struct printer *p, const struct ow_config_env *e,
		     size_t n)
{
	for (; n > 0; n--, e++) {
		fprintf(p->out, "%s<env name=\"", p->indent);
		ow_config_text_put(p->out, e->name, true);
		fputs(e->value == NULL ? "\" unset=\"Y\">" : "\">", p->out);
		if (e->value != NULL)
			ow_config_text_put(p->out, e->value, true);
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
	put_services(out, config);
	fputs("</endurox>\n", out);
	return ferror(out) != 0 || fflush(out) != 0 ? -EIO : 0;
}
