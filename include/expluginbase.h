/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expluginbase.h - the functions that a plugin library (NDRX_PLUGINS) has
 *
 * The library exports ndrx_plugin_init(), which tells the others that it has.
 */
#ifndef EXPLUGINBASE_H
#define EXPLUGINBASE_H

#include <stdio.h>
#include <ubf.h>

/* Result bits of ndrx_plugin_init() */
#define NDRX_PLUGIN_FUNC_ENCKEY		   0x00000001
#define NDRX_PLUGIN_FUNC_TPLOGPRINTUBF_HOOK 0x00000002

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Write the plugin's name, with NUL at most `bufsz` bytes. Returns the bits of
 * the functions it has, or -1. (ours) */
extern long ndrx_plugin_init(char *provider_name, int bufsz);

/* Write the key for tpencrypt() as text, with NUL at most `keybuf_bufsz` bytes
 * (1024). 0 or -1: then tpencrypt() fails with TPEOS. (ours) */
extern int ndrx_plugin_crypto_getkey(char *keybuf, int keybuf_bufsz);

/*
 * Called with each line of tplogprintubf(), which ends with a newline. It may
 * change *buffer, memory from malloc() that it may resize by realloc(), or
 * suppress the line (*do_write = 0). dataptr1 is NULL, fid 0. 0, or -1: the
 * line is left out. (ours)
 */
extern int ndrx_plugin_tplogprintubf_hook(char **buffer, long datalen,
					  void *dataptr1, int *do_write,
					  FILE *outf, int fid);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
