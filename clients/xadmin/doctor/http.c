/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.c - check that somebody listens for each <http> of the configuration
 */
#include "clients/xadmin/doctor/checks.h"

#include <stdio.h>
#include <string.h>

#include "libndrx/config/config.h"
#include "libndrx/observe/http.h"
#include "libubf/base/cleanup.h"

/* Is a gate of this name up? */
struct search {
	const char *name;
	bool found;
};

static void on_gate(const struct ow_http_gate *g, void *arg)
{
	struct search *s = arg;

	if (g->state != OW_HTTP_DEAD && g->address[0] != '\0' &&
	    strcmp(g->name, s->name) == 0)
		s->found = true;
}

static void check_gate(struct ow_doctor *doc, const struct ow_config_http *h)
{
	static const struct ow_http_look look = { .gate = on_gate };
	const char *name = ow_config_http_value(h, "name");
	const char *port = ow_config_http_value(h, "port");
	struct search s = { .name = name != NULL ? name : "" };
	char found[160];

	if (strcmp(h->element, "http") != 0 || port == NULL)
		return;
	ow_http_each(&doc->env, &look, &s);
	if (s.found)
		return;
	snprintf(found, sizeof(found), "<http%s%.60s%s> at port %.10s: nobody "
		 "listens", name != NULL ? " name=\"" : "", s.name,
		 name != NULL ? "\"" : "", port);
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "gates for HTTP",
		.found = found,
		.meaning = "the configuration in force has it, and no httpgate "
			   "of its name runs",
		.cure = "start its server (xadmin ppm), or configure one: "
			"<server name=\"httpgate\">, with -n NAME in <appopt>" });
}

void ow_doctor_gates(struct ow_doctor *doc)
{
	OW_CLEANUP(ow_config_freep) struct ow_config *config = NULL;
	char path[OW_IN_FORCE_PATH];
	struct ow_config_error err;

	ow_domain_in_force(&doc->env, path);
	if (ow_config_load(path, &err, &config) != 0)
		return; /* no domain, or doctor has said it already */
	for (size_t i = 0; i < config->n_http; i++)
		check_gate(doc, &config->http[i]);
}
