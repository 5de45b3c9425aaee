/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight.h - find what would keep a process from starting, beforehand
 *
 * A configuration can be correct and its servers still not start: a program,
 * a folder or an environment file is missing, an option is misspelt. These
 * functions look at the files as a start would, in the environment of this
 * process, and start nothing. What only the program knows (its own options,
 * its database) they cannot find.
 */
#ifndef OW_PREFLIGHT_H
#define OW_PREFLIGHT_H

struct ow_config;
struct ow_config_client;
struct ow_config_server;

enum ow_preflight_grade {
	OW_PREFLIGHT_FATAL, /* the process would not start */
	OW_PREFLIGHT_MINOR, /* it starts; its output goes somewhere else */
	OW_PREFLIGHT_NOTICE, /* all start, and some calls will fail */
};

/* Called for each finding: `text` is FILE:LINE: ENTRY: what is wrong. */
typedef void ow_preflight_fn(void *arg, enum ow_preflight_grade grade,
			     const char *text);

void ow_preflight_server(const struct ow_config_server *def,
			 ow_preflight_fn *say, void *arg);
void ow_preflight_client(const struct ow_config_client *def,
			 ow_preflight_fn *say, void *arg);
/* What entries expect of others: preflight_domain.c. */
void ow_preflight_domain(const struct ow_config *c, ow_preflight_fn *say,
			 void *arg);
/* All of a configuration: servers, clients, what they expect. */
void ow_preflight_config(const struct ow_config *c, ow_preflight_fn *say,
			 void *arg);

#endif
