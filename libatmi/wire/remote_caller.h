/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_caller.h - a client of another node: as a number, and as a CLIENTID
 *
 * A request that came from another machine, and those that it is forwarded as,
 * carry the first caller as a number (OW_MSG_REMOTE_CALLER in msg.h). The
 * service gets a CLIENTID of it, whose text says all:
 * clt,@abroad,SLOT,GENERATION,NODE.
 */
#ifndef OW_REMOTE_CALLER_H
#define OW_REMOTE_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ow_remote_caller {
	uint32_t node;	    /* 1 to 255 */
	uint32_t slot, gen; /* there */
};

/* As a number, never 0. */
uint64_t ow_remote_caller_pack(struct ow_remote_caller f);
struct ow_remote_caller ow_remote_caller_unpack(uint64_t n);
/* Its text into `buf`. */
void ow_remote_caller_write(struct ow_remote_caller f, char *buf, size_t size);
/* False: the text does not name a client of another node in this form. */
bool ow_remote_caller_read(const char *text, struct ow_remote_caller *ret);

#endif
