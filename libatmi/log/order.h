/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - orders to the logs of all processes of a domain
 *
 * One small text file beside the shared segments, `<shm>/<prefix>,log`; a
 * line is an order:
 *	NUMBER KIND WHO KEY=VALUE...
 * KIND is logchg or logrotate; WHO is `*`, `pid:N` or a program's name.
 * `xadmin lcf` writes the file, whole and by rename; every process looks
 * once a second whether it has changed (log.h), and applies to itself, on top
 * of its own configuration, all logchg lines that mean it. No signal, no
 * connection, nobody to wait for: a hung process obeys when it goes on. The
 * orders hold, for processes that start later too, until they are withdrawn
 * or the domain is removed.
 *
 * The folder is open to everybody, therefore only a file of the same user or
 * of root, which nobody else may write, is obeyed.
 */
#ifndef OW_LOG_ORDER_H
#define OW_LOG_ORDER_H

#include <stdint.h>
#include <sys/types.h>

#define OW_LOG_ORDERS	  64  /* lines of the file */
#define OW_LOG_ORDER_TEXT 512 /* bytes of KEY=VALUE..., with NUL */
#define OW_LOG_ORDER_WHO  64

enum ow_log_order_kind {
	OW_LOG_ORDER_CHANGE, /* logchg */
	OW_LOG_ORDER_ROTATE, /* logrotate */
};

struct ow_log_order {
	uint64_t number; /* ascending */
	enum ow_log_order_kind kind;
	char who[OW_LOG_ORDER_WHO];
	char text[OW_LOG_ORDER_TEXT];
};

#pragma GCC visibility push(default)

/*
 * Read the orders at `path` into `orders` (OW_LOG_ORDERS of them). Their
 * number, 0 when there is no file; -EPERM: of another user, or open to
 * others; -errno. Lines that cannot be read are skipped.
 */
int ow_log_orders_read(const char *path, struct ow_log_order *orders);

/* Does the order mean this process? */
int ow_log_order_is_for(const struct ow_log_order *o, pid_t pid,
			const char *program);

/*
 * Add an order; a logrotate takes the place of an older one for the same
 * WHO. Its number is chosen. 0, -ENOSPC: there are OW_LOG_ORDERS; -EINVAL:
 * the text has a line break; -errno.
 */
int ow_log_orders_add(const char *path, const struct ow_log_order *o);

/* Withdraw all orders. 0 or -errno; -ENOENT: there are none. */
int ow_log_orders_clear(const char *path);

const char *ow_log_order_word(enum ow_log_order_kind kind);

#pragma GCC visibility pop
#endif
