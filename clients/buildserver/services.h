/* SPDX-License-Identifier: Apache-2.0 */
/*
 * services.h - the services of a server, as option -s names them
 *
 * SERVICE[,SERVICE...][:FUNCTION], :FUNCTION (a function without a service,
 * for option -S of the server), or @FILE with such a text per line. Without a
 * function, that of the service's name.
 */
#ifndef OW_BUILD_SERVICES_H
#define OW_BUILD_SERVICES_H

#include <stddef.h>
#include <stdio.h>

#define SERVICE_NAME_MAX 30
#define FUNCTION_NAME_MAX 127

struct service {
	char name[SERVICE_NAME_MAX + 1]; /* "": a function alone */
	char func[FUNCTION_NAME_MAX + 1];
};

struct services {
	struct service *list;
	size_t n;
};

/* Add what an -s names: 0, or -1 with a line in `why`. */
int services_add(struct services *s, const char *text, char *why,
		 size_t size);
/* Write the C source of the server's main(), with the switch of a resource
 * manager ("": none). */
void services_write_main(const struct services *s, const char *xa_switch,
			 int threads, FILE *out);
void services_free(struct services *s);

#endif
