/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listings.h - the listings of tmadmin, in its columns
 *
 * Each takes its options (`words`, ends with NULL) and returns 0, or 1 after a
 * message.
 */
#ifndef OW_TM_LISTINGS_H
#define OW_TM_LISTINGS_H

int list_servers(const char *const *words);
int list_services(const char *const *words);
int list_queues(const char *const *words);
int list_clients(const char *const *words);
int list_groups(const char *const *words);

#endif
