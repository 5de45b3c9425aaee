/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket.h - the socket that is readable while a polled mailbox has messages
 *
 * A program with a loop of its own waits for a descriptor (tpreplyfd()). Other
 * processes cannot write to an eventfd of it, so it is a datagram socket with a
 * name, `<shm>/<prefix>,shm/poll,SLOT`, in the folder that only the domain's
 * user may enter. A datagram in it is a mark without content: the sender of a
 * message writes one of one byte, when the word of the mailbox says so
 * (mailbox.h), and the context takes it away when it has found nothing more.
 * So the descriptor is readable, however the program waits for it, until the
 * program has looked.
 *
 * A process writes with one unbound socket for all contexts, made with its first
 * byte: no descriptor is open for each caller, none leads to a context that has
 * left, and a context that leaves while a byte is written harms nobody (no
 * SIGPIPE). A full socket is readable already. A name that a killed context has
 * left is removed by whoever reaps its slot; a sender meets ECONNREFUSED there,
 * and nobody waits.
 */
#ifndef OW_MAIL_SOCKET_H
#define OW_MAIL_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

struct ow_domain;

/* ---- called by the context ---- */

/* A non-blocking, close-on-exec descriptor, or -errno. */
int ow_mail_socket_open(struct ow_domain *d, uint32_t slot);
/* Is it readable? */
bool ow_mail_socket_holds(int fd);
/* Take away what is in it. */
void ow_mail_socket_drain(int fd);

/* ---- called by any process ---- */

/* Make the socket of this slot readable; does not block. */
void ow_mail_socket_write(struct ow_domain *d, uint32_t slot);
/* The context of the slot leaves, or is dead: remove the name. */
void ow_mail_socket_remove(const struct ow_domain *d, uint32_t slot);
/* Close the socket with which this process writes, when the domain is left. */
void ow_mail_socket_forget(struct ow_domain *d);

#endif
