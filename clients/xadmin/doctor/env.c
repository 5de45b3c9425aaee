/* SPDX-License-Identifier: Apache-2.0 */
/*
 * env.c - check the environment of this shell
 *
 * Variables, the files they name, configuration, field tables.
 */
#include "clients/xadmin/doctor/checks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <ubf.h>
#include <unistd.h>

#include "clients/xadmin/domain/processes.h"
#include "libatmi/base/env.h"
#include "libatmi/base/owned.h"
#include "libatmi/member/join.h"
#include "libndrx/config/config.h"
#include "libubf/base/variable.h"

static const char *var(const char *name)
{
	const char *v = ow_variable(name);

	return v != NULL && *v != '\0' ? v : NULL;
}

static void check_prefix(struct ow_doctor *doc)
{
	char why[512];
	int r = ow_domain_read_env(&doc->env, why, sizeof(why));

	doc->env_good = r == 0;
	if (r == 0)
		ow_doctor_say(doc, &(struct ow_doctor_finding){
			.what = "NDRX_QPREFIX", .found = doc->env.prefix,
			.meaning = "names this domain" });
	else
		ow_doctor_say(doc, &(struct ow_doctor_finding){
			.grade = OW_DOCTOR_FAIL, .what = "environment",
			.found = "not usable", .meaning = why,
			.cure = "export NDRX_QPREFIX=/mydomain (and see the "
				"variable named)" });
}

/* The process of another domain that listens where the ndrxd of this one would;
 * 0: none does. */
static pid_t other_listener(const struct ow_doctor *doc)
{
	struct ow_process p;
	pid_t pid = 0;
	int fd = doc->env_good ? ow_domain_connect(&doc->env) : -1;

	if (fd < 0)
		return 0;
	(void)ow_owned_peer(fd, doc->env.sock, &pid);
	close(fd);
	return pid > 0 && ow_process_read(pid, &p) &&
			       !ow_process_is_of(&p, &doc->env)
		       ? pid : 0;
}

static void check_home(struct ow_doctor *doc)
{
	struct ow_doctor_finding f = { .what = "NDRX_APPHOME" };
	const char *home = var("NDRX_APPHOME");
	char meaning[128];
	struct stat st;
	pid_t other;

	f.found = home != NULL ? home : "not set";
	f.meaning = "folder of the application; the socket of ndrxd is in "
		    "its subfolder run/";
	if (home == NULL) {
		f.grade = OW_DOCTOR_FAIL;
		f.cure = "export NDRX_APPHOME=/path/of/the/application";
	} else if (stat(home, &st) < 0 || !S_ISDIR(st.st_mode)) {
		f.grade = OW_DOCTOR_FAIL;
		f.meaning = "is not a folder";
		f.cure = "mkdir -p \"$NDRX_APPHOME\"";
	} else if (access(home, W_OK | X_OK) < 0) {
		f.grade = OW_DOCTOR_FAIL;
		f.meaning = "cannot be written by this user, so ndrxd cannot "
			    "make its socket";
		f.cure = "chown or chmod the folder, or choose another";
	} else if ((other = other_listener(doc)) != 0) {
		snprintf(meaning, sizeof(meaning), "is that of another domain, "
			 "too: its ndrxd, process %d, listens there", (int)other);
		f.grade = OW_DOCTOR_FAIL;
		f.meaning = meaning;
		f.cure = "choose another one: socket, history and black box "
			 "are one for both";
	}
	ow_doctor_say(doc, &f);
}

/* The message without the path, which the line has already. */
static const char *without_path(const char *text, const char *path)
{
	size_t n = strlen(path);

	if (strncmp(text, path, n) != 0 || text[n] != ':')
		return text;
	text += n + 1;
	return *text == ' ' ? text + 1 : text;
}

static void check_config(struct ow_doctor *doc)
{
	struct ow_doctor_finding f = { .what = "NDRX_CONFIG" };
	const char *path = var("NDRX_CONFIG");
	struct ow_config *config = NULL;
	struct ow_config_error err;
	char meaning[128];

	f.found = path != NULL ? path : "not set";
	if (path == NULL) {
		f.grade = OW_DOCTOR_FAIL;
		f.meaning = "ndrxd does not know which servers to start";
		f.cure = "export NDRX_CONFIG=$NDRX_APPHOME/conf/"
			 "ndrxconfig.xml";
	} else if (ow_config_load(path, &err, &config) != 0) {
		f.grade = OW_DOCTOR_FAIL;
		f.meaning = without_path(err.text, path);
		f.cure = "correct the file, then run `xadmin testcfg`";
	} else {
		snprintf(meaning, sizeof(meaning),
			 "has no errors, %zu server entries", config->n_servers);
		f.meaning = meaning;
	}
	ow_doctor_say(doc, &f);
	ow_config_free(config);
}

