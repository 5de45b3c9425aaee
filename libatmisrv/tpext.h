/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpext.h - a program's own descriptors and callbacks in the server's loop
 */
#ifndef OW_TPEXT_H
#define OW_TPEXT_H

#include <stdint.h>

struct ow_server;

/* Descriptor number `n` is ready. */
void ow_ext_ready(struct ow_server *s, uint32_t n, uint32_t events);
/* Called before each wait. */
void ow_ext_before_wait(struct ow_server *s);
/* Called each tick. */
void ow_ext_tick(struct ow_server *s, uint64_t now);

#endif
