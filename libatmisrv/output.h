/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.h - the files of a server's standard output and error
 */
#ifndef OW_OUTPUT_H
#define OW_OUTPUT_H

struct ow_options;

/* Redirect to the files of options -e and -o. */
void ow_output_redirect(const struct ow_options *o);
/* Open a file anew if it was renamed. */
void ow_output_follow(const struct ow_options *o);

#endif
