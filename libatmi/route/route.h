/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route.h - data dependent routing: which group serves a request
 *
 * ndrxd writes the routes of the configuration into a file beside the tables,
 * `<shm>/<prefix>,shm/routes`, replaces it by a rename, then changes `routes` of
 * the head, then the marks of the services (OW_SVC_ROUTED). A caller that meets
 * the mark reads the file if it has not read this one, and chooses. Callers of
 * other services never come here.
 *
 * A caller that is between the file and the marks finds either routing; both
 * were in force at some moment of its call. A reader that finds no file, or one
 * that it may not use, fails the call.
 */
#ifndef OW_ROUTE_H
#define OW_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ubf.h>

#include "libatmi/domain/tables.h"

struct ow_domain;

#define OW_ROUTE_NAME 16 /* bytes of its name, with the NUL */

enum ow_route_result {
	OW_ROUTE_NONE = 1, /* the service has no route any more */
};

/* A route, as ndrxd writes it. */
struct ow_route {
	const char *name, *field, *type, *ranges; /* type "": that of the field */
	bool view; /* `field` is a member of views, else a field of UBF */
};

/* The data of a request, of which one is set; none: of another type. */
struct ow_route_data {
	UBFH *ubf;
	char *cstruct; /* a structure of `view` */
	char *view;
};

struct ow_routed_service {
	const char *service, *route;
};

/*
 * Choose the service for a request of `svc` with `data`: 0 with the name; NONE; -1 with the reason in `why`.
 */
int ow_route_choose(const struct ow_domain *d, const char *svc,
		    const struct ow_route_data *data,
		    char ret_name[OW_SVC_NAME], char *why, size_t size);

/* The name of the route of a service; "": it has none, or the file cannot be
 * read. For listings. */
void ow_route_name(const struct ow_domain *d, const char *svc,
		   char ret[OW_ROUTE_NAME]);

/* Write the file and make it the one in force: 0, -errno. */
int ow_route_publish(const struct ow_domain *d, const struct ow_route *routes,
		     size_t n_routes, const struct ow_routed_service *services,
		     size_t n_services);

#endif
