/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - listings for xadmin: servers, process groups, ndrxd itself
 */
#ifndef OW_ROWS_H
#define OW_ROWS_H

#include <stdint.h>

struct ow_ctl_cmd;
struct ow_peer;

/* Begin a listing of the servers that `cmd` names. Rows are made as the
 * socket takes them: ow_rows_more() sends on; DONE comes last. */
void ow_rows_list(struct ow_peer *p, const struct ow_ctl_cmd *cmd);
void ow_rows_more(struct ow_peer *p);

/* A GROUP for each process group; how many. */
uint32_t ow_rows_groups(struct ow_peer *p);

/* Lines about ndrxd itself. */
void ow_rows_stat(struct ow_peer *p);

#endif
