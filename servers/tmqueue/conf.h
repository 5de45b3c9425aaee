/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf.h - the definitions of queues: q.conf, or [@queue] of the configuration
 */
#ifndef OW_TMQUEUE_CONF_H
#define OW_TMQUEUE_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include "servers/tmqueue/queues.h"

/* Read the file `path` ("": the section [@queue] of NDRX_CCONFIG), and make its
 * queues those that are defined. `lenient`: what cannot be taken is named in both
 * logs and left out; the file has to be there all the same. 0, or a negative
 * errno with the reason in `why`; then nothing has changed. */
int conf_load(struct queues *qs, const char *path, bool lenient, char *why,
	      size_t size);
/* Define one queue by a line of such a file; the same results. */
int conf_define(struct queues *qs, const char *line, char *why, size_t size);

#endif
