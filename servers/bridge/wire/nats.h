/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nats.h - the connection to NATS: the only way to libnats
 *
 * nats.c alone includes the library's header. The bridge knows subjects and
 * bytes; another library, or another version of this one, changes one file.
 */
#ifndef OW_BRIDGE_NATS_H
#define OW_BRIDGE_NATS_H

#include <stdbool.h>
#include <stddef.h>

struct ow_nats;

struct ow_nats_options {
	const char *urls; /* separated by commas */
	const char *name; /* of this connection, for the server's listings */
	const char *user, *password; /* or NULL */
	const char *creds;	     /* file with JWT and NKEY seed, or NULL */
	const char *ca, *cert, *key; /* PEM files of TLS, or NULL */
	bool is_child; /* the server is a child of this process: whatever name its
			  certificate has, it is the right one */
};

/* Called on threads of the library, one call at a time of each kind. */
struct ow_nats_events {
	void *arg;
	void (*message)(void *arg, const char *subject, const void *data,
			size_t len);
	/* Nobody listened to the message whose answers were to go to
	 * `subject`. */
	void (*undelivered)(void *arg, const char *subject);
	void (*up)(void *arg);
	void (*down)(void *arg);
};

/* Begin to connect; goes on trying for ever, and connects again after each
 * loss. 0, or -1 with the reason in `why`. */
int ow_nats_open(const struct ow_nats_options *o,
		 const struct ow_nats_events *ev, const char *const *subjects,
		 struct ow_nats **ret, char *why, size_t size);
/* A connection beside *ret, with other options, which becomes *ret: it is there
 * at once and hears its subjects, or -1. up() is not called for it before it
 * was lost once. */
int ow_nats_follow(const struct ow_nats_options *o,
		   const struct ow_nats_events *ev,
		   const char *const *subjects, struct ow_nats **ret, char *why,
		   size_t size);
/* Close a connection while `heir` goes on; nobody sends through `n` any more.
 * An event that has begun may still end. */
void ow_nats_retire(struct ow_nats *n, struct ow_nats *heir);
/* Send at once: 0 or -1. `reply` may be NULL. */
int ow_nats_send(struct ow_nats *n, const char *subject, const char *reply,
		 const void *data, size_t len);
/* The largest message that the server takes; 0: not connected. */
size_t ow_nats_largest(struct ow_nats *n);
/* Has the library given up, because the server refused this node twice? */
bool ow_nats_is_closed(struct ow_nats *n);
/* Write what has been sent and close, the last one. Accepts NULL. */
void ow_nats_close(struct ow_nats *n);
/* Of the library, for listings. */
const char *ow_nats_version(void);

#endif
