/* SPDX-License-Identifier: Apache-2.0 */
/*
 * about.c - what is said of the domain
 */
#include "clients/ndrxotel/about.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/env.h"

void ow_otel_about_read(struct ow_otel_about *a, const char *space, long node)
{
	const char *opt = ow_env_str("OTEL_SEMCONV_STABILITY_OPT_IN", "");

	memset(a, 0, sizeof(*a));
	snprintf(a->space, sizeof(a->space), "%s", space);
	if (gethostname(a->host, sizeof(a->host) - 1) != 0)
		snprintf(a->host, sizeof(a->host), "localhost");
	a->node = node;
	a->messaging = strstr(opt, "messaging") != NULL;
}
