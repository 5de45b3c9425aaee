/* SPDX-License-Identifier: Apache-2.0 */
/*
 * past.c - count who keeps a configuration that is no longer in force
 */
#include "ndrxd/model/past.h"

#include <stdint.h>
#include <stdlib.h>

#include "libndrx/config/config.h"
#include "ndrxd/model/ndrxd.h"

struct ow_past {
	struct ow_config *config;
	uint32_t users;
};

struct ow_past *ow_past_new(struct ow_config *c)
{
	struct ow_past *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->config = c;
	p->users = 1;
	return p;
}

struct ow_past *ow_past_release(struct ow_past *p)
{
	if (p == NULL || --p->users > 0)
		return NULL;
	ow_config_free(p->config);
	free(p);
	return NULL;
}

void ow_past_keep(struct ow_past *p, struct ow_inst *s)
{
	if (s->past != NULL)
		return;
	s->past_def = ow_config_server_find(p->config, (int)s->srvid);
	if (s->past_def == NULL)
		return;
	s->past = p;
	p->users++;
}

void ow_past_forget(struct ow_inst *s)
{
	s->past = ow_past_release(s->past);
	s->past_def = NULL;
}
