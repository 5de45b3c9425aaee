/* SPDX-License-Identifier: Apache-2.0 */
/*
 * args.h - take a command line apart: words, options, their values
 */
#ifndef OW_ARGS_H
#define OW_ARGS_H

#include "clients/xadmin/command/command.h"

struct option;

/* Split `line` into argv (OW_ARGS_MAX pointers, NULL-terminated), quoted as
 * for a shell; # begins a comment. The words lie in `buf`. The number of
 * words; -EINVAL: a quote is not closed, -E2BIG. */
int ow_args_split(const char *line, char *buf, size_t size, char **argv);

/* Fill in `ret` from argv. False: the command line is wrong; the word that is
 * wrong and the synopsis were printed. */
bool ow_args_parse(const struct ow_cmd *cmd, int argc, char **argv,
		   struct ow_args *ret);

/* A server id from text. 0: it is none; that was printed. */
unsigned int ow_args_srvid(const struct ow_args *a, const char *text);

/* The long options of the command, as getopt_long(3) wants them. */
const struct option *ow_args_longs(const struct ow_cmd *cmd);

#endif
