/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_name.h - the names of service queues, as operators see them
 *
 * A service queue is called "svc,<SERVICE>" inside its domain and
 * "/<prefix>,svc,<SERVICE>" on the machine. Listings of xadmin show these
 * names for every transport; POSIX message queues really have them. Names that
 * listings show for mailboxes lie in the client slots (struct ow_clt).
 */
#ifndef OW_QUEUE_NAME_H
#define OW_QUEUE_NAME_H

#include <stddef.h>

struct ow_domain;

#define OW_QUEUE_NAME_MAX 160 /* of a full name, with its NUL */

/* "svc,<SERVICE>"; the service is cut to 31 characters. */
void ow_queue_name_service(const char *service, char *buf, size_t size);
/* "/<prefix>,svc,<SERVICE>". */
void ow_queue_name_of(const struct ow_domain *d, const char *service,
		      char *buf, size_t size);
/* "/<prefix>,<name>"; -ENAMETOOLONG, `buf` is then cut. */
int ow_queue_name_full(const struct ow_domain *d, const char *name, char *buf,
		       size_t size);
/* The service of a queue called "svc,<SERVICE>": a pointer into `name`, or
 * NULL when it is not the name of a service queue. */
const char *ow_queue_name_parse(const char *name);

#endif
