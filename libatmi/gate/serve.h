/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve.h - the gate's end of one guest's connection
 *
 * A thread of ndrxgate serves one guest with a context of its own: towards
 * the domain it is an ordinary client. What the guest sends is hostile until
 * checked (wire/frame.h). doc/design/trust.md, "Guests".
 */
#ifndef OW_SERVE_H
#define OW_SERVE_H

struct ow_gate_peer;

#define OW_GUEST_CALLS 256 /* outstanding */
#define OW_GUEST_BYTES (256u << 20) /* of their requests */

/* Serve the guest until it leaves; by a thread without a context. `label`: its
 * name in listings of clients; `peer`: who it is. Closes `fd`. */
void ow_guest_serve(int fd, const char *label, const struct ow_gate_peer *peer);
/* Tell a guest that it may not come in, without waiting. Closes `fd`. */
void ow_guest_refuse(int fd, int tperr, const char *why);

#endif
