/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.h - classes of the MIB, and their objects as the shared tables show
 * them
 *
 * An object has a place, a number that stays the same while it exists: a slot
 * of the tables, or a slot and a row. Nothing here locks or waits; an object
 * may change or go while it is read, as in every listing.
 */
#ifndef OW_MIB_OBJECT_H
#define OW_MIB_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ubf.h>

struct ow_domain;

#define OW_MIB_VALUES 14  /* fields of a class, at most */
#define OW_MIB_TEXT   256 /* bytes of a value, with the NUL */

struct ow_mib_field {
	const char *name; /* NULL: the last one */
	BFLDID id;
};

/* The values of an object, in the order of the fields of its class. */
struct ow_mib_object {
	int n;
	struct {
		long number;
		char text[OW_MIB_TEXT];
	} v[OW_MIB_VALUES];
};

#define OW_MIB_NOWHERE UINT64_MAX

struct ow_mib_class {
	const char *name;
	const struct ow_mib_field *fields;
	/* The first place from `from` on where an object may be; NOWHERE. */
	uint64_t (*next)(const struct ow_domain *d, uint64_t from);
	/* Read it; false: there is none. */
	bool (*read)(const struct ow_domain *d, uint64_t at,
		     struct ow_mib_object *o);
};

/* By name; NULL. */
const struct ow_mib_class *ow_mib_class_find(const char *name);
/* The classes, in a list that ends with NULL. */
extern const struct ow_mib_class *const ow_mib_classes[];

/* The place of a field in its class; -1: the class has no such field. */
int ow_mib_field_find(const struct ow_mib_class *c, BFLDID id);

/* For objects_*.c: add the next value. */
void ow_mib_text(struct ow_mib_object *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void ow_mib_number(struct ow_mib_object *o, uint64_t n);

extern const struct ow_mib_class ow_mib_t_client, ow_mib_t_domain,
	ow_mib_t_group, ow_mib_t_machine, ow_mib_t_queue, ow_mib_t_server, ow_mib_t_service,
	ow_mib_t_svcgrp;

#endif
