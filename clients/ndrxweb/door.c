/* SPDX-License-Identifier: Apache-2.0 */
/*
 * door.c - who asks the web console, and from where
 */
#include "clients/ndrxweb/door.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LIFE_S 28800

static const char *header(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* ---- the cookie ---- */

/*
 * A browser sends a cookie to all ports of a host, and two consoles may be
 * behind one name: the port that it asked for is in the cookie's name. Our own
 * port would not do: two machines may listen at the same one, behind tunnels.
 * With TLS no other site of the host can make a cookie of this name.
 */
static void cookie_name(bool tls, struct MHD_Connection *c, char buf[48])
{
	const char *host = header(c, MHD_HTTP_HEADER_HOST);
	const char *colon = host != NULL ? strrchr(host, ':') : NULL;
	unsigned long port = tls ? 443 : 80;

	if (colon != NULL && strchr(colon, ']') == NULL)
		port = strtoul(colon + 1, NULL, 10);
	snprintf(buf, 48, "%sow_session_%u", tls ? "__Host-" : "",
		 (unsigned int)(uint16_t)port);
}

struct ow_session *ow_web_session(struct ow_sessions *s, bool tls,
				  struct MHD_Connection *c)
{
	const char *token;
	char name[48];

	cookie_name(tls, c, name);
	token = MHD_lookup_connection_value(c, MHD_COOKIE_KIND, name);
	return token != NULL ? ow_session_find(s, token) : NULL;
}

void ow_web_cookie(bool tls, struct MHD_Connection *c,
		   const struct ow_session *v, char *buf, size_t size)
{
	char name[48];

	cookie_name(tls, c, name);
	snprintf(buf, size,
		 "%s=%s; HttpOnly; SameSite=Strict; Path=/; Max-Age=%d%s",
		 name, v->token, LIFE_S, tls ? "; Secure" : "");
}

/* ---- the request ---- */

bool ow_web_name_is_ours(struct MHD_Connection *c)
{
	static const char *const names[] = { "127.0.0.1", "localhost",
					     "[::1]" };
	const char *host = header(c, MHD_HTTP_HEADER_HOST);
	size_t i, n;

	for (i = 0; host != NULL && i < sizeof(names) / sizeof(*names); i++) {
		n = strlen(names[i]);
		if (strncasecmp(host, names[i], n) == 0 &&
		    (host[n] == '\0' || host[n] == ':'))
			return true;
	}
	return false;
}

bool ow_web_is_from_page(struct MHD_Connection *c)
{
	const char *origin = header(c, "Origin");
	const char *site = header(c, "Sec-Fetch-Site");
	const char *host = header(c, MHD_HTTP_HEADER_HOST);
	const char *slashes = origin != NULL ? strstr(origin, "//") : NULL;

	if (site != NULL && strcmp(site, "same-origin") != 0 &&
	    strcmp(site, "none") != 0) /* none: the user typed the address */
		return false;
	return origin == NULL ||
	       (slashes != NULL && host != NULL &&
		strcmp(slashes + 2, host) == 0);
}

bool ow_web_has_token(struct MHD_Connection *c, const struct ow_session *v)
{
	const char *token = header(c, "X-Token");

	return token != NULL && ow_session_same(v->forgery, token);
}

void ow_web_origin(struct MHD_Connection *c, char buf[OW_ORIGIN_SIZE])
{
	const union MHD_ConnectionInfo *i =
	    MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

	buf[0] = '\0';
	if (i != NULL)
		ow_origin_name(i->connect_fd, buf);
	if (buf[0] != '\0') /* else the other end is gone */
		return;
	i = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	if (i != NULL && i->client_addr != NULL)
		ow_origin_address(i->client_addr, buf);
}
