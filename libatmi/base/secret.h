/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secret.h - the text of the key by which programs encrypt
 */
#ifndef OW_SECRET_H
#define OW_SECRET_H

#include <stdbool.h>
#include <stddef.h>

#define OW_SECRET_MAX 1024 /* bytes, with NUL */

/*
 * The first of these that there is: the plugin's key (NDRX_PLUGINS); the first
 * line of the file NDRX_ENCKEYFILE, which nobody else may read or write; the
 * first line that command NDRX_ENCKEYCMD prints; user and host name, which are
 * no secret: then *ret_is_known is true. 0; -1 with the reason in `why`: what
 * is configured does not give a key, and then there is none.
 */
int ow_secret_get(char text[OW_SECRET_MAX], bool *ret_is_known, char *why,
		  size_t size);

#endif
