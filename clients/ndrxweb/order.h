/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - what users may order, and the command of xadmin that does it
 *
 * The process is called after the user, so that the command line of who gives
 * an order, which is in the history, has the name: "xadmin for anna, by
 * ndrxweb: stop -y -i 7". The words of an order are there, never what it reads.
 */
#ifndef OW_WEB_ORDER_H
#define OW_WEB_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "clients/ndrxweb/run.h"
#include "clients/ndrxweb/session.h"

struct ow_order;

/* The value of a word of an order, as the browser has sent it; NULL: not
 * there. */
typedef const char *ow_order_word(void *arg, const char *name);

/* The order of a verb, or NULL. */
const struct ow_order *ow_order_find(const char *verb);
/* The role that it needs. */
enum ow_role ow_order_role(const struct ow_order *o);
/* Is its output JSON? Text, else. */
bool ow_order_is_json(const struct ow_order *o);

/* Does it change nothing, and call nothing? */
bool ow_order_is_look(const struct ow_order *o);

/* Begin it: 0; -EINVAL: a word is missing, or is none of its kind; as
 * ow_run_begin(). `text` is what it reads, NULL: nothing. */
int ow_order_begin(struct ow_runs *runs, const struct ow_order *o,
		   const char *user, ow_order_word *word, void *arg,
		   const char *text, void *waiter, struct ow_run **ret);

#endif
