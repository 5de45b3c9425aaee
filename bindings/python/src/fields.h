/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.h - the array of fields that a dict becomes, before one call of C
 * makes a buffer of it
 */
#ifndef OWPY_FIELDS_H
#define OWPY_FIELDS_H

#include "core.h"

#define OWPY_FEW 64

/* A number, until the array is complete and does not move any more; of text and
 * bytes the object that has them. */
union owpy_number {
	long l;
	double d;
	char *p;
	PyObject *o;
};

struct owpy_fields {
	struct Bfield *f;
	union owpy_number *numbers;
	int n, room;
	PyObject *keep;	 /* a list: objects that values point into; NULL */
	void **blocks;	 /* structures that values point to, of malloc() */
	int n_blocks;
	struct Bfield few[OWPY_FEW];
	union owpy_number few_numbers[OWPY_FEW];
};

void owpy_fields_begin(struct owpy_fields *s);
/* `done`: buffers that fields of type BFLD_PTR point to have an owner now. */
void owpy_fields_end(struct owpy_fields *s, int done);
/* Add the fields of a buffer that is embedded in element `parent`. */
int owpy_fields_of_dict(struct owpy_fields *s, PyObject *dict, int parent);
/* The array is complete: numbers have their places. */
void owpy_fields_settle(struct owpy_fields *s);
/* The exception of tpputfields() or Bvputfields(), which names the field. */
void owpy_fields_fail(const struct owpy_fields *s, int bad);
/* Members of a structure, from a dict of values and lists. */
int owpy_fields_into_view(char *cstruct, const char *view, PyObject *dict);

#endif
