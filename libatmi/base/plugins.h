/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugins.h - libraries that the environment adds to every program
 *
 * NDRX_PLUGINS names shared libraries, separated by semicolons. They are loaded
 * when a function of theirs is first needed, in the order of the list; each
 * says in ndrx_plugin_init() what it has (expluginbase.h). If several have the
 * same function, the first one's is used. A library that cannot be loaded is
 * left out.
 */
#ifndef OW_PLUGINS_H
#define OW_PLUGINS_H

#include <stdbool.h>
#include <stdio.h>

struct ow_plugins {
	/* NULL: no plugin has it. */
	int (*key)(char *keybuf, int keybuf_bufsz);
	int (*print_hook)(char **buffer, long datalen, void *dataptr1,
			  int *do_write, FILE *outf, int fid);
	char problem[256]; /* the last library left out, and why; "": none */
};

const struct ow_plugins *ow_plugins(void);
/* Does NDRX_PLUGINS name any? Costs a look into the environment. */
bool ow_plugins_wanted(void);

#endif
