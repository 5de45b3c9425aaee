/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selection.h - the services that the command line adds, renames or leaves out
 */
#ifndef OW_SELECTION_H
#define OW_SELECTION_H

struct ow_server;
struct tmdsptchtbl_t;

/* Before tpsvrinit(): offer the services of the program's table (buildserver;
 * may be NULL) and of option -S: 0, or -1 with tperrno. */
int ow_selection_offer(struct ow_server *s,
		       const struct tmdsptchtbl_t *builtin);
/* After tpsvrinit(): apply options -s, -n and -N to the offers: 0, or -1 with
 * tperrno. */
int ow_selection_apply(struct ow_server *s,
		       const struct tmdsptchtbl_t *builtin);

#endif
