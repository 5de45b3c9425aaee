/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.c - the array of fields that a dict becomes
 *
 * Text and bytes stay where Python has them; each element holds a reference
 * until the buffer is made, as a value that is asked what it is (__index__(), a
 * view) runs Python, and another thread, which may change the dict. Numbers go
 * into an array beside, which may move while it grows: elements get its
 * addresses at the end.
 */
#include "fields.h"

#define OWPY_SAID 600

void owpy_fields_begin(struct owpy_fields *s)
{
	s->f = s->few;
	s->numbers = s->few_numbers;
	s->n = 0;
	s->room = OWPY_FEW;
	s->keep = NULL;
	s->blocks = NULL;
	s->n_blocks = 0;
}

void owpy_fields_end(struct owpy_fields *s, int done)
{
	int i;

	for (i = 0; i < s->n; i++)
		if (s->f[i].type == BFLD_STRING || s->f[i].type == BFLD_CARRAY)
			Py_DECREF(s->numbers[i].o);
		else if (s->f[i].type == BFLD_PTR && !done)
			tpfree(s->numbers[i].p);
	if (s->f != s->few) {
		free(s->f);
		free(s->numbers);
	}
	Py_XDECREF(s->keep);
	for (i = 0; i < s->n_blocks; i++)
		free(s->blocks[i]);
	free(s->blocks);
}

static int grow(struct owpy_fields *s)
{
	size_t room = 4 * (size_t)s->room;
	struct Bfield *f = malloc(room * sizeof(*f));
	union owpy_number *numbers = malloc(room * sizeof(*numbers));

	if (f == NULL || numbers == NULL) {
		free(f);
		free(numbers);
		PyErr_NoMemory();
		return -1;
	}
	memcpy(f, s->f, (size_t)s->n * sizeof(*f));
	memcpy(numbers, s->numbers, (size_t)s->n * sizeof(*numbers));
	if (s->f != s->few) {
		free(s->f);
		free(s->numbers);
	}
	s->f = f;
	s->numbers = numbers;
	s->room = (int)room;
	return 0;
}

/* Keep an object alive until the end; takes the reference. */
static int keep(struct owpy_fields *s, PyObject *obj)
{
	int r;

	if (s->keep == NULL)
		s->keep = PyList_New(0);
	r = s->keep == NULL ? -1 : PyList_Append(s->keep, obj);
	Py_DECREF(obj);
	return r;
}

static int keep_block(struct owpy_fields *s, void *block)
{
	void **more = realloc(s->blocks,
			      ((size_t)s->n_blocks + 1) * sizeof(*more));

	if (more == NULL) {
		free(block);
		PyErr_NoMemory();
		return -1;
	}
	s->blocks = more;
	s->blocks[s->n_blocks++] = block;
	return 0;
}

void owpy_fields_settle(struct owpy_fields *s)
{
	int i;

	for (i = 0; i < s->n; i++)
		switch (s->f[i].type) {
		case BFLD_LONG:
			s->f[i].data = (char *)&s->numbers[i].l;
			break;
		case BFLD_DOUBLE:
			s->f[i].data = (char *)&s->numbers[i].d;
			break;
		case BFLD_PTR:
			s->f[i].data = (char *)&s->numbers[i].p;
			break;
		default:
			break;
		}
}

static int set_integer(struct owpy_fields *s, struct Bfield *f,
		       PyObject *value)
{
	long l = PyLong_AsLong(value);

	if (l == -1 && PyErr_Occurred())
		return -1;
	f->type = BFLD_LONG;
	s->numbers[f - s->f].l = l;
	return 0;
}

static int set_text(struct owpy_fields *s, struct Bfield *f, PyObject *value)
{
	PyObject *kept;
	Py_ssize_t len;
	const char *text = owpy_text(value, &len, &kept);

	if (text != NULL && strlen(text) != (size_t)len)
		PyErr_SetString(PyExc_ValueError, "a NUL inside text: "
				"give bytes");
	if (PyErr_Occurred()) {
		Py_XDECREF(kept);
		return -1;
	}
	if (kept == NULL)
		Py_INCREF(value);
	s->numbers[f - s->f].o = kept != NULL ? kept : value;
	f->type = BFLD_STRING;
	f->data = (char *)text;
	f->len = (long)len;
	return 0;
}

static int set_bytes(struct owpy_fields *s, struct Bfield *f, PyObject *value)
{
	Py_ssize_t len;

	if (PyBytes_Check(value))
		Py_INCREF(value);
	else
		value = PyBytes_FromObject(value);
	if (value == NULL ||
	    PyBytes_AsStringAndSize(value, &f->data, &len) != 0) {
		Py_XDECREF(value);
		return -1;
	}
	s->numbers[f - s->f].o = value;
	f->type = BFLD_CARRAY;
	f->len = (long)len;
	return 0;
}

