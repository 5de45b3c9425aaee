/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - what xadmin is shown: progress lines, rows, figures
 */
#ifndef OW_REPORT_H
#define OW_REPORT_H

#include "libatmi/wire/ctl.h"

struct ndrxd;
struct ow_inst;
struct ow_peer;

/* The result of a start or stop of one server, to all that watch. */
void ow_report_result(struct ndrxd *d, struct ow_inst *s,
		      enum ow_ctl_verb verb);

/* One line of text to one peer. */
void ow_report_line(struct ow_peer *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Begin a listing of the servers that `cmd` names; then more of it whenever
 * the peer can take more; at last DONE. */
void ow_report_list(struct ow_peer *p, const struct ow_ctl_cmd *cmd);
void ow_report_more(struct ow_peer *p);

/* A GROUP for each process group; how many. */
uint32_t ow_report_groups(struct ow_peer *p);

/* Lines about ndrxd itself. */
void ow_report_stat(struct ow_peer *p);

#endif
