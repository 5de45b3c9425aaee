/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crowd.h - of too many connections, strangers give way
 *
 * Every user of the machine can connect, and keep connections open. When there are
 * many, each new one takes the place of the oldest over which nobody who is logged
 * in has asked for anything: those who watch the domain keep theirs, and find room
 * for more.
 */
#ifndef OW_WEB_CROWD_H
#define OW_WEB_CROWD_H

#include <microhttpd.h>

#define OW_CROWD_MAX 256u  /* connections */
#define OW_CROWD_FULL 192u /* from here on one gives way for each new one */

struct ow_crowd *ow_crowd_new(void);
struct ow_crowd *ow_crowd_free(struct ow_crowd *k); /* NULL */
/* MHD_OPTION_NOTIFY_CONNECTION, with the crowd. */
void ow_crowd_notify(void *crowd, struct MHD_Connection *c, void **own,
		     enum MHD_ConnectionNotificationCode what);
/* Somebody who is logged in has asked over this connection. */
void ow_crowd_known(struct MHD_Connection *c);

#endif
