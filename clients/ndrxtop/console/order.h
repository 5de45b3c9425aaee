/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - start, stop or restart a server while the console goes on
 *
 * A child process sends the order to ndrxd, as xadmin does; its output comes
 * through a pipe. An order may take as long as a server takes to stop; the
 * console never waits.
 */
#ifndef OW_ORDER_H
#define OW_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libatmi/wire/ctl.h"

struct ow_domain;

struct ow_order {
	enum ow_ctl_verb verb; /* START, STOP, RESTART */
	uint32_t srvid;
	pid_t pid; /* of the child; 0: no order in progress */
	int fd;	   /* to poll for output; -1: none */
	bool failed;
	char text[2048]; /* the output so far; of a long one, the end */
	size_t len;
};

/* All zero but fd -1: no order. */
void ow_order_init(struct ow_order *o);
/* Start an order: 0, -EBUSY (one is in progress), -errno. */
int ow_order_start(struct ow_order *o, const struct ow_domain *d,
		   enum ow_ctl_verb verb, uint32_t srvid);
/* Read the output when `fd` is readable. True: the order is done. */
bool ow_order_input(struct ow_order *o);
/* End the child; ndrxd goes on with the order. */
void ow_order_drop(struct ow_order *o);

#endif
