/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - the file of clients that are wanted, for the next ndrxd
 *
 * A small file in the run folder, replaced as a whole when a client is
 * started or stopped. It belongs to one set of shared tables: a domain that
 * was created anew ignores it.
 */
#ifndef OW_CLIENT_RECORD_H
#define OW_CLIENT_RECORD_H

#include <stdbool.h>

struct ndrxd;

/* Write the file. */
void ow_client_record(struct ndrxd *d);
/* Call `wanted` for each client in the file; was the domain booted? */
bool ow_client_record_read(struct ndrxd *d,
			   void (*wanted)(void *arg, const char *tag,
					  const char *subsect),
			   void *arg);
/* Remove the file: the domain has ended. */
void ow_client_record_remove(struct ndrxd *d);

#endif
