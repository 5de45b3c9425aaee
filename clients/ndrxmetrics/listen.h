/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listen.h - sockets that listen for requests
 */
#ifndef OW_LISTEN_H
#define OW_LISTEN_H

struct addrinfo;

/* A Unix socket for this user alone: the descriptor, with a lock of its name
 * for the life of this process in *ret_lock; -EADDRINUSE: another process has
 * it; -errno. *ret_lock may be set on failure, too. */
int ow_listen_unix(const char *path, int *ret_lock);
/* Gives the name up. The socket itself was removed before. */
void ow_listen_unlock(const char *path, int lock_fd);
/* A TCP socket: the descriptor or -errno. */
int ow_listen_tcp(const struct addrinfo *a);

#endif
