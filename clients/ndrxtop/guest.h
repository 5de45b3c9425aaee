/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest.h - the console of a domain of another user, who lets us look
 *
 * The guest's ndrxtop hands its terminal over: ndrxd starts an ndrxtop of the
 * domain's user on it (libndrx/observe/as_owner.h). The first word says what
 * kind of terminal it is. That ndrxtop takes no orders: they would be those of
 * the domain's user.
 */
#ifndef OW_TOP_GUEST_H
#define OW_TOP_GUEST_H

#include <stdbool.h>

/* The guest's side; an exit status. `words` are the command line, the name of
 * the program first. */
int ow_top_as_guest(int n, char **words, bool batch);

/* The other side: was this program started for a guest? Then the terminal is
 * taken, and words that are not options are taken out. */
bool ow_top_for_guest(int *argc, char **argv);

/* The terminal of a guest sends no signal when its size changes. */
bool ow_top_new_size(void);

#endif
