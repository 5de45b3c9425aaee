/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - carries out an order of a user by a process of xadmin
 *
 * The process is called after the user, so that ndrxd, which records the
 * command line of who gives an order, has the name in the history:
 * "xadmin for anna, by ndrxweb: stop -y -i 7". One order at a time.
 */
#ifndef OW_WEB_ORDER_H
#define OW_WEB_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct ow_web_order {
	pid_t pid; /* 0: none is under way */
	int fd;	   /* its output */
	size_t n;
	int status; /* of its end: exit code, or -1 */
	char output[8192];
};

/*
 * Begin an order: `verb` is start, stop, restart, sreload with a server id;
 * suspend or resume with the name of a service; log with a level, 0 to 6. 0;
 * -EINVAL, no such order; -EBUSY, another one is under way; -errno.
 */
int ow_order_begin(struct ow_web_order *o, const char *user, const char *verb,
		   const char *what);
/* Read what there is: true, it has ended. */
bool ow_order_read(struct ow_web_order *o);

#endif
