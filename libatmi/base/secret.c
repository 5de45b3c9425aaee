/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secret.c - the text of the key by which programs encrypt
 */
#include "libatmi/base/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/env.h"
#include "libatmi/base/owned.h"
#include "libatmi/base/plugins.h"
#include "libubf/base/uncancelled.h"

/* The first line, which is in no buffer of stdio: 0, -ENODATA (it is empty). */
static int read_line(FILE *fp, char text[OW_SECRET_MAX])
{
	setvbuf(fp, NULL, _IONBF, 0);
	if (fgets(text, OW_SECRET_MAX, fp) == NULL)
		text[0] = '\0';
	text[strcspn(text, "\r\n")] = '\0';
	return text[0] != '\0' ? 0 : -ENODATA;
}

static int from_plugin(int (*key)(char *, int), char text[OW_SECRET_MAX],
		       char *why, size_t size)
{
	text[0] = '\0';
	if (key(text, OW_SECRET_MAX) == 0 && text[0] != '\0')
		return 0;
	snprintf(why, size, "the plugin gives no key");
	return -1;
}

static int from_file(const char *path, char text[OW_SECRET_MAX], char *why,
		     size_t size)
{
	struct stat st;
	FILE *fp = NULL;
	int r = ow_owned_fopen(path, &fp);

	if (r == 0 && fstat(fileno(fp), &st) == 0 &&
	    (st.st_mode & 077) != 0) {
		snprintf(why, size, "NDRX_ENCKEYFILE: %s: others may read or "
			 "write it: chmod 600", path);
		fclose(fp);
		return -1;
	}
	if (r == 0) {
		r = read_line(fp, text);
		fclose(fp);
	}
	if (r == 0)
		return 0;
	snprintf(why, size, "NDRX_ENCKEYFILE: %s: %s", path,
		 r == -ENODATA ? "its first line is empty"
			       : ow_owned_strerror(r));
	return -1;
}

#define RUNNING "NDRX_ENCKEYCMD_RUNS" /* set for the command */

/* A command line may have secrets in it: no message shows it. */
static int from_command(const char *command, char text[OW_SECRET_MAX],
			char *why, size_t size)
{
	char *guarded = NULL;
	FILE *fp = NULL;
	int r;

	/* The command may be a program that reads the same configuration. */
	if (ow_env_str(RUNNING, NULL) != NULL) {
		snprintf(why, size, "NDRX_ENCKEYCMD: it needs its own key");
		return -1;
	}
	if (asprintf(&guarded, "export " RUNNING "=1\n%s", command) >= 0)
		fp = popen(guarded, "re");
	else
		guarded = NULL;
	r = fp == NULL ? -errno : read_line(fp, text);
	free(guarded);
	if (fp != NULL && pclose(fp) != 0 && r == 0)
		r = -ECHILD;
	if (r == 0)
		return 0;
	snprintf(why, size, "NDRX_ENCKEYCMD: %s",
		 r == -ENODATA	? "it prints no line"
		 : r == -ECHILD ? "it did not succeed"
				: strerror(-r));
	return -1;
}

static void from_names(char text[OW_SECRET_MAX])
{
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	snprintf(text, OW_SECRET_MAX, "%u@%s", (unsigned int)geteuid(), host);
}

int ow_secret_get(char text[OW_SECRET_MAX], bool *ret_is_known, char *why,
		  size_t size)
{
	OW_UNCANCELLED;
	const struct ow_plugins *p = ow_plugins();
	const char *path = ow_env_str("NDRX_ENCKEYFILE", NULL);
	const char *command = ow_env_str("NDRX_ENCKEYCMD", NULL);

	*ret_is_known = false;
	if (p->key != NULL)
		return from_plugin(p->key, text, why, size);
	if (p->problem[0] != '\0') { /* it may be the one with the key */
		snprintf(why, size, "%s", p->problem);
		return -1;
	}
	if (path != NULL)
		return from_file(path, text, why, size);
	if (command != NULL)
		return from_command(command, text, why, size);
	*ret_is_known = true;
	from_names(text);
	return 0;
}
