/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ids.c - the SRVID of a UBBCONFIG, of a server that has another id here
 */
#include "clients/tm/ids.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "clients/tm/site.h"
#include "libatmi/base/env.h"
#include "libubf/base/cleanup.h"

void ids_read(struct ids *ret)
{
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = NULL;
	char path[PATH_MAX];
	struct id_range *r;

	ret->n = 0;
	if (ow_env_str("TUXCONFIG", NULL) != NULL &&
	    site_path("", "conf/srvids", path, sizeof(path)) == 0)
		f = fopen(path, "re");
	while (f != NULL && ret->n < IDS_MOST) {
		r = &ret->all[ret->n];
		if (fscanf(f, "%ld %ld %ld", &r->id, &r->count, &r->srvid) != 3)
			return;
		ret->n++;
	}
}

long ids_theirs(const struct ids *ids, long id)
{
	const struct id_range *r;

	for (size_t i = 0; i < ids->n; i++) {
		r = &ids->all[i];
		if (id >= r->id && id < r->id + r->count)
			return r->srvid + id - r->id;
	}
	return id;
}

bool ids_is(const struct ids *ids, long id, const char *word)
{
	long wanted = atol(word);
	const struct id_range *r;

	if (ids_theirs(ids, id) == wanted)
		return true;
	if (id != wanted)
		return false;
	for (size_t i = 0; i < ids->n; i++) {
		r = &ids->all[i];
		if (wanted >= r->srvid && wanted < r->srvid + r->count)
			return false;
	}
	return true;
}
