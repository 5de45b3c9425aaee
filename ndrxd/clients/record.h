/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - which clients are to run, for the next ndrxd
 *
 * A small file in the run folder, replaced as a whole when the wishes change.
 * It belongs to one set of shared tables: a domain made anew ignores it.
 */
#ifndef OW_CLIENT_RECORD_H
#define OW_CLIENT_RECORD_H

#include <stdbool.h>

struct ndrxd;

void ow_client_record(struct ndrxd *d);
/* Call `wanted` for each client on record; was the domain booted? */
bool ow_client_record_read(struct ndrxd *d,
			   void (*wanted)(void *arg, const char *tag,
					  const char *subsect),
			   void *arg);
/* The domain has ended. */
void ow_client_record_remove(struct ndrxd *d);

#endif
