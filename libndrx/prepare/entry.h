/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry.h - what the processes of an entry get: environment, program, words
 *
 * The same functions serve a start (ndrxd/launch, ndrxd/clients) and the
 * check before it (preflight.h), so that both find the same mistakes. Results
 * are 0; positive with half a sentence in `why` (OW_ENTRY_WHY bytes); a
 * negative errno.
 */
#ifndef OW_ENTRY_H
#define OW_ENTRY_H

#include "libndrx/prepare/procenv.h"

#include <stdbool.h>

struct ow_cmdline;
struct ow_config_client;
struct ow_config_server;

#define OW_ENTRY_WHY 256

/* Fill an empty environment: that of this process, then <env>, <envs>, <cctag>
 * and what every server of the entry gets. */
int ow_entry_server_env(const struct ow_config_server *def,
			struct ow_procenv *e, char *why);
int ow_entry_client_env(const struct ow_config_client *def,
			struct ow_procenv *e, char *why);

/* Append the words of a configured text (may be NULL); ${NAME} of process
 * variables are replaced from `e`. */
int ow_entry_words(const struct ow_procenv *e, struct ow_cmdline *cmd,
		   const char *text, char *why);

/* The same words for users: encrypted values (${dec=...}) stay as they are. */
int ow_entry_words_shown(const struct ow_procenv *e, struct ow_cmdline *cmd,
			 const char *text, char *why);
/* Has the text (may be NULL) encrypted values? */
bool ow_entry_hides(const char *text);
/* Tell the processes that are started with `e` whether their words are to be
 * hidden (OW_MASKED_WORDS of libatmi/base/masked.h). 0 or -ENOMEM. */
int ow_entry_mark_hidden(struct ow_procenv *e, bool hidden);

/*
 * Find the program of a server in the PATH of its environment: 0 with the path
 * in `path`; else errno, with what was looked for. -ENOMEM.
 */
int ow_entry_program(const struct ow_config_server *def,
		     const struct ow_procenv *e, char *path, size_t size);

#endif
