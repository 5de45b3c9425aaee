/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cause.h - why a request failed, in words that go back to its caller
 *
 * A reply with an error has no contents of a service. With OW_MSG_CAUSE in its
 * flags its payload is a text: what whoever refused the request knows, as
 * "resource manager 3 (PostgreSQL): xa_start: XAER_RMFAIL". Without the flag an
 * error may have a payload, too, what a service gave tpreturn(): that is not
 * for tpstrerror().
 */
#ifndef OW_CAUSE_H
#define OW_CAUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "libatmi/wire/msg.h"

#define OW_CAUSE_MAX 160 /* bytes: the detail has room for words around it */

/* Is the payload of this reply for its caller: contents, or a cause? */
bool ow_cause_or_content(const struct ow_msg *m);
/* The text as it travels: without secrets (masked.h), cut off. Its length; 0:
 * there is none. */
size_t ow_cause_write(const char *why, char ret[OW_CAUSE_MAX]);
/* The text of a reply that was received, checked, with NUL; "": it has none.
 * The payload may be NULL. */
void ow_cause_read(const struct ow_msg *m, const void *payload,
		   char ret[OW_CAUSE_MAX + 1]);

#endif