/* (name, dict) of a value that is a view. */
static int set_view(struct owpy_fields *s, struct Bfield *f, PyObject *said)
{
	PyObject *name = PyTuple_GetItem(said, 1);
	const char *view = PyUnicode_AsUTF8AndSize(name, NULL);
	long size = view == NULL ? -1 : Bvsizeof((char *)view);
	char *cstruct;

	if (size == -1) {
		if (view != NULL)
			owpy_fail_ubf(view);
		return -1;
	}
	cstruct = calloc(1, (size_t)size + 1);
	if (cstruct == NULL) {
		PyErr_NoMemory();
		return -1;
	}
	Py_INCREF(name);
	if (keep_block(s, cstruct) != 0 || keep(s, name) != 0 ||
	    owpy_fields_into_view(cstruct, view, PyTuple_GetItem(said, 2)) != 0)
		return -1;
	f->type = BFLD_VIEW;
	f->name = view;
	f->data = cstruct;
	f->len = size;
	return 0;
}

static int set_other(struct owpy_fields *s, struct Bfield *f, PyObject *value)
{
	PyObject *said = PyObject_CallFunction(owpy_hooks.other, "Oi", value, 1);
	PyObject *kind = said == NULL ? NULL : PyTuple_GetItem(said, 0);
	int r = -1;

	if (kind == NULL) {
		Py_XDECREF(said);
		return -1;
	}
	if (PyUnicode_CompareWithASCIIString(kind, "VIEW") == 0)
		r = set_view(s, f, said);
	else
		r = set_integer(s, f, PyTuple_GetItem(said, 1));
	Py_DECREF(said);
	return r;
}

static int set_pointer(struct owpy_fields *s, struct Bfield *f, PyObject *value)
{
	struct owpy_msg m;

	if (owpy_encode_away(value, &m) != 0)
		return -1;
	f->type = BFLD_PTR;
	s->numbers[f - s->f].p = m.data;
	return 0;
}

static int set_real(struct owpy_fields *s, struct Bfield *f, PyObject *value)
{
	f->type = BFLD_DOUBLE;
	s->numbers[f - s->f].d = PyFloat_AsDouble(value);
	return 0;
}

/* Classes derived of those of Python, and values that are none of these. */
static int set_unusual(struct owpy_fields *s, struct Bfield *f,
		       PyObject *value)
{
	if (PyUnicode_Check(value))
		return set_text(s, f, value);
	if (PyLong_Check(value))
		return set_integer(s, f, value);
	if (PyFloat_Check(value))
		return set_real(s, f, value);
	if (PyBytes_Check(value) || PyByteArray_Check(value) ||
	    PyMemoryView_Check(value))
		return set_bytes(s, f, value);
	return set_other(s, f, value);
}

/* The value of an element; `type` is that of its field, 0: of a member. Whether the
 * field holds it is asked below, when the array is put. */
static int set_value(struct owpy_fields *s, struct Bfield *f, int type,
		     PyObject *value)
{
	PyTypeObject *kind = Py_TYPE(value);

	if (type == BFLD_PTR)
		return set_pointer(s, f, value);
	if (kind == &PyUnicode_Type)
		return set_text(s, f, value);
	if (kind == &PyLong_Type)
		return set_integer(s, f, value);
	if (kind == &PyFloat_Type)
		return set_real(s, f, value);
	return set_unusual(s, f, value);
}

static int embedded(struct owpy_fields *s, PyObject *dict, int parent)
{
	int r;

	if (Py_EnterRecursiveCall(" in an embedded buffer") != 0)
		return -1;
	r = owpy_fields_of_dict(s, dict, parent);
	Py_LeaveRecursiveCall();
	return r;
}

static int add(struct owpy_fields *s, BFLDID id, PyObject *value, int parent)
{
	struct Bfield *f;
	int type = Bfldtype(id), at = s->n;

	if (value == Py_None)
		return 0;
	if (s->n == s->room && grow(s) != 0)
		return -1;
	f = &s->f[s->n];
	*f = (struct Bfield){ .id = id, .occ = -1, .parent = parent };
	if (type == BFLD_UBF && PyDict_Check(value)) {
		f->type = BFLD_UBF;
		s->n++;
		return embedded(s, value, at);
	}
	if (set_value(s, f, type, value) != 0)
		return -1;
	s->n++;
	return 0;
}

/* The class of what is raised now that takes a text, as not each of those derived of
 * it does; NULL: another one. */
static PyObject *plain_class(void)
{
	if (PyErr_ExceptionMatches(PyExc_TypeError))
		return PyExc_TypeError;
	if (PyErr_ExceptionMatches(PyExc_OverflowError))
		return PyExc_OverflowError;
	return PyErr_ExceptionMatches(PyExc_ValueError) ? PyExc_ValueError
							: NULL;
}

/* Say which field it was, in front of what is said. */
static void name_field(PyObject *key)
{
	PyObject *type, *value, *trace, *text, *plain = plain_class();

	if (plain == NULL)
		return;
	PyErr_Fetch(&type, &value, &trace);
	PyErr_NormalizeException(&type, &value, &trace);
	text = PyUnicode_FromFormat("%S: %S", key, value);
	if (text != NULL)
		PyErr_SetObject(plain, text);
	Py_XDECREF(text);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(trace);
}

