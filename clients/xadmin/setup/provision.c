/* SPDX-License-Identifier: Apache-2.0 */
/*
 * provision.c - provision: make the folder of a new domain
 */
#include "clients/xadmin/setup/setup.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/setup/folder.h"
#include "clients/xadmin/setup/questions.h"
#include "libatmi/base/env.h"
#include "libubf/base/cleanup.h"
#include "libndrx/config/config.h"

/* The values, in the order of the questions. */
enum value { NAME, PREFIX, NODE, TIMEOUT, SERVER, SERVERS, VALUES };

struct answers {
	char text[VALUES][OW_ANSWER_LEN];
};

static const char *bad_server(const char *text)
{
	if (*text == '\0' || strcmp(text, "none") == 0)
		return NULL;
	return strpbrk(text, "/, \t<>&\"'") != NULL || strlen(text) > 64
		   ? "give the name of a program, without a folder"
		   : NULL;
}

static const char *bad_count(const char *text)
{
	long v;

	return ow_env_parse_long(text, &v) == 0 && v >= 1 && v <= 10000
		   ? NULL : "give how many, 1 to 10000";
}

static const struct ow_question questions[VALUES] = {
	[NAME] = { "name", "Name of the domain", ow_folder_bad_name },
	[PREFIX] = { "prefix", "Prefix of its queues and memory",
		     ow_folder_bad_prefix },
	[NODE] = { "node", "Number of this node", ow_folder_bad_node },
	[TIMEOUT] = { "timeout", "Time-out of calls, seconds",
		      ow_folder_bad_timeout },
	[SERVER] = { "server", "First server program, or none", bad_server },
	[SERVERS] = { "servers", "How many of it", bad_count },
};

/* The default name: that of the folder. */
static void default_name(const char *folder, char *name)
{
	char copy[PATH_MAX], real[PATH_MAX];
	char *p;

	snprintf(copy, sizeof(copy), "%s",
		 realpath(folder, real) != NULL ? real : folder);
	snprintf(name, OW_FOLDER_NAME + 1, "%s", basename(copy));
	for (p = name; *p != '\0'; p++)
		if (!(*p >= '0' && *p <= '9') && !(*p >= 'a' && *p <= 'z') &&
		    !(*p >= 'A' && *p <= 'Z'))
			*p = '_';
	if (ow_folder_bad_name(name) != NULL || name[0] == '_')
		strcpy(name, "domain");
}

static int take_values(const struct ow_args *a, const char *folder,
		       struct answers *n)
{
	int r, q;

	default_name(folder, n->text[NAME]);
	strcpy(n->text[NODE], "1");
	strcpy(n->text[TIMEOUT], "60");
	strcpy(n->text[SERVER], "none");
	strcpy(n->text[SERVERS], "2");
	for (q = 0; q < VALUES; q++) {
		if (q == PREFIX) /* by default, the name */
			snprintf(n->text[PREFIX], OW_ANSWER_LEN, "/%.30s",
				 n->text[NAME]);
		if (q == SERVERS && strcmp(n->text[SERVER], "none") == 0)
			continue;
		r = ow_questions_take(a, &questions[q], n->text[q]);
		if (r != OW_EXIT_OK)
			return r;
	}
	return OW_EXIT_OK;
}

static const char config_head[] =
    "<?xml version=\"1.0\"?>\n"
    "<!-- ndrxconfig.xml: the servers of the domain %s. ndrxconfig.xml(5)\n"
    "     explains the elements, `xadmin testcfg` checks this file, `xadmin\n"
    "     config` shows every value in force. -->\n"
    "<endurox>\n"
    "\t<appconfig>\n"
    "\t\t<!-- seconds; most other times are multiples of it -->\n"
    "\t\t<sanity>1</sanity>\n"
    "\t\t<!-- a server that keeps dying: pause before each try -->\n"
    "\t\t<restart_min>1</restart_min>\n"
    "\t\t<restart_step>1</restart_step>\n"
    "\t\t<restart_max>10</restart_max>\n"
    "\t\t<gather_pq_stats>Y</gather_pq_stats>\n"
    "\t</appconfig>\n"
    "\t<defaults>\n"
    "\t\t<!-- kill a server that hangs in start, ping or stop -->\n"
    "\t\t<autokill>Y</autokill>\n"
    "\t\t<start_max>30</start_max>\n"
    "\t\t<!-- A server that answers no ping for ping_max is hung, unless it\n"
    "\t\t     is in a service: that may take svctimeout, the time-out of\n"
    "\t\t     calls (NDRX_TOUT). As long may a server that is asked to end\n"
    "\t\t     finish its request. -->\n"
    "\t\t<pingtime>10</pingtime>\n"
    "\t\t<ping_max>20</ping_max>\n"
    "\t\t<svctimeout>%s</svctimeout>\n"
    "\t\t<end_max>%s</end_max>\n"
    "\t\t<killtime>2</killtime>\n"
    "\t</defaults>\n"
    "\t<servers>\n";

static const char config_server[] =
    "\t\t<server name=\"%s\">\n"
    "\t\t\t<srvid>100</srvid>\n"
    "\t\t\t<min>%s</min>\n"
    "\t\t\t<max>%s</max>\n"
    "\t\t\t<!-- standard output and error; the log: conf/debug.conf -->\n"
    "\t\t\t<sysopt>-e %s</sysopt>\n"
    "\t\t</server>\n";

