/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry.c - what the processes of an entry get: environment, program, words
 */
#include "libndrx/prepare/entry.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/encrypted.h"
#include "libatmi/base/masked.h"
#include "libubf/base/cleanup.h"
#include "libubf/base/trim.h"
#include "libndrx/config/cmdline.h"
#include "libndrx/config/config.h"
#include "libndrx/config/subst.h"
#include "libndrx/prepare/path.h"

/* ---- the environment ---- */

/* The files of <env>, divided by commas: of a name that is there twice the last
 * one counts. A file may have a comma in its own name. */
static int env_files(struct ow_procenv *e, const char *list, bool tuxedo,
		     char *why)
{
	int (*const apply)(struct ow_procenv *e, const char *path, char *why,
			   size_t size) =
		tuxedo ? ow_procenv_file_tuxedo : ow_procenv_file;
	OW_CLEANUP(ow_cleanup_freep) char *copy = strdup(list);
	char *rest = copy, *file;
	int r = 0;

	if (copy == NULL)
		return -ENOMEM;
	if (access(list, F_OK) == 0)
		return apply(e, list, why, OW_ENTRY_WHY);
	while (r == 0 && (file = strsep(&rest, ",")) != NULL)
		r = apply(e, ow_trim(file), why, OW_ENTRY_WHY);
	return r;
}

static const char *process_variable(void *arg, const char *name)
{
	const struct ow_procenv *e = arg;

	return ow_subst_is_process_variable(name) ? ow_procenv_get(e, name)
						  : NULL;
}

/* A variable that still has its ${...}. */
static int set_decrypted(struct ow_procenv *e, const struct ow_config_env *env,
			 char *why)
{
	OW_CLEANUP(ow_cleanup_freep) char *plain = NULL;
	char reason[OW_CCONFIG_WHY];
	struct ow_subst subst = { .get = process_variable, .arg = e,
				  .key = e->key, .why = reason };
	int r = ow_subst(&subst, env->value, &plain);

	if (r == OW_SUBST_ENCRYPTED)
		snprintf(why, OW_ENTRY_WHY, "variable %.60s: ${dec=...}: %.160s",
			 env->name, reason);
	else if (r > 0)
		snprintf(why, OW_ENTRY_WHY, "variable %.60s %s", env->name,
			 ow_subst_strresult(r));
	if (r == 0)
		r = ow_procenv_set(e, env->name, plain);
	if (plain != NULL)
		explicit_bzero(plain, strlen(plain));
	return r;
}

/* What servers and clients have in common. */
static int configured_env(struct ow_procenv *e, const char *file,
			  const struct ow_config_env *envs, size_t n,
			  const char *cctag, const char *compat, char *why)
{
	const char *word = compat;
	size_t i;
	int r = ow_procenv_copy(e);

	if (word == NULL)
		word = ow_procenv_get(e, "NDRX_COMPAT");
	if (r == 0 && file != NULL)
		r = env_files(e, file,
			      word != NULL &&
				      strcmp(word, "strict-tuxedo") == 0,
			      why);
	for (i = 0; i < n && r == 0; i++)
		r = envs[i].is_encrypted
			? set_decrypted(e, &envs[i], why)
			: ow_procenv_set(e, envs[i].name, envs[i].value);
	if (r == 0 && cctag != NULL)
		r = ow_procenv_set(e, "NDRX_CCTAG", cctag);
	if (r == 0 && compat != NULL)
		r = ow_procenv_set(e, "NDRX_COMPAT", compat);
	return r;
}

/* It is an item of a list, which may have others. */
static int add_last_resource(struct ow_procenv *e)
{
	const char *was = ow_procenv_get(e, "NDRX_XA_FLAGS");
	char flags[256];
	int n = snprintf(flags, sizeof(flags), "%s%sLASTRESOURCE",
			 was != NULL ? was : "",
			 was != NULL && *was != '\0' ? ";" : "");

	return n < 0 || (size_t)n >= sizeof(flags)
		   ? -E2BIG
		   : ow_procenv_set(e, "NDRX_XA_FLAGS", flags);
}

