/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - what the files that check a configuration share
 *
 * config/check.c walks the sections, config/server.c makes one server entry,
 * config/groups.c the process groups, config/clients.c the client programs;
 * config/fields.c sets one value, config/envs.c collects environment lists,
 * config/origin.c remembers where values stand,
 * config/other.c looks at sections without effect, config/say.c words the
 * messages. Each step gives 0,
 * OW_CONFIG_BAD or -ENOMEM, the latter two with the error text set.
 */
#ifndef OW_CONFIG_CHECK_H
#define OW_CONFIG_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ndrxd/config/config.h"
#include "ndrxd/config/arena.h"
#include "ndrxd/config/tree.h"

#define OW_CONFIG_FIELDS 48
#define OW_CONFIG_NAMES  720

enum ow_field_kind {
	OW_FIELD_INT,
	OW_FIELD_BOOL,
	OW_FIELD_CYCLES,  /* a time counted in <sanity> */
	OW_FIELD_SECONDS, /* a time counted in seconds */
	OW_FIELD_SIZE,
	OW_FIELD_KILLSEQ,
	OW_FIELD_TEXT,
	OW_FIELD_COMMAND, /* text with quotes and process variables */
	OW_FIELD_PROGRAM, /* the same without process variables */
	OW_FIELD_SCALE,	  /* wait=TIME after=TIME calm=TIME */
	OW_FIELD_KINDS,
};

enum ow_field_flag {
	OW_FIELD_NO_DEFAULT = 1, /* not in <defaults> */
	OW_FIELD_INERT = 2,	 /* accepted, no effect yet */
	OW_FIELD_POSITIVE = 4,	 /* a time that must not be 0 */
};

/* One element that holds one value, and the struct member it goes to. */
struct ow_field {
	const char *name;
	enum ow_field_kind kind;
	unsigned int flags;
	size_t offset;
	int64_t lo; /* INT: range; TEXT: hi is the greatest length */
	int64_t hi;
	const char *words; /* TEXT: the values allowed, or NULL */
};

struct ow_field_table {
	const struct ow_field *fields;
	size_t n;
};

extern const struct ow_field_table ow_config_app_table;
extern const struct ow_field_table ow_config_server_table;

/* <defaults> or a <server> while it is put together. */
struct ow_config_draft {
	struct ow_config_server server;
	struct ow_config_env *envs;
	size_t n_envs;
	/* Per field of the table: the element that set it last. */
	const struct ow_config_node *set[OW_CONFIG_FIELDS];
};

struct ow_config_group {
	const char *name;
	struct ow_config_env *envs;
	size_t n_envs;
};

struct ow_config_check {
	struct ow_config *config;
	struct ow_config_error *err;
	struct ow_config_draft defaults;
	struct ow_config_server *servers; /* config->servers, writable */
	const char **notices;		  /* config->notices, writable */
	struct ow_config_group *groups;
	size_t n_groups;
	/* While a client is read: ${NDRX_CLTTAG}, ${NDRX_CLTSUBSECT}. */
	const char *clttag, *cltsubsect;
	struct ow_config_client *clients; /* config->clients, writable */
	struct ow_config_procgroup *procgroups;
	struct ow_config_service *services; /* config->services, writable */
	bool noted_threads;
	const char *file, *file_copy; /* the last one, and the arena's copy */
	uint64_t noted_app;    /* fields a notice was given for */
	uint64_t noted_server;
};

int ow_config_check(struct ow_config *config,
		    const struct ow_config_node *root,
		    struct ow_config_error *err);

/* ---- config/say.c ---- */

