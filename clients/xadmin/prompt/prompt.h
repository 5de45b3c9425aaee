/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt.h - commands from a person: line editing, history, completion
 */
#ifndef OW_PROMPT_H
#define OW_PROMPT_H

struct ow_xadmin;

/* Read and run commands until quit or end of file. The exit code of the last
 * command. */
int ow_prompt_run(struct ow_xadmin *x);

#endif
