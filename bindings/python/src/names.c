/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - names of fields as Python strings, kept once they were asked for
 *
 * The field tables never change what a name means while a process runs, so
 * neither does this. Guarded by the lock of the interpreter.
 */
#include "core.h"

static PyObject *ids; /* dict: name -> id */

/* id -> name: open addressing, at most half full. */
static struct entry {
	BFLDID id;
	PyObject *name;
} *table;
static size_t table_size, table_used;

static size_t place_of(BFLDID id)
{
	size_t at = ((unsigned int)id * 2654435761u) & (table_size - 1);

	while (table[at].name != NULL && table[at].id != id)
		at = (at + 1) & (table_size - 1);
	return at;
}

static int grow(void)
{
	struct entry *old = table;
	size_t i, n = table_size;

	table_size = n == 0 ? 256 : 2 * n;
	table = calloc(table_size, sizeof(*table));
	if (table == NULL) {
		table = old;
		table_size = n;
		PyErr_NoMemory();
		return -1;
	}
	for (i = 0; i < n; i++)
		if (old[i].name != NULL)
			table[place_of(old[i].id)] = old[i];
	free(old);
	return 0;
}

PyObject *owpy_field_name(BFLDID id)
{
	const char *name;
	size_t at;

	if (table_size != 0) {
		at = place_of(id);
		if (table[at].name != NULL)
			return table[at].name;
	}
	if (2 * (table_used + 1) > table_size && grow() != 0)
		return NULL;
	at = place_of(id);
	name = Bfname(id);
	table[at].id = id;
	table[at].name = name != NULL ? PyUnicode_InternFromString(name)
				      : PyLong_FromLong(id);
	if (table[at].name != NULL)
		table_used++;
	return table[at].name;
}

static BFLDID look_up(PyObject *name)
{
	PyObject *number;
	Py_ssize_t len;
	const char *text = PyUnicode_AsUTF8AndSize(name, &len);
	BFLDID id;

	if (text == NULL)
		return 0;
	if (strlen(text) != (size_t)len) {
		PyErr_Format(PyExc_ValueError, "a NUL in the name of a field: "
			     "%R", name);
		return 0;
	}
	id = Bfldid((char *)text);
	if (id == BBADFLDID) {
		owpy_fail_ubf(text);
		return 0;
	}
	number = PyLong_FromLong(id);
	if (number == NULL || PyDict_SetItem(ids, name, number) != 0)
		id = 0;
	Py_XDECREF(number);
	return id;
}

BFLDID owpy_field_id(PyObject *key)
{
	PyObject *known;
	long id;

	if (PyUnicode_Check(key)) {
		if (ids == NULL && (ids = PyDict_New()) == NULL)
			return 0;
		known = PyDict_GetItem(ids, key);
		return known != NULL ? (BFLDID)PyLong_AsLong(known)
				     : look_up(key);
	}
	if (!PyLong_Check(key)) {
		PyErr_Format(PyExc_TypeError, "a field is a name or an id, "
			     "not %R", key);
		return 0;
	}
	id = PyLong_AsLong(key);
	if (id > 0 && id <= INT32_MAX)
		return (BFLDID)id;
	if (!PyErr_Occurred())
		PyErr_Format(PyExc_ValueError, "%R is no id of a field", key);
	return 0;
}
