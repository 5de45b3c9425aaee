/* SPDX-License-Identifier: Apache-2.0 */
/*
 * appconfig.c - show and change settings of <appconfig> while ndrxd runs
 */
#include "ndrxd/control/appconfig.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ndrxd/clients/client.h"
#include "libndrx/config/value.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/servers/inst.h"
#include "ndrxd/supervise/in_force.h"

enum unit {
	SECONDS,
	SANITY, /* cycles of the sanity setting */
	YES_NO,
	SHARE, /* of a CPU */
};

static const struct setting {
	const char *name;
	size_t offset; /* in struct ow_config_app */
	enum unit unit;
} settings[] = {
#define S(n, member, u) { n, offsetof(struct ow_config_app, member), u }
	S("sanity", sanity_ms, SECONDS),
	S("checkpm", checkpm_ms, SANITY),
	S("brrefresh", brrefresh_ms, SANITY),
	S("restart_min", restart_min_ms, SANITY),
	S("restart_step", restart_step_ms, SANITY),
	S("restart_max", restart_max_ms, SANITY),
	S("restart_to_check", restart_to_check_ms, SECONDS),
	S("gather_pq_stats", gather_pq_stats, YES_NO),
	S("rqaddrttl", rqaddrttl_ms, SECONDS),
	S("ddrreload", ddrreload_ms, SANITY),
	S("spin", spin, SHARE),
#undef S
};

#define N_SETTINGS (sizeof(settings) / sizeof(settings[0]))

static int show_share(int percent, char *text, size_t size)
{
	return percent == OW_VALUE_ALWAYS
		       ? snprintf(text, size, "always")
		       : snprintf(text, size, "%d", percent);
}

/* The value as it would stand in the file. */
static int show(const struct ow_config_app *app, const struct setting *s,
		char *text, size_t size)
{
	const char *at = (const char *)app + s->offset;
	uint64_t ms, unit = s->unit == SANITY ? app->sanity_ms : 1000;

	if (s->unit == YES_NO)
		return snprintf(text, size, "%c",
				*(const bool *)at ? 'Y' : 'N');
	if (s->unit == SHARE)
		return show_share(*(const int *)at, text, size);
	memcpy(&ms, at, sizeof(ms));
	if (unit > 0 && ms % unit == 0)
		return snprintf(text, size, "%" PRIu64, ms / unit);
	return snprintf(text, size, "%" PRIu64 "ms", ms);
}

static int set(struct ow_config_app *app, const struct setting *s,
	       const char *value, char why[OW_VALUE_WHY])
{
	char *at = (char *)app + s->offset;
	uint64_t ms = 0;
	bool on = false;
	int r;

	if (s->unit == YES_NO) {
		r = ow_value_bool(value, why, &on);
		if (r == 0)
			memcpy(at, &on, sizeof(on));
		return r;
	}
	if (s->unit == SHARE)
		return ow_value_share(value, why, (int *)at);
	r = ow_value_time(value, s->unit == SANITY ? app->sanity_ms : 1000,
			  why, &ms);
	if (r == 0 && ms == 0 && strcmp(s->name, "sanity") == 0) {
		snprintf(why, OW_VALUE_WHY, "sanity must be more than 0");
		return OW_VALUE_BAD;
	}
	if (r == 0)
		memcpy(at, &ms, sizeof(ms));
	return r;
}

static int show_all(const struct ow_config_app *app, char *text, size_t size)
{
	size_t i, n = 0;

	for (i = 0; i < N_SETTINGS && n < size; i++) {
		n += (size_t)snprintf(text + n, size - n, "%s=",
				      settings[i].name);
		if (n < size)
			n += (size_t)show(app, &settings[i], text + n,
					  size - n);
		if (i + 1 < N_SETTINGS && n + 1 < size) {
			text[n++] = ' ';
			text[n] = '\0';
		}
	}
	return 0;
}

static void apply(struct ndrxd *d)
{
	size_t i;

	for (i = 0; i < d->n_insts; i++)
		ow_inst_configure(d->insts[i], d->insts[i]->def);
	for (i = 0; i < d->n_clients; i++)
		ow_client_configure(d->clients[i], d->clients[i]->def);
	ow_in_force_write(d);
}

int ow_appconfig(struct ndrxd *d, const char *name, const char *value,
		 char *text, size_t size)
{
	char why[OW_VALUE_WHY];
	size_t i;

	if (name[0] == '\0')
		return show_all(&d->app, text, size);
	for (i = 0; i < N_SETTINGS; i++)
		if (strcmp(settings[i].name, name) == 0)
			break;
	if (i == N_SETTINGS) {
		snprintf(text, size, "no setting \"%.60s\"", name);
		return 1;
	}
	if (value[0] != '\0') {
		if (set(&d->app, &settings[i], value, why) != 0) {
			snprintf(text, size, "%s: %s", name, why);
			return 1;
		}
		apply(d);
	}
	show(&d->app, &settings[i], text, size);
	return 0;
}
