/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ids.h - the SRVID of a UBBCONFIG, of a server that has another id here
 *
 * An SRVID is unique in its group, an id here in the domain. The import gives a
 * server another one where its own is taken, and writes the file srvids beside
 * ndrxconfig.xml: lines "ID COUNT SRVID", of COUNT instances from ID on.
 */
#ifndef OW_TM_IDS_H
#define OW_TM_IDS_H

#include <stdbool.h>
#include <stddef.h>

#define IDS_MOST 4096 /* what is beyond has its id here only */

struct ids {
	struct id_range {
		long id, count, srvid;
	} all[IDS_MOST];
	size_t n;
};

/* Of $TUXCONFIG.d; nothing, where there is no such file. */
void ids_read(struct ids *ret);
/* The SRVID of a server here. */
long ids_theirs(const struct ids *ids, long id);
/* Does the word choose the server: its SRVID, or its id here, which is the SRVID
 * of no other one? */
bool ids_is(const struct ids *ids, long id, const char *word);

#endif