static const char config_no_server[] =
    "\t\t<!-- A program in bin/, ids 100 and 101:\n"
    "\t\t<server name=\"mysv\">\n"
    "\t\t\t<srvid>100</srvid>\n"
    "\t\t\t<min>2</min>\n"
    "\t\t\t<max>2</max>\n"
    "\t\t\t<sysopt>-e %s</sysopt>\n"
    "\t\t</server>\n"
    "\t\tIts standard output and error go there; its log where "
    "conf/debug.conf says.\n"
    "\t\t-->\n";

static const char config_tail[] =
    "\t\t<!-- what happened in the night: `xadmin when 03:10 03:20` -->\n"
    "\t\t<server name=\"blackboxsv\">\n"
    "\t\t\t<srvid>9980</srvid>\n"
    "\t\t\t<min>1</min>\n"
    "\t\t</server>\n"
    "\t</servers>\n"
    "</endurox>\n";

static bool has_server(const struct answers *n)
{
	return n->text[SERVER][0] != '\0' &&
	       strcmp(n->text[SERVER], "none") != 0;
}

/* A server may finish its request, and then has a little time at least. */
static const char *end_max(const char *timeout)
{
	uint64_t ms;

	return ow_env_parse_ms(timeout, &ms) != 0 || ms < 10000 ? "10"
								: timeout;
}

/* The log of a server as a word of <sysopt>. A variable is replaced before
 * words are split, so a folder with a ' in its name is written out. In a
 * comment "--" must not be. */
static char *log_word(const struct ow_folder *f, const char *server,
		      bool comment)
{
	OW_CLEANUP(ow_cleanup_freep) char *word = NULL;
	char path[PATH_MAX + 128], *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (out == NULL)
		return NULL;
	if (strchr(f->path, '\'') == NULL ||
	    (comment && strstr(f->path, "--") != NULL)) {
		fprintf(out, "'${NDRX_APPHOME}/log/%s.log'", server);
	} else {
		snprintf(path, sizeof(path), "%s/log/%s.log", f->path, server);
		word = ow_folder_quote(path);
		ow_config_text_put(out, word != NULL ? word : "", true);
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static int write_config(struct ow_folder *f, const struct answers *n)
{
	const char *server = n->text[SERVER], *count = n->text[SERVERS];
	OW_CLEANUP(ow_cleanup_freep) char *text = NULL, *log = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	log = has_server(n) ? log_word(f, server, false)
			    : log_word(f, "mysv", true);
	if (out == NULL || log == NULL) {
		if (out != NULL)
			fclose(out);
		return ow_cmd_fail(f->a, "no memory");
	}
	fprintf(out, config_head, n->text[NAME], n->text[TIMEOUT],
		end_max(n->text[TIMEOUT]));
	if (has_server(n))
		fprintf(out, config_server, server, count, count, log);
	else
		fprintf(out, config_no_server, log);
	fputs(config_tail, out);
	if (fclose(out) != 0)
		return ow_cmd_fail(f->a, "no memory");
	return ow_folder_write(f, "conf/ndrxconfig.xml", text);
}

static void advise_unit(const struct ow_folder *f, const char *folder,
			bool in_etc)
{
	printf("Or under systemd, as user %s (onewake@.service):\n", f->name);
	if (!in_etc)
		printf("\tinstall -D -m 640 %s/conf/%s.env "
		       OW_FOLDER_UNITS "/%s.env\n", folder, f->name, f->name);
	printf("\tsystemctl enable --now onewake@%s\n", f->name);
}

int ow_setup_provision(struct ow_args *a)
{
	const char *path = a->n_rest > 0 ? a->rest[0] : ".";
	OW_CLEANUP(ow_cleanup_freep) char *word = NULL;
	struct ow_folder f = { .a = a };
	struct answers n;
	bool in_etc = false;
	int r;

	if (ow_args_has(a, OW_ARGS_CLUSTER))
		return ow_setup_cluster(a);
	r = ow_questions_check(a, questions, VALUES);
	memset(&n, 0, sizeof(n));
	if (r == OW_EXIT_OK)
		r = take_values(a, path, &n);
	if (r != OW_EXIT_OK)
		return r;
	snprintf(f.name, sizeof(f.name), "%.30s", n.text[NAME]);
	snprintf(f.prefix, sizeof(f.prefix), "%.40s", n.text[PREFIX]);
	snprintf(f.node, sizeof(f.node), "%.15s", n.text[NODE]);
	snprintf(f.timeout, sizeof(f.timeout), "%.31s", n.text[TIMEOUT]);
	r = ow_folder_make(&f, path);
	if (r == OW_EXIT_OK)
		r = write_config(&f, &n);
	if (r == OW_EXIT_OK)
		r = ow_folder_write_setenv(&f);
	if (r == OW_EXIT_OK)
		r = ow_folder_write_unit(&f, &in_etc);
	if (r != OW_EXIT_OK)
		return r;
	word = ow_folder_word(f.path);
	if (word == NULL)
		return ow_cmd_fail(a, "no memory");
	printf("Domain %s is in %s (%d files and folders made). Now:\n"
	       "\t. %s/setenv\n", f.name, f.path, f.made, word);
	if (has_server(&n))
		printf("\txadmin start -y\n");
	else
		printf("\tput a program into bin/, and a <server> for it into "
		       "conf/ndrxconfig.xml\n\txadmin start -y\n");
	advise_unit(&f, word, in_etc);
	return OW_EXIT_OK;
}
