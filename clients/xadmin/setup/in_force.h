/* SPDX-License-Identifier: Apache-2.0 */
/*
 * in_force.h - the values that a running ndrxd uses
 *
 * ndrxd writes them to a file of the run folder
 * (ndrxd/supervise/in_force.h). They are found by the place of a value: its
 * section, server id and name.
 */
#ifndef OW_XADMIN_IN_FORCE_H
#define OW_XADMIN_IN_FORCE_H

#include <stdbool.h>

#include "libndrx/config/config.h"

/* Where a value belongs. */
struct ow_place_of {
	/* "appconfig", "group X", ..., name of a server; the path of a route
	 * has 1000 bytes at most */
	char section[1200];
	int srvid;	   /* 0: none */
	char name[160];
};

void ow_place_of(const struct ow_config_setting *v, struct ow_place_of *ret);

struct ow_in_force;

/* Read them. NULL: no ndrxd runs, or its file cannot be read. */
struct ow_in_force *ow_in_force_open(void);
struct ow_in_force *ow_in_force_close(struct ow_in_force *f);
static inline void ow_in_force_closep(struct ow_in_force **f)
{
	*f = ow_in_force_close(*f);
}

/* Look a value up, and mark it as seen. False: there is no such place.
 * *ret_text may become NULL: no value. */
bool ow_in_force_find(struct ow_in_force *f, const struct ow_place_of *at,
		      const char **ret_text);

/* Call `fn` for each value that was not looked up. */
void ow_in_force_each_unseen(struct ow_in_force *f,
			     void (*fn)(const struct ow_place_of *at,
					const char *text, void *arg),
			     void *arg);

#endif
