/* SPDX-License-Identifier: Apache-2.0 */
/*
 * passwd.c - passwd: the file of passwords that tpinit() is checked against
 *
 * With -w, the users of ndrxweb, whose entries are ROLE/NAME. The gate reads the file at each login, so a change counts at once. The
 * password comes from the terminal, asked twice, or is the first line of the
 * standard input: never a word of a command line, which others can read.
 */
#include "clients/xadmin/setup/setup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clients/common/ask.h"
#include "libatmi/base/env.h"
#include "libatmi/base/owned.h"
#include "libatmi/door/callers.h"
#include "libatmi/door/passwords.h"
#include "libubf/base/cleanup.h"
#include "libndrx/config/config.h"

#define PASSWORD_SIZE OW_LOGIN_NAME /* that of a TPINIT buffer */

/* ---- the password ---- */

static int get_password(const struct ow_args *a, char *buf)
{
	char again[PASSWORD_SIZE + 1];
	bool terminal = isatty(STDIN_FILENO);
	int r = terminal ? ow_ask_hidden("Password", buf, PASSWORD_SIZE)
			 : ow_ask_line(buf, PASSWORD_SIZE);

	if (r == -EILSEQ || r == -EINTR)
		return ow_cmd_fail(a, "%s", ow_ask_strerror(r));
	if (r != 0 || buf[0] == '\0')
		return ow_cmd_fail(a, "give a password of 1 to %d bytes",
				   PASSWORD_SIZE - 1);
	if (!terminal)
		return OW_EXIT_OK;
	r = ow_ask_hidden("Once more", again, PASSWORD_SIZE);
	if (r == 0 && strcmp(again, buf) != 0)
		r = -EINVAL;
	explicit_bzero(again, sizeof(again));
	return r == 0 ? OW_EXIT_OK : ow_cmd_fail(a, "these were not the same");
}

/* ---- the file ---- */

static const char *const roles[] = { "look", "operate", "admin", NULL };

/* Is it about the users of ndrxweb? */
static bool is_web(const struct ow_args *a)
{
	return ow_args_has(a, 'w') || ow_args_has(a, 'r');
}

/* -f, that of ndrxweb, or that of <security> in the configuration: an exit code. */
static int find_file(const struct ow_args *a, char *buf, size_t size)
{
	OW_CLEANUP(ow_config_freep) struct ow_config *config = NULL;
	const char *path = ow_args_value(a, 'f'), *home;
	struct ow_config_error err;

	if (path == NULL && is_web(a)) {
		home = ow_env_str("NDRX_APPHOME", NULL);
		if (home == NULL)
			return ow_cmd_fail(a, "NDRX_APPHOME is not set: name "
					   "the file with -f");
		snprintf(buf, size, "%s/conf/web.users", home);
		return OW_EXIT_OK;
	}
	if (path == NULL) {
		path = ow_setup_config_in_env(a);
		if (path == NULL)
			return OW_EXIT_FAILED;
		if (ow_config_load(path, &err, &config) != 0)
			return ow_cmd_fail(a, "%s", err.text);
		path = config->security.passwords;
	}
	if (path == NULL)
		return ow_cmd_fail(a, "the configuration has no <security "
				   "passwords=\"PATH\">: name the file with "
				   "-f");
	if (snprintf(buf, size, "%s", path) >= (int)size)
		return ow_cmd_fail(a, "%s: too long", path);
	return OW_EXIT_OK;
}

static int report(const struct ow_args *a, const char *path, const char *name,
		  int r)
{
	if (r == 0)
		return OW_EXIT_OK;
	if (r == OW_PASSWORDS_WRONG)
		return ow_cmd_fail(a, "%s: no entry %s", path, name);
	if (r == OW_PASSWORDS_BLIND)
		return ow_cmd_fail(a, "libsodium.so.23 cannot be loaded: "
				   "install the package libsodium23");
	if (r == -EACCES)
		return ow_cmd_fail(a, "%s: others may read it, or you may "
				   "not: chmod 600", path);
	return ow_cmd_fail(a, "%s: %s", path, ow_owned_strerror(r));
}

static void print_name(const char *name, void *arg)
{
	(void)arg;
	printf("%s\n", name);
}

/* Take all entries of a user of ndrxweb out but that of `role` (NULL: all). */
static int remove_others(const char *path, const char *name, const char *role)
{
	char entry[OW_LOGIN_NAME + 16];
	int i, r, done = OW_PASSWORDS_WRONG;

	for (i = 0; roles[i] != NULL; i++) {
		if (role != NULL && strcmp(role, roles[i]) == 0)
			continue;
		snprintf(entry, sizeof(entry), "%s/%s", roles[i], name);
		r = ow_passwords_set(path, entry, NULL);
		if (r == 0)
			done = 0;
		else if (r != OW_PASSWORDS_WRONG)
			return r;
	}
	return done;
}

/* A user of ndrxweb has one role. */
static int change_web(const struct ow_args *a, const char *path,
		      const char *name)
{
	char password[PASSWORD_SIZE + 1] = "", entry[OW_LOGIN_NAME + 16];
	const char *role = ow_args_value(a, 'r');
	int i, r;

	for (i = 0; role != NULL && roles[i] != NULL &&
		    strcmp(role, roles[i]) != 0; i++)
		;
	if (!ow_args_has(a, 'd') && (role == NULL || roles[i] == NULL))
		return ow_cmd_misused(a, "-r: give a role: look, operate, "
				      "admin");
	if (strlen(name) > 22 || strchr(name, '/') != NULL ||
	    !ow_passwords_name_ok(name))
		return ow_cmd_misused(a, "a name has 1 to 22 bytes, no colon, "
				      "no slash, no blank at its ends");
	if (ow_args_has(a, 'd'))
		return report(a, path, name, remove_others(path, name, NULL));
	if (get_password(a, password) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	snprintf(entry, sizeof(entry), "%s/%s", role, name);
	r = ow_passwords_set(path, entry, password);
	explicit_bzero(password, sizeof(password));
	if (r == 0) {
		r = remove_others(path, name, role);
		r = r == OW_PASSWORDS_WRONG ? 0 : r;
	}
	return report(a, path, name, r);
}

static int change(const struct ow_args *a, const char *path, const char *name)
{
	char password[PASSWORD_SIZE + 1] = "";
	bool removes = ow_args_has(a, 'd');
	int r;

	if (!ow_passwords_name_ok(name))
		return ow_cmd_misused(a, "a name has 1 to 31 bytes, no colon, "
				      "no blank at its ends");
	if (!removes && get_password(a, password) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	r = ow_passwords_set(path, name, removes ? NULL : password);
	explicit_bzero(password, sizeof(password));
	return report(a, path, name, r);
}

int ow_setup_passwd(struct ow_args *a)
{
	char path[1024];
	int r;

	if ((a->n_rest == 1) == ow_args_has(a, 'l'))
		return ow_cmd_misused(a, "name a user, or give -l");
	r = find_file(a, path, sizeof(path));
	if (r != OW_EXIT_OK)
		return r;
	if (ow_args_has(a, 'l'))
		return report(a, path, "",
			      ow_passwords_each(path, print_name, NULL));
	return is_web(a) ? change_web(a, path, a->rest[0])
			 : change(a, path, a->rest[0]);
}
