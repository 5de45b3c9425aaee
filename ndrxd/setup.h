/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setup.h - make this process the supervisor of its domain
 */
#ifndef OW_SETUP_H
#define OW_SETUP_H

#include <stddef.h>

struct ndrxd;
struct ow_domain;

/* Do the names of the domain, as far as they are there, belong to this user?
 * 0, or -EPERM with `why`. Nothing is made. */
int ow_setup_check_owner(const struct ow_domain *env, char *why, size_t size);

/*
 * The domain joined, the configuration read, the socket listening, living
 * servers adopted. 0 or -errno, with the reason in `why`. `d` is zeroed but
 * for paths, `boot` and base.priority. Domain and tables stay for the process.
 */
int ow_setup_open(struct ndrxd *d, char *why, size_t size);
void ow_setup_close(struct ndrxd *d);

#endif
