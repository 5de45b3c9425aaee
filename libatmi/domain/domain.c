/* SPDX-License-Identifier: Apache-2.0 */
/*
 * domain.c - names of wake modes and of the files of a domain
 */
#include "libatmi/domain/domain.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/base/owned.h"
#include "libatmi/domain/tables.h"

static const char *const wake_words[OW_WAKE_END] = {
#define X(name, word) [OW_WAKE_##name] = word,
	OW_WAKES(X)
#undef X
};

const char *ow_wake_word(enum ow_wake wake)
{
	return wake < OW_WAKE_END ? wake_words[wake] : "?";
}

int ow_wake_find(const char *word, enum ow_wake *ret)
{
	int i;

	for (i = 0; i < OW_WAKE_END; i++)
		if (strcmp(word, wake_words[i]) == 0) {
			*ret = (enum ow_wake)i;
			return 0;
		}
	return -EINVAL;
}

bool ow_domain_is_gone(const struct ow_domain *d)
{
	return atomic_load_explicit(&d->tables->head->gone,
				    memory_order_relaxed) != 0;
}

void ow_domain_folder(const struct ow_domain *d, char *buf, size_t size)
{
	snprintf(buf, size, "%s/%s,shm", d->shm_dir, d->prefix);
}

int ow_domain_enter(const struct ow_domain *d, bool make)
{
	char folder[160];

	ow_domain_folder(d, folder, sizeof(folder));
	return ow_owned_folder(folder, make);
}

bool ow_domain_may_remove(const struct ow_domain *d)
{
	return d->tables == NULL ||
	       atomic_load(&d->tables->head->remover) == ow_proc_id_self();
}

void ow_domain_shm_path(const struct ow_domain *d, const char *kind, char *buf,
			size_t size)
{
	snprintf(buf, size, "%s/%s,shm/%s", d->shm_dir, d->prefix, kind);
}

void ow_domain_segments(const struct ow_domain *d, char *buf, size_t size)
{
	snprintf(buf, size, "%s/%s,", d->shm_dir, d->prefix);
}

void ow_domain_in_force(const struct ow_domain *d, char buf[OW_IN_FORCE_PATH])
{
	snprintf(buf, OW_IN_FORCE_PATH, "%s/in_force.xml", d->run_dir);
}

void ow_domain_log_orders(const struct ow_domain *d, char *buf, size_t size)
{
	ow_domain_shm_path(d, "log", buf, size);
}
