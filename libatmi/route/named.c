/* SPDX-License-Identifier: Apache-2.0 */
/*
 * named.c - the name of a service's route, for listings
 */
#include <stdio.h>
#include <string.h>

#include "libatmi/domain/domain.h"
#include "libatmi/route/route.h"

void ow_route_name(const struct ow_domain *d, const char *svc,
		   char ret[OW_ROUTE_NAME])
{
	char path[160], line[4096], service[64], route[OW_ROUTE_NAME];
	FILE *fp;

	ret[0] = '\0';
	ow_domain_shm_path(d, "routes", path, sizeof(path));
	fp = fopen(path, "re");
	if (fp == NULL)
		return;
	while (ret[0] == '\0' && fgets(line, sizeof(line), fp) != NULL)
		if (sscanf(line, "service %63s %15s", service, route) == 2 &&
		    strcmp(service, svc) == 0)
			memcpy(ret, route, sizeof(route));
	fclose(fp);
}
