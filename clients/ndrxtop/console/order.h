/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - start, stop or restart a server while the console goes on
 *
 * A child process talks to ndrxd's control socket, as xadmin does; what it
 * has to say comes through a pipe. An order may take as long as a server
 * takes to stop; the console never waits.
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
	pid_t pid; /* 0: none under way */
	int fd;	   /* to wait for, -1: none */
	bool failed;
	char text[2048]; /* what was said so far */
	size_t len;
};

/* All zero but fd -1: no order. */
void ow_order_init(struct ow_order *o);
/* Give an order: 0, -EBUSY (one is under way), -errno. */
int ow_order_start(struct ow_order *o, const struct ow_domain *d,
		   enum ow_ctl_verb verb, uint32_t srvid);
/* Take in what it says, when `fd` is readable. True: it is done. */
bool ow_order_input(struct ow_order *o);
/* Forget it; ndrxd goes on with what it was told. */
void ow_order_drop(struct ow_order *o);

#endif
