/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ports.h - where a daemon listens, as an option says it
 */
#ifndef OW_PORTS_H
#define OW_PORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* PORT, ADDRESS:PORT or [ADDRESS]:PORT. `address` stays as it is where there is
 * none. False: it is none of these; *ret_port is untouched. */
bool ow_port_parse(const char *text, char *address, size_t size,
		   uint16_t *ret_port);

#endif
