/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - orders to the logs of all processes of a domain
 *
 * One small text file beside the shared segments, `<shm>/<prefix>,shm/log`, has
 * one order per line:
 *	NUMBER KIND TO KEY=VALUE...
 * KIND is logchg or logrotate; TO is `*`, `pid:N` or a program's name.
 * `xadmin lcf` writes the whole file and renames it into place. Every process
 * checks once a second whether the file has changed (log.h) and applies all
 * logchg lines addressed to it, on top of its own configuration. No process
 * has to be running or reachable: a hung one obeys when it continues. Orders
 * hold, also for processes that start later, until they are withdrawn or the
 * domain is removed.
 *
 * The file is obeyed only if it belongs to this user and nobody else can write
 * to it (base/owned.h).
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
	char who[OW_LOG_ORDER_WHO]; /* TO */
	char text[OW_LOG_ORDER_TEXT];
};

/*
 * Read the orders at `path` into `orders`, an array of OW_LOG_ORDERS. Their
 * number, 0 when there is no file; -EPERM: another user owns the file or can
 * write it; -errno. Malformed lines are skipped.
 */
int ow_log_orders_read(const char *path, struct ow_log_order *orders);

/* Is the order addressed to this process? */
int ow_log_order_is_for(const struct ow_log_order *o, pid_t pid,
			const char *program);

/*
 * Add an order and number it. A logrotate replaces an older one with the same
 * TO. 0; -ENOSPC: there are OW_LOG_ORDERS already; -EINVAL: the text has a
 * line break, or TO is empty or has blanks; -errno.
 */
int ow_log_orders_add(const char *path, const struct ow_log_order *o);

/* Withdraw all orders. 0; -ENOENT: there are none; -errno. */
int ow_log_orders_clear(const char *path);

const char *ow_log_order_word(enum ow_log_order_kind kind);

#endif
