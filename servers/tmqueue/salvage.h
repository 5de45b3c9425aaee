/* SPDX-License-Identifier: Apache-2.0 */
/*
 * salvage.h - a data base is made from what is left of another
 *
 * With an operator's word (libndrx/storage/damage.h), or because the former was
 * made by a version without checksums. Every record that is whole is taken, then
 * the changes of every batch of the journal that is whole. After damage tables do
 * not agree: each message keeps its place if exactly one is known; the others, and
 * those whose queue is not known, are put into the queue REPAIRED. What points to
 * messages that are gone is dropped, and figures are counted anew.
 *
 * The new file is whole and synced before it takes the name of the old one, which
 * stays as FILE.damaged. Its number is above all that can have been given. A
 * crash before that is as if nothing had happened; after it, all is done.
 */
#ifndef OW_TMQUEUE_SALVAGE_H
#define OW_TMQUEUE_SALVAGE_H

#include "servers/tmqueue/examine.h"

/* No data base is open. 0, STORE_FULL, -errno. */
int salvage(struct store *s, const char *mark, char *why, size_t size);
/* The open data base has no checksums: it gets them, and a watermark. */
int salvage_earlier(struct store *s, const struct examined *e, const char *mark);

#endif
