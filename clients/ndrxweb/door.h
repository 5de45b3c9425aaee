/* SPDX-License-Identifier: Apache-2.0 */
/*
 * door.h - who asks the web console, and from where
 *
 * A session needs two secrets: the token in the cookie, which the browser sends
 * by itself, also to other ports of the host; and for what changes something
 * the one against forged requests, in a header. That one is given once, in the
 * reply to the login, and the page keeps it where only its own origin reads
 * it: who has got hold of the cookie cannot ask for it.
 */
#ifndef OW_WEB_DOOR_H
#define OW_WEB_DOOR_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

#include "clients/ndrxweb/origin.h"
#include "clients/ndrxweb/session.h"

/* The session of the cookie, or NULL. */
struct ow_session *ow_web_session(struct ow_sessions *s, bool tls,
				  struct MHD_Connection *c);
/* The cookie of a session, for Set-Cookie. */
void ow_web_cookie(bool tls, struct MHD_Connection *c,
		   const struct ow_session *v, char *buf, size_t size);

/* Without TLS: does the name that the browser asked for mean this machine? */
bool ow_web_name_is_ours(struct MHD_Connection *c);
/* Does no other site make the browser ask? A site is also another port. */
bool ow_web_is_from_page(struct MHD_Connection *c);
/* Has the request the token against forged ones? */
bool ow_web_has_token(struct MHD_Connection *c, const struct ow_session *v);
/* Who sends it (clients/ndrxweb/origin.h); "": not known. */
void ow_web_origin(struct MHD_Connection *c, char buf[OW_ORIGIN_SIZE]);

#endif
