/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complete.h - what could come next on a command line
 *
 * Shared by the prompt and by the shells' completion (`xadmin --complete`):
 * commands, options, and for values server names, ids, services, queues,
 * variables. Read from the tables in shared memory and the configuration, so
 * that it asks nobody and works while ndrxd is down.
 */
#ifndef OW_COMPLETE_H
#define OW_COMPLETE_H

/* Each word once, in no order. */
typedef void ow_complete_fn(const char *word, void *arg);

/*
 * Candidates for the word after `argv` (n words, the first one the command),
 * that begin with `prefix`. File names are not among them: 1 when one could
 * stand there.
 */
int ow_complete(int n, char *const *argv, const char *prefix,
		ow_complete_fn *fn, void *arg);

#endif
