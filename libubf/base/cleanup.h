/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cleanup.h - locals that free what they own when they leave scope
 *
 * Used as `OW_CLEANUP(x_closep) struct x *p = NULL;`. To hand the object over,
 * copy the pointer and set the local to NULL.
 */
#ifndef OW_CLEANUP_H
#define OW_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>

#define OW_CLEANUP(fn) __attribute__((cleanup(fn)))

static inline void ow_cleanup_freep(void *pp)
{
	free(*(void **)pp);
}

static inline void ow_cleanup_fclosep(FILE **fp)
{
	if (*fp != NULL)
		fclose(*fp);
}

#endif
