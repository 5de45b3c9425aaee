/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply.c - what every reply of the web console has in its head
 */
#include "clients/ndrxweb/reply.h"

#define POLICY                                                             \
	"default-src 'none'; script-src 'self'; style-src 'self'; "        \
	"img-src 'self'; connect-src 'self'; form-action 'none'; "         \
	"base-uri 'none'; frame-ancestors 'none'"

static void add_headers(bool tls, struct MHD_Response *r)
{
	static const char *const headers[][2] = {
		{ "Content-Security-Policy", POLICY },
		{ "X-Content-Type-Options", "nosniff" },
		{ "X-Frame-Options", "DENY" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Cache-Control", "no-store" },
	};
	size_t i;

	for (i = 0; i < sizeof(headers) / sizeof(*headers); i++)
		MHD_add_response_header(r, headers[i][0], headers[i][1]);
	if (tls)
		MHD_add_response_header(r, "Strict-Transport-Security",
					"max-age=31536000");
}

enum MHD_Result ow_web_reply(struct MHD_Connection *c, bool tls,
			     unsigned int status, const char *type,
			     struct MHD_Response *r)
{
	enum MHD_Result done;

	if (r == NULL)
		return MHD_NO;
	add_headers(tls, r);
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	done = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return done;
}
