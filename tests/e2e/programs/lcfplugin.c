/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lcfplugin.c - a plugin with commands, a key, and a filter of log lines
 *
 * `greet` logs its arguments, and calls service GREETED if argument B is
 * "call"; it fails if argument A is "fail".
 */
#include <expluginbase.h>
#include <lcf.h>
#include <ndebug.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xatmi.h>

static int greet(ndrx_lcf_command_t *cmd, long *p_flags)
{
	char *none = NULL;
	long len = 0;

	TP_LOG(log_info, "greeted by <%s> <%s>", cmd->arg_a, cmd->arg_b);
	if (strcmp(cmd->arg_b, "call") == 0 &&
	    tpcall("GREETED", NULL, 0, &none, &len, 0) != 0)
		TP_LOG(log_error, "GREETED: %s", tpstrerror(tperrno));
	if (none != NULL)
		tpfree(none);
	snprintf(cmd->fbackmsg, sizeof(cmd->fbackmsg), "pid %d",
		 (int)getpid());
	*p_flags |= NDRX_LCF_FLAG_FBACK_MSG;
	return strcmp(cmd->arg_a, "fail") == 0 ? -1 : 0;
}

static int count(ndrx_lcf_command_t *cmd, long *p_flags)
{
	cmd->fbackcode = 42;
	*p_flags |= NDRX_LCF_FLAG_FBACK_CODE;
	return 0;
}

int ndrx_plugin_crypto_getkey(char *keybuf, int keybuf_bufsz)
{
	return snprintf(keybuf, (size_t)keybuf_bufsz, "key of the plugin") <
			       keybuf_bufsz
		   ? 0
		   : -1;
}

/* Leaves out lines with "secret", marks the others. */
int ndrx_plugin_tplogprintubf_hook(char **buffer, long datalen, void *dataptr1,
				   int *do_write, FILE *outf, int fid)
{
	char *more;

	(void)dataptr1;
	(void)outf;
	(void)fid;
	if (strstr(*buffer, "secret") != NULL) {
		*do_write = 0;
		return 0;
	}
	more = realloc(*buffer, (size_t)datalen + 20);
	if (more == NULL)
		return -1;
	memmove(more + 8, more, (size_t)datalen + 1);
	memcpy(more, "hooked: ", 8);
	*buffer = more;
	return 0;
}

long ndrx_plugin_init(char *provider_name, int bufsz)
{
	ndrx_lcf_reg_func_t f = { 1, 1001, "greet", greet };
	ndrx_lcf_reg_func_t g = { 1, 1002, "count", count };
	ndrx_lcf_reg_xadmin_t w = { 1, 1001, "greet", "greet all",
				    NDRX_LCF_FLAG_ALL, 3 };
	ndrx_lcf_reg_xadmin_t x = { 1, 1002, "count", "count", NDRX_LCF_FLAG_ALL,
				    4 };

	snprintf(provider_name, (size_t)bufsz, "lcfplugin");
	if (ndrx_lcf_func_add(&f) != 0 || ndrx_lcf_func_add(&g) != 0 ||
	    ndrx_lcf_xadmin_add(&w) != 0 || ndrx_lcf_xadmin_add(&x) != 0)
		return -1;
	return NDRX_PLUGIN_FUNC_ENCKEY | NDRX_PLUGIN_FUNC_TPLOGPRINTUBF_HOOK;
}
