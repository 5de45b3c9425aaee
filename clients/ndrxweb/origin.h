/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origin.h - which user of this machine is at the other end of a connection?
 *
 * All users of a machine have one address. Without their numbers whoever guesses
 * passwords would shut the others out.
 */
#ifndef OW_WEB_ORIGIN_H
#define OW_WEB_ORIGIN_H

#include <stdbool.h>
#include <sys/types.h>

/* The user whose process has the other end of this TCP connection; false: the kernel
 * shows no such end, as of another machine. */
bool ow_origin_user(int fd, uid_t *ret);

#endif
