/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_files.h - which files are logs of the domain
 *
 * Those of the folders that the environment names (NDRX_APPHOME/log, that of
 * NDRX_DMNLOG, NDRX_ULOG, that of ULOGPFX), and what servers and clients have
 * open to append to, as standard error or with "log" in its name.
 */
#ifndef OW_LOG_FILES_H
#define OW_LOG_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct ow_log_files;

/* NULL: no memory. */
struct ow_log_files *ow_log_files_find(void);
void ow_log_files_free(struct ow_log_files *f);
size_t ow_log_files_count(const struct ow_log_files *f);
/* Are there more than it takes? */
bool ow_log_files_more(const struct ow_log_files *f);
const char *ow_log_files_path(const struct ow_log_files *f, size_t i);
/* To be closed; NULL: it has gone, or may not be read. */
FILE *ow_log_files_open(const struct ow_log_files *f, size_t i);

#endif
