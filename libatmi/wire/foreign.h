/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign.h - a client of another node: as a number, and as a CLIENTID
 *
 * A request that came from another machine, and those that it is forwarded as,
 * carry the first caller as a number (OW_MSG_FOREIGN in msg.h). The service
 * gets a CLIENTID of it, whose text says all: clt,@abroad,SLOT,GENERATION,NODE.
 */
#ifndef OW_FOREIGN_H
#define OW_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ow_foreign {
	uint32_t node;	    /* 1 to 255 */
	uint32_t slot, gen; /* there */
};

#pragma GCC visibility push(default)

/* As a number, never 0. */
uint64_t ow_foreign_pack(struct ow_foreign f);
struct ow_foreign ow_foreign_unpack(uint64_t n);
/* Its text into `buf`. */
void ow_foreign_write(struct ow_foreign f, char *buf, size_t size);
/* False: the text does not name a client of another node in this form. */
bool ow_foreign_read(const char *text, struct ow_foreign *ret);

#pragma GCC visibility pop
#endif
