/* SPDX-License-Identifier: Apache-2.0 */
/*
 * examine.h - the files of a queue space are looked at before they are used
 *
 * Three files tell about each other. The data base has all up to a batch, and
 * the sum of its records; the journal the batches that follow; the watermark the
 * number of the last batch that was synced. What a crash or a power cut leaves
 * fits together: pages.h, journal.h. What does not has lost something, or is an
 * older copy: that is said, and nothing is given away.
 */
#ifndef OW_TMQUEUE_EXAMINE_H
#define OW_TMQUEUE_EXAMINE_H

#include "libndrx/storage/damage.h"
#include "servers/tmqueue/store.h"

struct examined {
	bool exists;  /* there is a data base */
	bool earlier; /* it has no checksums: nothing can be compared */
	struct space_record space;
	struct epoch_record epoch;
	bool has_space, has_epoch;
	uint64_t sum, records;
	uint64_t bad, messages; /* records whose checksum is wrong; messages
				   that are whole */
	uint64_t highest;	/* number of a message */
};

/* Look at the data base s->path, and at the watermark, which is opened. False:
 * `d` says what is damaged. */
bool examine_base(struct store *s, const char *mark, struct examined *ret,
		  struct ow_damage *d);
/* The journal, which is open, against both. */
bool examine_journal(struct store *s, const struct examined *e,
		     struct ow_damage *d);

#endif
