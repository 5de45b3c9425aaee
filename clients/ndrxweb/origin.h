/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origin.h - who is at the other end of a connection: a user of this machine, or another one
 *
 * All users of a machine have its addresses, and each may take any of 127.0.0.0/8:
 * users are told apart by their numbers only. Otherwise whoever guesses passwords
 * would shut the others out, or be a newcomer with each guess.
 */
#ifndef OW_WEB_ORIGIN_H
#define OW_WEB_ORIGIN_H

#include <sys/socket.h>

#define OW_ORIGIN_SIZE 64 /* bytes of a name, with its NUL */

/* The name of who has the other end of this TCP connection: "user UID" of this
 * machine; "this machine" if his end is closed, so that nobody knows whose it
 * was; else as below. */
void ow_origin_name(int fd, char buf[OW_ORIGIN_SIZE]);
/* The name of an address: of IPv6 the first 64 bits, which one host has for
 * itself; "this machine" for those that never leave it; "": not of IP. */
void ow_origin_address(const struct sockaddr *a, char buf[OW_ORIGIN_SIZE]);

#endif
