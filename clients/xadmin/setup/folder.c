/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder.c - make the folder of a domain
 */
#include "clients/xadmin/setup/folder.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clients/xadmin/command/command.h"
#include "libatmi/base/env.h"
#include "libubf/base/cleanup.h"

/* ---- values ---- */

const char *ow_folder_bad_name(const char *text)
{
	const char *p;

	for (p = text; *p != '\0'; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			return "give letters, digits and _";
	if (p == text || p - text > OW_FOLDER_NAME)
		return "give 1 to 30 characters";
	return NULL;
}

const char *ow_folder_bad_prefix(const char *text)
{
	if (text[0] != '/' || text[1] == '\0')
		return "give a / and then a name, such as /bank";
	if (strlen(text) > OW_PREFIX_MAX)
		return "is too long: at most 40 characters";
	if (strpbrk(text + 1, "/, \t'\"\\$") != NULL)
		return "give no further /, no comma, blank, quote, $";
	return NULL;
}

const char *ow_folder_bad_node(const char *text)
{
	long v;

	return ow_env_parse_long(text, &v) == 0 && v >= 1 && v <= 32
		   ? NULL : "give a node number, 1 to 32";
}

const char *ow_folder_bad_timeout(const char *text)
{
	uint64_t ms;

	return ow_env_parse_ms(text, &ms) == 0 && ms > 0
		   ? NULL : "give seconds such as 30 or 1.5, or 500ms";
}

/* ---- folders and files ---- */

static int make_one(struct ow_folder *f, const char *path)
{
	if (mkdir(path, 0777) == 0) {
		f->made++;
		return OW_EXIT_OK;
	}
	if (errno == EEXIST)
		return OW_EXIT_OK;
	return ow_cmd_fail(f->a, "%s: %s", path, strerror(errno));
}

int ow_folder_make(struct ow_folder *f, const char *path)
{
	static const char *const parts[] = { "conf", "bin", "ubftab", "views",
					     "log" };
	OW_CLEANUP(ow_cleanup_freep) char *real = NULL;
	char sub[PATH_MAX + 16];
	size_t i;
	int r = make_one(f, path);

	if (r != OW_EXIT_OK)
		return r;
	real = realpath(path, NULL);
	if (real == NULL || strlen(real) >= sizeof(f->path))
		return ow_cmd_fail(f->a, "%s: %s", path,
				   strerror(real == NULL ? errno
							 : ENAMETOOLONG));
	strcpy(f->path, real);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		snprintf(sub, sizeof(sub), "%s/%s", f->path, parts[i]);
		r = make_one(f, sub);
		if (r != OW_EXIT_OK)
			return r;
	}
	return OW_EXIT_OK;
}

int ow_folder_write(struct ow_folder *f, const char *file, const char *text)
{
	int fd, flags = O_WRONLY | O_CREAT | O_CLOEXEC;
	char path[PATH_MAX + 64];
	FILE *out;
	bool failed;

	snprintf(path, sizeof(path), "%s/%s", f->path, file);
	fd = open(path, flags | (f->overwrite ? O_TRUNC : O_EXCL), 0666);
	if (fd < 0 && errno == EEXIST) {
		fprintf(stderr, "%s exists: kept\n", path);
		return OW_EXIT_OK;
	}
	out = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (out == NULL)
		return ow_cmd_fail(f->a, "%s: %s", path, strerror(errno));
	failed = fputs(text, out) < 0;
	if (fclose(out) != 0 || failed)
		return ow_cmd_fail(f->a, "%s: %s", path, strerror(errno));
	f->made++;
	return OW_EXIT_OK;
}

/* ---- setenv ---- */

/* Quote a word for a shell. */
static void put_word(FILE *out, const char *text)
{
	const char *p;

	putc('\'', out);
	for (p = text; *p != '\0'; p++)
		if (*p == '\'')
			fputs("'\\''", out);
		else
			putc(*p, out);
	putc('\'', out);
}

char *ow_folder_word(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./,:@%+=";

	return text[strspn(text, plain)] == '\0' && *text != '\0'
		   ? strdup(text) : ow_folder_quote(text);
}

char *ow_folder_quote(const char *text)
{
	char *word = NULL;
	size_t len;
	FILE *out = open_memstream(&word, &len);

	if (out == NULL)
		return NULL;
	put_word(out, text);
	if (fclose(out) == 0)
		return word;
	free(word);
	return NULL;
}

static void put_variable(FILE *out, const char *name, const char *value)
{
	fprintf(out, "export %s=", name);
	put_word(out, value);
	putc('\n', out);
}

