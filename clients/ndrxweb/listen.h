/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listen.h - the socket of the web console
 */
#ifndef OW_WEB_LISTEN_H
#define OW_WEB_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Listen at an address in numbers. `here`: it must be one of this machine that
 * no other one reaches (loopback). The descriptor, or -errno with `why`. */
int ow_web_listen(const char *address, uint16_t port, bool here, char *why,
		  size_t size);

#endif