/* An element of a list, which may be changed meanwhile. */
static int add_held(struct owpy_fields *s, BFLDID id, PyObject *value,
		    int parent)
{
	int r;

	Py_INCREF(value);
	r = add(s, id, value, parent);
	Py_DECREF(value);
	return r;
}

static int add_field(struct owpy_fields *s, PyObject *key, PyObject *value,
		     int parent)
{
	BFLDID id = owpy_field_id(key);
	Py_ssize_t i;
	int r = 0;

	if (id == 0)
		return -1;
	if (PyList_Check(value))
		for (i = 0; r == 0 && i < PyList_Size(value); i++)
			r = add_held(s, id, PyList_GetItem(value, i), parent);
	else if (PyTuple_Check(value))
		for (i = 0; r == 0 && i < PyTuple_Size(value); i++)
			r = add(s, id, PyTuple_GetItem(value, i), parent);
	else
		r = add(s, id, value, parent);
	if (r != 0)
		name_field(key);
	return r;
}

int owpy_fields_of_dict(struct owpy_fields *s, PyObject *dict, int parent)
{
	PyObject *key, *value;
	Py_ssize_t at = 0;
	int r = 0;

	while (r == 0 && PyDict_Next(dict, &at, &key, &value)) {
		Py_INCREF(key);
		Py_INCREF(value);
		r = add_field(s, key, value, parent);
		Py_DECREF(key);
		Py_DECREF(value);
	}
	return r;
}

/* What the library says of an element behind its name and occurrence: NULL, it has not
 * got so far. */
static const char *said_of_value(char text[OWPY_SAID])
{
	const char *why;

	snprintf(text, OWPY_SAID, "%s", Bstrerror(Berror));
	why = strstr(text, " occurrence ");
	why = why == NULL ? NULL : strstr(why, ": ");
	if (why != NULL)
		text[strlen(text) - 1] = '\0'; /* a bracket around it all */
	return why;
}

/* Element `f` is a value that its field does not hold. What is beyond a range, or has too
 * many bytes, is an OverflowError, a text that is not such a number a ValueError. False:
 * it is something else. */
static int is_misfit(const struct Bfield *f)
{
	char text[OWPY_SAID];
	const char *why = Berror == BEINVAL ? said_of_value(text) : NULL;
	int is_text = f->type == BFLD_STRING || f->type == BFLD_CARRAY;
	PyObject *name;

	if (why == NULL || strstr(why, " does not fit type ") == NULL)
		return 0;
	is_text = is_text && strstr(why, " fit type char") == NULL;
	name = f->name == NULL ? owpy_field_name(f->id) : NULL;
	if (name != NULL)
		PyErr_Format(is_text ? PyExc_ValueError : PyExc_OverflowError,
			     "%S%s", name, why);
	else if (f->name != NULL)
		PyErr_Format(is_text ? PyExc_ValueError : PyExc_OverflowError,
			     "%s%s", f->name, why);
	return 1;
}

void owpy_fields_fail(const struct owpy_fields *s, int bad)
{
	if (bad < 0 || bad >= s->n || s->f[bad].id == 0)
		owpy_fail(NULL);
	else if (!is_misfit(&s->f[bad]))
		owpy_fail_ubf(NULL); /* the text has the name of the field */
}

static int add_member(struct owpy_fields *s, PyObject *key, PyObject *value,
		      int occ)
{
	const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
	struct Bfield *f;

	if (name == NULL)
		return -1;
	if (value == Py_None)
		return 0;
	if (s->n == s->room && grow(s) != 0)
		return -1;
	f = &s->f[s->n];
	*f = (struct Bfield){ .occ = occ, .parent = -1, .name = name };
	if (set_value(s, f, 0, value) != 0) {
		name_field(key);
		return -1;
	}
	s->n++;
	return 0;
}

/* `dict` is ours, its lists are the program's. */
static int add_members(struct owpy_fields *s, PyObject *dict)
{
	PyObject *key, *value, *one;
	Py_ssize_t at = 0, i;
	int r = 0;

	while (r == 0 && PyDict_Next(dict, &at, &key, &value)) {
		if (!PyList_Check(value)) {
			r = add_member(s, key, value, 0);
			continue;
		}
		for (i = 0; r == 0 && i < PyList_Size(value); i++) {
			one = PyList_GetItem(value, i);
			Py_INCREF(one);
			r = add_member(s, key, one, (int)i);
			Py_DECREF(one);
		}
	}
	return r;
}

int owpy_fields_into_view(char *cstruct, const char *view, PyObject *dict)
{
	struct owpy_fields s;
	int bad = -1, r = -1;

	owpy_fields_begin(&s);
	if (add_members(&s, dict) == 0) {
		owpy_fields_settle(&s);
		r = Bvputfields(cstruct, (char *)view, s.f, s.n, &bad);
		if (r != 0 && (bad < 0 || !is_misfit(&s.f[bad])))
			owpy_fail_ubf(bad >= 0 ? s.f[bad].name : view);
	}
	owpy_fields_end(&s, r == 0);
	return r == 0 ? 0 : -1;
}
