/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_name.c - the names of service queues, as operators see them
 */
#include "libatmi/domain/queue_name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/domain/domain.h"

#define SERVICE "svc,"

void ow_queue_name_service(const char *service, char *buf, size_t size)
{
	snprintf(buf, size, SERVICE "%.31s", service);
}

void ow_queue_name_of(const struct ow_domain *d, const char *service,
		      char *buf, size_t size)
{
	snprintf(buf, size, "/%s," SERVICE "%.31s", d->prefix, service);
}

int ow_queue_name_full(const struct ow_domain *d, const char *name, char *buf,
		       size_t size)
{
	int n = snprintf(buf, size, "/%s,%s", d->prefix, name);

	return n >= 0 && (size_t)n < size ? 0 : -ENAMETOOLONG;
}

const char *ow_queue_name_parse(const char *name)
{
	size_t n = strlen(SERVICE);

	return strncmp(name, SERVICE, n) == 0 ? name + n : NULL;
}
