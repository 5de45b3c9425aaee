/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complete.h - candidates for the next word of a command line
 *
 * Used by the prompt and by the completion of shells (`xadmin --complete`).
 * Candidates are commands, options and values: server names, ids, services,
 * queues, variables. They come from the shared tables and the configuration
 * file, so completion needs no ndrxd.
 */
#ifndef OW_COMPLETE_H
#define OW_COMPLETE_H

/* Each word once, in no order. */
typedef void ow_complete_fn(const char *word, void *arg);

/*
 * Call `fn` with each candidate for the word after `argv` (n words, the first
 * is the command) that begins with `prefix`. File names are not among them:
 * 1 if the word may be a file name, else 0.
 */
int ow_complete(int n, char *const *argv, const char *prefix,
		ow_complete_fn *fn, void *arg);

#endif
