/* SPDX-License-Identifier: Apache-2.0 */
/*
 * publish.c - ndrxd writes the routes of the configuration
 *
 * Lines: `route NAME ID FIELD TYPE RANGES`, `view NAME MEMBER TYPE RANGES` and
 * `service NAME ROUTE`. ID is that of the field, if ndrxd knows it, else 0: then
 * the caller looks it up.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/route/route.h"

/* On one line. */
static void put_ranges(FILE *fp, const char *s)
{
	for (; *s != '\0'; s++)
		fputc(*s == '\n' || *s == '\r' ? ' ' : *s, fp);
	fputc('\n', fp);
}

static void put_route(FILE *fp, const struct ow_route *r)
{
	const char *type = r->type[0] != '\0' ? r->type : "-";

	if (r->view)
		fprintf(fp, "view %s %s %s ", r->name, r->field, type);
	else
		fprintf(fp, "route %s %d %s %s ", r->name,
			(int)Bfldid((char *)r->field), r->field, type);
	put_ranges(fp, r->ranges);
}

int ow_route_publish(const struct ow_domain *d, const struct ow_route *routes,
		     size_t n_routes, const struct ow_routed_service *services,
		     size_t n_services)
{
	char path[160], fresh[180];
	bool good;
	FILE *fp;
	size_t i;

	ow_domain_shm_path(d, "routes", path, sizeof(path));
	snprintf(fresh, sizeof(fresh), "%s.new", path);
	unlink(fresh);
	fp = fopen(fresh, "wxe");
	if (fp == NULL)
		return -errno;
	for (i = 0; i < n_routes; i++)
		put_route(fp, &routes[i]);
	for (i = 0; i < n_services; i++)
		fprintf(fp, "service %s %s\n", services[i].service,
			services[i].route);
	good = fchmod(fileno(fp), 0600) == 0 && !ferror(fp);
	good = fclose(fp) == 0 && good && rename(fresh, path) == 0;
	if (!good) {
		int r = errno != 0 ? -errno : -EIO;

		unlink(fresh);
		return r;
	}
	/* A number that no earlier file had, of no earlier domain either. */
	atomic_store(&d->tables->head->routes,
		     (uint32_t)(ow_clock_real_ns() / 1000) | 1);
	return 0;
}
