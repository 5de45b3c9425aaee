/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grammar.h - every element and attribute that a configuration can have
 *
 * The one place where the language of ndrxconfig.xml is written down. Made
 * from these tables: the check of names (shape.c), the reading of values
 * (setter.c), the printed configuration (print.c, show.c), and the schema
 * conf/ndrxconfig.rng (relaxng.c).
 *
 * A new element with one value is a member in config.h, a row in fields.c, and
 * `cmake --build BUILD --target schema`, which writes conf/ndrxconfig.rng anew.
 *
 * Used inside this library only. The tables are constant.
 */
#ifndef OW_CONFIG_GRAMMAR_H
#define OW_CONFIG_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ow_field_kind {
	OW_FIELD_INT,
	OW_FIELD_BOOL,
	OW_FIELD_CYCLES,  /* a time counted in <sanity> */
	OW_FIELD_SECONDS, /* a time counted in seconds */
	OW_FIELD_SIZE,
	OW_FIELD_KILLSEQ,
	OW_FIELD_TEXT,
	OW_FIELD_COMMAND, /* text with quotes and process variables */
	OW_FIELD_SHARE,	  /* per cent of a CPU, or always */
	OW_FIELD_SCALE,	  /* wait=TIME after=TIME calm=TIME */
	OW_FIELD_KINDS,
};

enum ow_field_flag {
	OW_FIELD_NO_DEFAULT = 1, /* not among defaults */
	OW_FIELD_INERT = 2,	 /* accepted, no effect yet */
	OW_FIELD_POSITIVE = 4,	 /* a time that must not be 0 */
	OW_FIELD_CHECKED = 8,	 /* no member: checked and dropped */
};

/* An element or attribute that holds one value. */
struct ow_field {
	const char *name;
	const char *doc; /* for editors, without the default */
	enum ow_field_kind kind;
	unsigned int flags;
	size_t offset; /* of the member, unless OW_FIELD_CHECKED */
	int64_t lo;    /* INT: range */
	int64_t hi;    /* INT: range; TEXT: greatest length, 0: no limit */
	const char *words;   /* TEXT: the values allowed, or NULL */
	const char *pattern; /* TEXT: XML Schema pattern, of the schema only */
	const char *initial; /* the default as the file would say it */
	/* Required; how to correct a file that lacks it. */
	const char *missing;
};

struct ow_field_table {
	const struct ow_field *fields;
	size_t n;
	const char *rule; /* name of their rule in the schema */
	/* The schema lets any attribute in, the check does not: libxml2 takes
	 * 2^n steps for n optional ones. */
	bool open;
};

/* An element that holds elements, attributes, or text of any form. */
struct ow_element {
	const char *name;
	const char *rule; /* name of its rule in the schema, if not .name */
	const char *doc;  /* for editors */
	const struct ow_field_table *attrs;  /* NULL: none */
	const struct ow_field_table *values; /* elements; each once at most */
	const struct ow_element *const *children; /* up to NULL; or NULL */
	/* attrs and values are defaults of the element of this name. */
	const char *defaults_of;
	const char *no_attr; /* what to do instead of giving an attribute */
	bool merged;	     /* a further one adds to the first: noted */
	bool text;	     /* may hold text */
};

/* <endurox>; <onewake> is another name of it. */
extern const struct ow_element ow_config_root;

extern const struct ow_field_table ow_config_app_table;
extern const struct ow_field_table ow_config_server_table;
/* Attributes. */
extern const struct ow_field_table ow_config_server_attrs;
extern const struct ow_field_table ow_config_env_table;
extern const struct ow_field_table ow_config_envs_table;
extern const struct ow_field_table ow_config_named_envs_table;
extern const struct ow_field_table ow_config_group_table;
extern const struct ow_field_table ow_config_client_table;
extern const struct ow_field_table ow_config_service_table;
extern const struct ow_field_table ow_config_access_table;
extern const struct ow_field_table ow_config_security_table;
extern const struct ow_field_table ow_config_cluster_table;
extern const struct ow_field_table ow_config_event_table;
extern const struct ow_field_table ow_config_route_attrs;
extern const struct ow_field_table ow_config_http_table;
extern const struct ow_field_table ow_config_http_auth_table;
extern const struct ow_field_table ow_config_http_route_table;
extern const struct ow_field_table ow_config_http_outgoing_table;
extern const struct ow_field_table ow_config_http_host_table;
/* Elements. */
extern const struct ow_field_table ow_config_route_table;

/* The greatest numbers of fields in a table, and of bytes in its names. */
#define OW_CONFIG_FIELDS 48
#define OW_CONFIG_NAMES	 1000

#define OW_CONFIG_GRPNO_MAX	 4096
#define OW_CONFIG_GROUP_NAME_LEN 30
#define OW_CONFIG_SERVER_NAME_LEN 64

/* The index of `name` in the table, or -1; the table may be NULL. */
int ow_config_field_find(const struct ow_field_table *table, const char *name);

/* The element `name` among the children of `parent`, or NULL. */
const struct ow_element *ow_config_child(const struct ow_element *parent,
					 const char *name);

#endif
