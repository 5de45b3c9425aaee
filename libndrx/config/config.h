/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.h - the domain's configuration file (ndrxconfig.xml), read and checked
 *
 * The header of the library ndrxconfig. ndrxd loads a configuration at its
 * start and at each reload; xadmin checks and shows one without a supervisor,
 * and writes one when it imports a UBBCONFIG. (ndrxd/launch also uses
 * cmdline.h and subst.h, xadmin's import arena.h.)
 *
 * A load gives either a whole, checked configuration, or an error that names
 * file, line and element; a running configuration is never touched.
 * <defaults> are worked in: each server entry carries its effective values.
 *
 * Times are milliseconds. In the file, times "in cycles" are multiples of
 * <sanity> (1.5 is one and a half); with a unit (250ms, 1.5s, 2m, 1h) they are
 * that time.
 *
 * An object is immutable after the load and may be read by any thread.
 * Loading reads the environment (${NAME}) and sets libxml2's error handling
 * for its own parser only.
 */
#ifndef OW_CONFIG_H
#define OW_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define OW_CONFIG_SRVID_MAX 65535
#define OW_CONFIG_NO_LIMIT  (-1)

struct ow_arena;
struct ow_tcp_link;

enum ow_config_result {
	OW_CONFIG_BAD = 1, /* the file is wrong; the error says where and how */
};

/* One line: "file:line: <element>: what is wrong; what would be right". */
struct ow_config_error {
	char text[512];
};

/* File and line of a value. */
struct ow_config_origin {
	const char *file; /* NULL: the value is a default */
	unsigned int line;
	const char *variables; /* names of the ${NAME} in it, or NULL */
};

struct ow_config_env {
	const char *name;
	const char *value; /* NULL: remove the variable */
	bool is_encrypted; /* at least in part: it still has its ${...} */
	bool is_added; /* to the value that ndrxd was started with */
	struct ow_config_origin origin;
};

/* <autoscale>: when to start another instance, and to stop it again. */
struct ow_config_scale {
	uint64_t wait_ms;  /* longest wait of a request; 0: off */
	uint64_t after_ms; /* exceeded for this time: one instance more */
	uint64_t calm_ms;  /* kept for this time: one instance less */
};

/* One <procgroup>. */
struct ow_config_procgroup {
	const char *name;
	const char *file;
	unsigned int line;
	int grpno;
	bool noorder;	/* members start together, not entry by entry */
	bool singleton; /* members run only while ndrxd holds the lock */
	bool sg_nodes_verify;
	bool last_resource; /* the resource manager of its servers may decide */
	const char *sg_nodes; /* nodes of a cluster; no effect yet */
	const char *lockfile; /* NULL: GROUP.lock in the run folder */
};

/* One <access>: what members of a Unix group may do. */
struct ow_config_access {
	const char *group; /* name, or number */
	bool look, clients, admin;
	const char *file;
	unsigned int line;
};

/* <security>: must callers log in? */
struct ow_config_security {
	const char *auth;      /* "NONE", "SYS", "APP" */
	const char *passwords; /* file of passwords, or NULL */
	const char *authsvc;   /* service that lets users in, or NULL */
	const char *file;      /* NULL: there is no <security> */
	unsigned int line;
};

/* <cluster>: the cluster that bridges of this domain join. */
struct ow_config_cluster {
	const char *name, *urls;
	const char *node; /* a number, or NULL: NDRX_NODEID */
	const char *user, *password_file, *credentials;
	const char *ca, *certificate, *key;
	const char *importsvcs;
	const char *file; /* NULL: there is no <cluster> */
	unsigned int line;
};

/* One <event>: who may post and get events whose names match. */
struct ow_config_event {
	const char *name; /* expression */
	const char *post, *subscribe; /* acl, or NULL: anybody */
	const char *file;
	unsigned int line;
};

/* The tag of the client that makes the calls of guests. */
#define OW_CONFIG_GATE_TAG "NDRXGATE"

/* One client program: a <client>, one of its <exec>, one sub-section. */
struct ow_config_client {
	const char *tag;
	const char *subsect; /* "-" if none */
	const char *file;
	unsigned int line;
	const char *cmdline; /* quoted as for a shell */
	const char *log;     /* both outputs */
	const char *out, *err;
	const char *env_file;
	const struct ow_config_env *envs; /* in order, after env_file */
	size_t n_envs;
	const char *cctag;
	const char *compat; /* NDRX_COMPAT */
	const char *wd;
	const char *procgrp;
	/* Signals reach its children too: 0 never, 1 at SIGKILL, 2 always. */
	int klevel;
	bool autostart;
	bool implied; /* by <access>: not in the file */
	int64_t rssmax;
	int64_t vszmax;
};

/* One <server> entry; strings are NULL where nothing is given. */
struct ow_config_server {
	const char *name;
	const char *file; /* of the entry; may be an entity file */
	unsigned int line;

	int srvid; /* the instances are srvid .. srvid + max - 1 */
	int min;   /* started at boot */
	int max;   /* at least 1 */
	bool respawn;
	bool autokill;
	bool protect;	     /* <protected>: survives stop -k */
	bool reloadonchange; /* restart when the program file changes */

	const char *env_file; /* <env>: file of NAME=VALUE lines */
	/* To be applied in order, after env_file. */
	const struct ow_config_env *envs;
	size_t n_envs;

	uint64_t start_max_ms;
	uint64_t pingtime_ms; /* 0: no pings */
	uint64_t ping_max_ms;
	uint64_t svctimeout_ms; /* 0: until the deadline of the caller */
	uint64_t end_max_ms;
	uint64_t killtime_ms; /* between the signals of killseq */
	uint64_t sleep_after_ms;
	uint64_t srvstartwait_ms;
	uint64_t srvstopwait_ms;
	int killseq[3]; /* 0: no further signal; [0] is never 0 */
	int restart_tries; /* failures in a row until given up; 0: no end */
	struct ow_config_scale scale;

	/*
	 * Command line texts, quoted as for a shell (cmdline.h splits them).
	 * Process variables such as ${NDRX_SVSRVID} are still in them, see
	 * ow_subst_is_process_variable().
	 */
	const char *sysopt;
	const char *appopt;
	const char *fullpath;
	const char *cmdline;

	const char *cctag;
	const char *compat; /* NDRX_COMPAT */
	int64_t rssmax; /* bytes, or OW_CONFIG_NO_LIMIT */
	int64_t vszmax;
	int mindispatchthreads;
	int maxdispatchthreads;
	int threadstacksize; /* KiB; 0: the system's choice, -1: as main */

	const char *rqaddr;
	const char *exportsvcs;
	const char *blacklistsvcs;
	const char *procgrp;
	const char *procgrp_lp;
	int procgrp_no, procgrp_lp_no; /* grpno of these groups, 0: none */
	bool last_resource; /* of procgrp */

	const struct ow_config_origin *origins; /* see ow_config_each_value() */
};

struct ow_config_app {
	uint64_t sanity_ms;
	uint64_t checkpm_ms;
	uint64_t brrefresh_ms; /* 0: never */
	uint64_t restart_min_ms;
	uint64_t restart_step_ms;
	uint64_t restart_max_ms;
	uint64_t restart_to_check_ms;
	uint64_t rqaddrttl_ms;
	uint64_t ddrreload_ms;
	bool gather_pq_stats;
	const char *transport; /* "auto", a transport, or NULL: by environment */
	const char *wake;      /* NULL: by environment */
	int spin; /* per cent of one CPU; OW_VALUE_ALWAYS */
	const char *mask; /* names of fields nobody is shown; NULL: none */
};

#define OW_CONFIG_PRIO 50 /* of calls to services that are not listed */

struct ow_config_service {
	const char *name;
	int prio; /* of its calls, 1..100 */
	uint64_t svctimeout_ms; /* 0: that of its servers */
	bool autotran;
	const char *restart; /* keep or refuse: what waits, without a server;
				NULL: keep */
	uint64_t trantime_ms; /* of autotran; 0: as tmsrv says */
	int queuehigh, queuelow; /* requests that wait; 0: not said */
	const char *acl; /* who may call it; NULL: anybody */
	const char *routing; /* name of its route; NULL: none */
	const char *cache; /* cache/cache.h; NULL: none */
	bool durable; /* its one-way calls go through a durable queue */
	const char *file;
	unsigned int line;
};

/* The data of a request choose the group that serves it. */
struct ow_config_route {
	const char *name, *field, *ranges;
	const char *buftype, *fieldtype; /* NULL: not given */
};

struct ow_config_http_pair {
	const char *name, *value;
};

/* <http>, or an element in it, as text: the gate for HTTP reads it. */
struct ow_config_http {
	const char *element;
	struct ow_config_http_pair *pairs; /* those that are not empty */
	size_t n;
	const char *file;
	unsigned int line;
};

struct ow_config {
	struct ow_config_app app;
	const struct ow_config_origin *app_origins;
	const struct ow_config_server *servers; /* in the order of the file */
	size_t n_servers;
	const struct ow_config_procgroup *groups;
	size_t n_groups;
	const struct ow_config_client *clients; /* one per process */
	size_t n_clients;
	const struct ow_config_access *access; /* in the order of the file */
	size_t n_access;
	struct ow_config_security security;
	struct ow_config_cluster cluster;
	const struct ow_config_event *events; /* in the order of the file */
	size_t n_events;
	const struct ow_config_service *services; /* named in <services> */
	size_t n_services;
	const struct ow_config_route *routes; /* whole ones */
	size_t n_routes;
	/* Each <http>, followed by what is in it. */
	const struct ow_config_http *http;
	size_t n_http;
	/* Warnings about what was accepted, in the form of an error. */
	const char *const *notices;
	size_t n_notices;
	struct ow_arena *arena; /* owns everything above */
};

/*
 * Load a file and validate it against the schema. Result: 0, OW_CONFIG_BAD,
 * or -errno (file not readable, no memory). Unless 0, `err` holds one line for
 * the user. Blocks on file access.
 */
int ow_config_load(const char *path, struct ow_config_error *err,
		   struct ow_config **ret_config);

/*
 * Load from memory, without the schema. `name` is the file's name in messages,
 * and names of entity files are relative to it; NULL: nothing but `data` is
 * read.
 */
int ow_config_load_mem(const char *name, const void *data, size_t len,
		       struct ow_config_error *err,
		       struct ow_config **ret_config);

struct ow_config *ow_config_free(struct ow_config *config);
void ow_config_freep(struct ow_config **config);

/*
 * 1 if a running process of `a` is already one of `b`: program, command line,
 * environment and threads are equal. Counts, times and policies are ndrxd's
 * own and may differ. 0: the change needs a restart.
 */
int ow_config_server_same(const struct ow_config_server *a,
			  const struct ow_config_server *b);
int ow_config_client_same(const struct ow_config_client *a,
			  const struct ow_config_client *b);

/* Has the entry the options of a TCP link? Then *ret is what they say; node 0:
 * nothing that can be used, and `why` says so. */
bool ow_config_tcp_link(const struct ow_config_server *s,
			struct ow_tcp_link *ret, char *why, size_t size);

/* The entry that `srvid` belongs to, or NULL. */
const struct ow_config_server *
ow_config_server_find(const struct ow_config *config, int srvid);

/* The group of this name; NULL, also for NULL. */
const struct ow_config_procgroup *
ow_config_procgroup_find(const struct ow_config *config, const char *name);

/* The first row of <services> for this service, or NULL. */
const struct ow_config_service *
ow_config_service_find(const struct ow_config *config, const char *name);

/* Must callers log in? */
bool ow_config_wants_logins(const struct ow_config *config);

/* The route of this name, or NULL; also for NULL. */
const struct ow_config_route *
ow_config_route_find(const struct ow_config *config, const char *name);

/* The client of this tag and sub-section, or NULL. */
const struct ow_config_client *
ow_config_client_find(const struct ow_config *config, const char *tag,
		      const char *subsect);

/* The value of an attribute; NULL: it is not given. */
const char *ow_config_http_value(const struct ow_config_http *h,
				 const char *name);

/* One effective value with its origin. */
struct ow_config_setting {
	/* Its entry; all NULL: <appconfig>. */
	const struct ow_config_server *server;
	const struct ow_config_procgroup *group;
	const struct ow_config_client *client;
	const struct ow_config_service *service;
	const struct ow_config_access *access;
	const struct ow_config_security *security;
	const struct ow_config_cluster *cluster;
	const struct ow_config_event *event;
	const struct ow_config_http *http; /* <http>, or an element in it */
	const struct ow_config_http *gate; /* the <http> that it is in */
	const char *name;  /* of the element or variable */
	bool is_env; /* a variable of the server's environment */
	const char *value; /* in the form of the file; NULL: none */
	const struct ow_config_origin *origin;
};

/*
 * Call `fn` for each value: <appconfig>, groups, servers, clients, services,
 * and what is given of each <http>.
 * 0 or -ENOMEM.
 */
int ow_config_each_value(const struct ow_config *config,
			 void (*fn)(const struct ow_config_setting *value,
				    void *arg),
			 void *arg);

/*
 * Write the effective configuration as XML that loads to the same values
 * (sections without effect are left out). 0 or -EIO.
 */
int ow_config_print(FILE *out, const struct ow_config *config);

/*
 * Write `s` as the content of an element or the value of an attribute, so that
 * a load reads it back unchanged. `literal`: a ${ in it is no variable.
 */
void ow_config_text_put(FILE *out, const char *s, bool literal);

#endif
