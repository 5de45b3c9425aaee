/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lost.h - one-way requests that were accepted and are not executed
 *
 * Nobody waits for their answer, so the log is all that tells of them: one line
 * for each, with the service, the id of the request and its trace. Most are
 * found under the domain lock, where nothing may be written and the log keeps a
 * few lines only; they are remembered by the thread, and told after the lock.
 */
#ifndef OW_LOST_H
#define OW_LOST_H

#include <stdint.h>

struct ow_domain;
struct ow_msg;

#define OW_LOST_WHY 240 /* bytes of a reason; the rest is cut off */

/* The request is lost, `why`: count it and name it, or remember it
 * until ow_lost_tell(). */
void ow_lost_note(struct ow_domain *d, const struct ow_msg *m,
		  const char *why);
/* The end of a request that a service has handed on, without an answer: if nobody
 * waits for it, it is lost; else its caller hears. The runtime's own servers know
 * what became of one-way requests that they did not answer. */
void ow_lost_unanswered(struct ow_domain *d, const struct ow_msg *m,
			const char *why);
/* As ow_lost_note(), of a request that is no message here: its service, span and
 * trace. */
void ow_lost_name(struct ow_domain *d, const char *svc, const uint8_t *span,
		  const uint8_t *trace, const char *why);
/* Name what this thread remembers. After the lock was given back. */
void ow_lost_tell(void);

#endif