/* The folder of this xadmin, unless it is in every PATH. */
static bool find_installation(char own[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", own, PATH_MAX - 1);
	char *slash;

	if (n <= 0)
		return false;
	own[n] = '\0';
	slash = strrchr(own, '/');
	if (slash == NULL || slash == own)
		return false;
	*slash = '\0';
	return strcmp(own, "/usr/bin") != 0 &&
	       strcmp(own, "/usr/local/bin") != 0;
}

static void put_installation(FILE *out)
{
	char own[PATH_MAX], *slash;

	if (!find_installation(own))
		return;
	fputs("# this installation of Onewake\nexport PATH=", out);
	put_word(out, own);
	fputs(":\"$PATH\"\n", out);
	slash = strrchr(own, '/');
	if (slash == NULL || strcmp(slash, "/bin") != 0)
		return;
	strcpy(slash, "/lib");
	fputs("export LD_LIBRARY_PATH=", out);
	put_word(out, own);
	fputs("\"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"\n", out);
}

static void put_setenv(FILE *out, const struct ow_folder *f)
{
	OW_CLEANUP(ow_cleanup_freep) char *word = ow_folder_word(f->path);

	fprintf(out, "# setenv - environment of the domain %s; source it:\n"
		     "#\t. %s/setenv\n"
		     "# onewake(7) explains the variables.\n\n",
		f->name, word != NULL ? word : f->path);
	put_installation(out);
	fputs("\n# the folder of the domain; the prefix of its queues and "
	      "memory, unique on this\n# machine\n", out);
	put_variable(out, "NDRX_APPHOME", f->path);
	put_variable(out, "NDRX_QPREFIX", f->prefix);
	put_variable(out, "NDRX_NODEID", f->node);
	fputs("\n# seconds until a call without a reply fails\n", out);
	put_variable(out, "NDRX_TOUT", f->timeout);
	fputs("\n# configuration of ndrxd; logs\n"
	      "export NDRX_CONFIG=\"$NDRX_APPHOME/conf/ndrxconfig.xml\"\n"
	      "export NDRX_ULOG=\"$NDRX_APPHOME/log\"\n"
	      "export NDRX_DEBUG_CONF=\"$NDRX_APPHOME/conf/debug.conf\"\n"
	      "\n# field tables and views, without folders: FIELDTBLS=a.fd,"
	      "b.fd\n"
	      "export FLDTBLDIR=\"$NDRX_APPHOME/ubftab\"\n"
	      "export VIEWDIR=\"$NDRX_APPHOME/views\"\n"
	      "\n# servers and clients are found in PATH\n"
	      "export PATH=\"$NDRX_APPHOME/bin:$PATH\"\n", out);
	if (f->more != NULL)
		fprintf(out, "\n%s", f->more);
}

/* ---- the environment of a unit of systemd ---- */

/* As systemd.exec(5) reads it: in double quotes, with backslashes. */
static void put_plain(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (strchr("\"\\$`", *text) != NULL)
			putc('\\', out);
		putc(*text, out);
	}
}

static void put_env(FILE *out, const char *name, const char *value,
		    const char *behind)
{
	fprintf(out, "%s=\"", name);
	put_plain(out, value);
	put_plain(out, behind);
	fputs("\"\n", out);
}

static void put_unit(FILE *out, const struct ow_folder *f)
{
	char own[PATH_MAX], *slash;
	bool elsewhere = find_installation(own);

	fprintf(out, "# %s.env - environment of the domain %s for "
		     "onewake@%s.service, as setenv has it\n",
		f->name, f->name, f->name);
	put_env(out, "NDRX_APPHOME", f->path, "");
	put_env(out, "NDRX_QPREFIX", f->prefix, "");
	put_env(out, "NDRX_NODEID", f->node, "");
	put_env(out, "NDRX_TOUT", f->timeout, "");
	put_env(out, "NDRX_CONFIG", f->path, "/conf/ndrxconfig.xml");
	put_env(out, "NDRX_ULOG", f->path, "/log");
	put_env(out, "NDRX_DEBUG_CONF", f->path, "/conf/debug.conf");
	put_env(out, "FLDTBLDIR", f->path, "/ubftab");
	put_env(out, "VIEWDIR", f->path, "/views");
	fputs("PATH=\"", out);
	put_plain(out, f->path);
	fputs("/bin:", out);
	if (elsewhere) {
		put_plain(out, own);
		putc(':', out);
	}
	fputs("/usr/local/bin:/usr/bin:/bin\"\n", out);
	slash = elsewhere ? strrchr(own, '/') : NULL;
	if (slash == NULL || strcmp(slash, "/bin") != 0)
		return;
	*slash = '\0';
	put_env(out, "LD_LIBRARY_PATH", own, "/lib");
}

/* Where the unit reads it, if this user may write there. False: it is not there
 * yet. */
static bool put_into_etc(const struct ow_folder *f, const char *text)
{
	char path[128];
	int fd;
	bool ok;

	snprintf(path, sizeof(path), OW_FOLDER_UNITS "/%s.env", f->name);
	if (access(path, F_OK) == 0) {
		fprintf(stderr, "%s exists: kept\n", path);
		return true;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
	if (fd < 0)
		return false;
	ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	return close(fd) == 0 && ok;
}

int ow_folder_write_unit(struct ow_folder *f, bool *ret_in_etc)
{
	OW_CLEANUP(ow_cleanup_freep) char *text = NULL;
	char file[64];
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (out == NULL)
		return ow_cmd_fail(f->a, "no memory");
	put_unit(out, f);
	if (fclose(out) != 0)
		return ow_cmd_fail(f->a, "no memory");
	*ret_in_etc = put_into_etc(f, text);
	snprintf(file, sizeof(file), "conf/%s.env", f->name);
	return ow_folder_write(f, file, text);
}

int ow_folder_write_setenv(struct ow_folder *f)
{
	OW_CLEANUP(ow_cleanup_freep) char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int r;

	if (out == NULL)
		return ow_cmd_fail(f->a, "no memory");
	put_setenv(out, f);
	if (fclose(out) != 0)
		return ow_cmd_fail(f->a, "no memory");
	r = ow_folder_write(f, "setenv", text);
	if (r == OW_EXIT_OK)
		r = ow_folder_write(f, "conf/debug.conf",
				    "# what each program logs, and where; "
				    "levels 0 (none) to 5 (debug)\n"
				    "* ndrx=3 ubf=2 tp=3 "
				    "file=\"${NDRX_APPHOME}/log/ATMI.log\"\n");
	return r;
}
