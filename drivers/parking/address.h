/* SPDX-License-Identifier: Apache-2.0 */
/*
 * address.h - where the process of a branch takes orders for it
 *
 * An abstract socket, named after the resource manager's driver and the branch.
 * Only processes of the same user are heard, and believed.
 */
#ifndef OW_PARKING_ADDRESS_H
#define OW_PARKING_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <xa.h>

/* `driver`: a short word. The length. */
socklen_t parking_address(const char *driver, const XID *x,
			  struct sockaddr_un *ret);
/* The process at the other end of `fd` is of this user. */
bool parking_is_own(int fd);

#endif