int ow_config_fail(struct ow_config_check *check,
		   const struct ow_config_node *node, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int ow_config_no_memory(struct ow_config_check *check);
int ow_config_notice(struct ow_config_check *check,
		     const struct ow_config_node *node, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* `words` lists the known names, separated by spaces. */
int ow_config_fail_element(struct ow_config_check *check,
			   const struct ow_config_node *node,
			   const char *words);
int ow_config_check_attrs(struct ow_config_check *check,
			  const struct ow_config_node *node,
			  const char *words);
int ow_config_check_no_text(struct ow_config_check *check,
			    const struct ow_config_node *node);
int ow_config_fail_twice(struct ow_config_check *check,
			 const struct ow_config_node *node,
			 const struct ow_config_node *first);
bool ow_config_word_in(const char *words, const char *word);

/* ---- config/fields.c ---- */

/* The index of `name` in the table, or -1. */
int ow_config_field_find(const struct ow_field_table *table, const char *name);

/* Read the element's value into the member of `base`. */
int ow_config_field_set(struct ow_config_check *check,
			const struct ow_field *field,
			const struct ow_config_node *node, void *base);

/* The same for the text of attribute `attr` of the element. */
int ow_config_attr_set(struct ow_config_check *check,
		       const struct ow_field *field,
		       const struct ow_config_node *node, const char *text,
		       void *base);

/*
 * Replace ${NAME} and trim; `late`: process variables stay. The result is the
 * arena's.
 */
int ow_config_expand(struct ow_config_check *check,
		     const struct ow_config_node *node, const char *text,
		     bool late, const char **ret_text);

/* Every name of the table, after those of `more`. */
void ow_config_list_names(const struct ow_field_table *table,
			  const char *more, char words[OW_CONFIG_NAMES]);

/* Say once that the field has no effect, if that is so. */
int ow_config_note_inert(struct ow_config_check *check,
			 const struct ow_field *field,
			 const struct ow_config_node *node, uint64_t *noted);

/* ---- config/server.c ---- */

void ow_config_server_init(struct ow_config_server *s);
/* Read the elements of <defaults> or <server>. */
int ow_config_server_elements(struct ow_config_check *check,
			      const struct ow_config_node *parent,
			      struct ow_config_draft *draft);
/* Does what a draft names exist? */
int ow_config_server_names(struct ow_config_check *check,
			   const struct ow_config_draft *draft);
/* Check one <server> and append it to the configuration. */
int ow_config_server(struct ow_config_check *check,
		     const struct ow_config_node *node);
int ow_config_server_overlaps(struct ow_config_check *check);

/* ---- config/origin.c ---- */

/* Where the value of an element stands. 0 or -ENOMEM. */
int ow_config_origin(struct ow_config_check *check,
		     const struct ow_config_node *node,
		     struct ow_config_origin *ret_origin);
/* The same for each field of a table; `set` names its element or NULL. */
int ow_config_origins(struct ow_config_check *check,
		      const struct ow_field_table *table,
		      const struct ow_config_node *const *set,
		      const struct ow_config_origin **ret_origins);

/* ---- config/print.c ---- */

/* Was nothing given, and is there no default to show? */
bool ow_config_field_is_absent(const struct ow_field *f, const void *member);
/* The value as the file could say it, characters of XML as they are. */
void ow_config_field_text(FILE *out, const struct ow_field *f,
			  const void *member);

/* ---- config/envs.c ---- */

/* <envs> with or without a group; `draft` gets what has no group. */
int ow_config_envs(struct ow_config_check *check,
		   const struct ow_config_node *node, bool groups_allowed,
		   struct ow_config_draft *draft);
/* <env name="..."> or <usegroup>, wherever it stands. */
int ow_config_env_item(struct ow_config_check *check,
		       const struct ow_config_node *node,
		       struct ow_config_draft *draft);
/* A list of its own for `draft`, equal to the one it points to. */
int ow_config_envs_unshare(struct ow_config_check *check,
			   const struct ow_config_node *node,
			   struct ow_config_draft *draft);

/* ---- config/groups.c ---- */

extern const struct ow_field_table ow_config_group_table; /* attributes */

int ow_config_procgroups(struct ow_config_check *check,
			 const struct ow_config_node *section);
/* Is the group there? `what`: the start of the message, for an attribute. */
int ow_config_need_group(struct ow_config_check *check,
			 const struct ow_config_node *node, const char *name,
			 const char *what);
/* One lock provider for a group, and not among its members. */
int ow_config_lock_providers(struct ow_config_check *check);

/* ---- config/clients.c ---- */

extern const struct ow_field_table ow_config_client_table; /* attributes */

int ow_config_clients(struct ow_config_check *check,
		      const struct ow_config_node *section);
/* No tag and sub-section twice. */
int ow_config_clients_unique(struct ow_config_check *check);

/* ---- config/other.c ---- */

#define OW_CONFIG_OTHER "services routing"

/* Names and values are checked; <routing> has no effect. */
int ow_config_other(struct ow_config_check *check,
		    const struct ow_config_node *node);

/* ---- config/services.c ---- */

extern const struct ow_field_table ow_config_service_table; /* attributes */

/* After ow_config_other(). */
int ow_config_services(struct ow_config_check *check,
		       const struct ow_config_node *section);

#endif
