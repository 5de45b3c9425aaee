/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.c - a section of the ini configuration, as an array
 */
#include "bridge.h"

#include <cconfig.h>
#include <stdlib.h>
#include <string.h>

struct gow_item *gow_config(char *section, int *ret_n)
{
	ndrx_inicfg_section_keyval_t *all = NULL, *one;
	struct gow_item *items;
	int n = 0;

	*ret_n = -1;
	if (ndrx_cconfig_load() != 0 || ndrx_cconfig_get(section, &all) != 0)
		return NULL;
	for (one = all; one != NULL; one = one->hh.next)
		n++;
	items = calloc((size_t)n + 1, sizeof(*items));
	if (items != NULL)
		*ret_n = n;
	for (one = all; items != NULL && one != NULL; one = one->hh.next) {
		items[--n].key = strdup(one->key);
		items[n].value = strdup(one->val);
	}
	ndrx_keyval_hash_free(all);
	return items;
}

void gow_config_free(struct gow_item *items, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		free(items[i].key);
		free(items[i].value);
	}
	free(items);
}
