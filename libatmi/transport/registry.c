/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.c - find a transport by its name or number
 *
 * transports.inc is made by the build: one line, X(<name>), for each folder
 * transport/<name>/.
 */
#include <stdio.h>
#include <string.h>

#include "libatmi/transport/transport.h"

#define X(name) extern const struct ow_transport ow_transport_##name;
#include "transports.inc"
#undef X

static const struct ow_transport *const transports[] = {
#define X(name) &ow_transport_##name,
#include "transports.inc"
#undef X
};

#define N_TRANSPORTS (sizeof(transports) / sizeof(transports[0]))

const struct ow_transport *ow_transport_at(uint32_t i)
{
	return i < N_TRANSPORTS ? transports[i] : NULL;
}

const struct ow_transport *ow_transport_by_name(const char *name)
{
	size_t i;

	for (i = 0; i < N_TRANSPORTS; i++)
		if (strcmp(transports[i]->name, name) == 0)
			return transports[i];
	return NULL;
}

const struct ow_transport *ow_transport_by_id(uint32_t id)
{
	size_t i;

	for (i = 0; i < N_TRANSPORTS; i++)
		if (transports[i]->id == id)
			return transports[i];
	return NULL;
}

static const struct ow_transport *by_choice(uint32_t choice)
{
	size_t i;

	for (i = 0; i < N_TRANSPORTS; i++)
		if (transports[i]->choice == choice)
			return transports[i];
	return NULL;
}

const struct ow_transport *ow_transport_choose(struct ow_domain *d, char *why,
					       size_t size)
{
	const struct ow_transport *t, *last = d->transport;
	uint32_t n;

	why[0] = '\0';
	for (n = 1; (t = by_choice(n)) != NULL; n++) {
		if (d->wake_given && !ow_transport_has_wake(t, d->wake)) {
			if (why[0] == '\0')
				snprintf(why, size, "it has no wake %s",
					 ow_wake_word(d->wake));
			continue;
		}
		last = t;
		if (t->fits == NULL)
			break;
		if (t->fits(d, why, size) == 0) {
			why[0] = '\0';
			break;
		}
	}
	return last;
}

bool ow_transport_usage(const struct ow_domain *d,
			struct ow_transport_usage *ret)
{
	size_t i;

	for (i = 0; i < N_TRANSPORTS; i++)
		if (transports[i]->usage != NULL) {
			transports[i]->usage(d, ret);
			return true;
		}
	return false;
}

/* Append word number `i` of `n`: "a", ", b", " or c". */
static void append_word(char *buf, size_t size, const char *word, size_t i,
			size_t n)
{
	size_t used = strlen(buf);

	snprintf(buf + used, size - used, "%s%s",
		 i == 0 ? "" : i + 1 == n ? " or " : ", ", word);
}

void ow_transport_names(char *buf, size_t size)
{
	size_t i;

	buf[0] = '\0';
	for (i = 0; i < N_TRANSPORTS; i++)
		append_word(buf, size, transports[i]->name, i, N_TRANSPORTS);
}

void ow_transport_wake_names(const struct ow_transport *t, char *buf,
			     size_t size)
{
	uint32_t i;

	buf[0] = '\0';
	for (i = 0; i < t->nwakes; i++)
		append_word(buf, size, ow_wake_word(t->wakes[i]), i,
			    t->nwakes);
}

bool ow_transport_has_wake(const struct ow_transport *t, enum ow_wake wake)
{
	uint32_t i;

	for (i = 0; i < t->nwakes; i++)
		if (t->wakes[i] == wake)
			return true;
	return false;
}
