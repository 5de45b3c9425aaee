/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply.h - what every reply of the web console has in its head
 *
 * The policy lets the page load and run its own files only; nothing is kept by
 * the browser; no other site may show it in a frame.
 */
#ifndef OW_WEB_REPLY_H
#define OW_WEB_REPLY_H

#include <microhttpd.h>
#include <stdbool.h>

/* Send `r`, which it takes; NULL: the connection ends. */
enum MHD_Result ow_web_reply(struct MHD_Connection *c, bool tls,
			     unsigned int status, const char *type,
			     struct MHD_Response *r);

#endif