int ow_entry_server_env(const struct ow_config_server *def,
			struct ow_procenv *e, char *why)
{
	const struct {
		const char *name;
		long value;
	} numbers[] = {
		{ "NDRX_MINDISPATCHTHREADS", def->mindispatchthreads },
		{ "NDRX_MAXDISPATCHTHREADS", def->maxdispatchthreads },
		{ "NDRX_SVPPID", getpid() },
		{ "NDRX_PROCGRP_NO", def->procgrp_no },
		{ "NDRX_PROCGRP_LP_NO", def->procgrp_lp_no },
	};
	size_t i;
	int r = configured_env(e, def->env_file, def->envs, def->n_envs,
			       def->cctag, def->compat, why);

	if (r == 0 && def->threadstacksize > 0)
		r = ow_procenv_set_number(e, "NDRX_THREADSTACKSIZE",
					  def->threadstacksize);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]) && r == 0; i++)
		r = ow_procenv_set_number(e, numbers[i].name,
					  numbers[i].value);
	if (r == 0 && def->last_resource)
		r = add_last_resource(e);
	if (r == 0)
		r = ow_procenv_set(e, "NDRX_SVPROCNAME", def->name);
	return r;
}

int ow_entry_client_env(const struct ow_config_client *def,
			struct ow_procenv *e, char *why)
{
	int r = configured_env(e, def->env_file, def->envs, def->n_envs,
			       def->cctag, def->compat, why);

	if (r == 0)
		r = ow_procenv_set(e, "NDRX_CLTTAG", def->tag);
	if (r == 0)
		r = ow_procenv_set(e, "NDRX_CLTSUBSECT", def->subsect);
	return r;
}

/* ---- the command line ---- */

static int words(const struct ow_procenv *e, bool shown,
		 struct ow_cmdline *cmd, const char *text, char *why)
{
	char reason[OW_CCONFIG_WHY];
	struct ow_subst subst = { .get = process_variable,
				  .arg = (void *)(uintptr_t)e,
				  .keep_escapes = shown,
				  .key = e->key,
				  .why = reason };
	OW_CLEANUP(ow_cleanup_freep) char *full = NULL;
	int r;

	if (text == NULL)
		return 0;
	r = ow_subst(&subst, text, &full);
	if (r == OW_SUBST_ENCRYPTED) {
		snprintf(why, OW_ENTRY_WHY, "${dec=...}: %.230s", reason);
		return r;
	}
	if (r == 0) {
		r = ow_cmdline_split(cmd, full);
		if (r > 0)
			snprintf(why, OW_ENTRY_WHY, "%.100s: %s", text,
				 ow_cmdline_strresult(r));
	} else if (r > 0) {
		snprintf(why, OW_ENTRY_WHY, "%.100s %s", text,
			 ow_subst_strresult(r));
	}
	return r;
}

int ow_entry_words(const struct ow_procenv *e, struct ow_cmdline *cmd,
		   const char *text, char *why)
{
	return words(e, false, cmd, text, why);
}

int ow_entry_words_shown(const struct ow_procenv *e, struct ow_cmdline *cmd,
			 const char *text, char *why)
{
	return words(e, true, cmd, text, why);
}

bool ow_entry_hides(const char *text)
{
	return text != NULL && strstr(text, "${" OW_ENCRYPTED_MARK) != NULL;
}

int ow_entry_mark_hidden(struct ow_procenv *e, bool hidden)
{
	return ow_procenv_set(e, OW_MASKED_WORDS, hidden ? "1" : NULL);
}

int ow_entry_program(const struct ow_config_server *def,
		     const struct ow_procenv *e, char *path, size_t size)
{
	struct ow_cmdline cmd = { 0 };
	const char *name = def->fullpath != NULL ? def->fullpath : def->name;
	char why[OW_ENTRY_WHY];
	int r;

	if (def->cmdline != NULL) {
		name = def->name;
		if (ow_entry_words(e, &cmd, def->cmdline, why) == 0 &&
		    cmd.argc > 0)
			name = cmd.argv[0];
	}
	r = ow_path_find(name, ow_procenv_get(e, "PATH"), path, size);
	ow_cmdline_clear(&cmd);
	return r;
}