/* Does file `name` exist in one of the folders `dirs`, separated by ':'? */
static bool in_folders(const char *name, const char *dirs)
{
	char path[1024];
	size_t n;

	if (name[0] == '/')
		return access(name, R_OK) == 0;
	for (; *dirs != '\0'; dirs += n + (dirs[n] == ':')) {
		n = strcspn(dirs, ":");
		snprintf(path, sizeof(path), "%.*s/%s", (int)n, dirs, name);
		if (access(path, R_OK) == 0)
			return true;
	}
	return false;
}

/* Check that the files of variable `list_var` exist in the folders of
 * variable `dir_var`. */
static void check_files(struct ow_doctor *doc, const char *list_var,
			const char *dir_var)
{
	struct ow_doctor_finding f = { .what = list_var };
	const char *list = var(list_var), *dirs = var(dir_var);
	char copy[2048], meaning[512], *name, *save = NULL;

	if (list == NULL)
		return;
	f.found = list;
	f.meaning = "every file exists";
	snprintf(copy, sizeof(copy), "%s", list);
	for (name = strtok_r(copy, ",", &save); name != NULL;
	     name = strtok_r(NULL, ",", &save)) {
		if (in_folders(name, dirs != NULL ? dirs : "."))
			continue;
		snprintf(meaning, sizeof(meaning),
			 "%.100s is not in %s=%.200s; calls that need its "
			 "fields fail",
			 name, dir_var, dirs != NULL ? dirs : "(not set)");
		f.grade = OW_DOCTOR_WARN;
		f.meaning = meaning;
		f.cure = "correct the list or the folders";
	}
	ow_doctor_say(doc, &f);
}

/* Check a variable that must be a duration or a number. */
static void check_value(struct ow_doctor *doc, const char *name, bool time)
{
	const char *text = var(name);
	uint64_t ms;
	long n;
	int r;

	if (text == NULL)
		return;
	r = time ? ow_env_parse_ms(text, &ms) : ow_env_parse_long(text, &n);
	if (r == 0)
		return;
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_FAIL, .what = name, .found = text,
		.meaning = time ? "is not a time" : "is not a whole number",
		.cure = time ? "seconds such as 30 or 1.5, or 250ms"
			     : "digits only" });
}

static void check_queue_path(struct ow_doctor *doc)
{
	const char *path = var("NDRX_QPATH");

	if (path == NULL || access(path, R_OK | X_OK) == 0)
		return;
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_OK, .what = "NDRX_QPATH", .found = path,
		.meaning = "is not mounted; only `pqa -a` and the removal of "
			   "queues of a damaged domain would use it",
		.cure = "mount -t mqueue none /dev/mqueue (optional)" });
}

/* A data base that cannot be opened is searched in vain, without a message. */
static void check_data_base(struct ow_doctor *doc)
{
	const char *path = var("NDRX_UBFDB");

	if (path == NULL || Bflddbload() >= 0)
		return;
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_FAIL, .what = "NDRX_UBFDB", .found = path,
		.meaning = Bstrerror(Berror),
		.cure = "a folder of this user, in which nobody else may "
			"write" });
}

void ow_doctor_environment(struct ow_doctor *doc)
{
	static const struct {
		const char *name;
		bool time;
	} values[] = {
		{ "NDRX_TOUT", true },	   { "NDRX_XADMINTOUT", true },
		{ "NDRX_NORMWAITMAX", true },
		{ "NDRX_NODEID", false },  { "NDRX_MSGMAX", false },
		{ "NDRX_MSGSIZEMAX", false },
	};
	size_t i;

	check_prefix(doc);
	check_home(doc);
	check_config(doc);
	check_files(doc, "FIELDTBLS", "FLDTBLDIR");
	check_files(doc, "VIEWFILES", "VIEWDIR");
	check_data_base(doc);
	check_queue_path(doc);
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		check_value(doc, values[i].name, values[i].time);
}
