/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode.c - Python values of typed buffers
 *
 * UBF is a dict of lists, a list for each field with its occurrences; an
 * embedded buffer is a dict. STRING is str, CARRAY bytes, no data None; JSON
 * and VIEW are what the hooks of the package make of them.
 */
#include "core.h"

#define FIELDS 128 /* on the stack; more are allocated */

struct reader {
	struct Bfield *f;
	int n, at;
};

PyObject *owpy_str(const char *text, Py_ssize_t len)
{
	return PyUnicode_DecodeUTF8(text, len, "surrogateescape");
}

static PyObject *fields_of_view(char *cstruct, const char *view);
static PyObject *level(struct reader *r, int parent);

static long long whole_number(const struct Bfield *f)
{
	switch (f->type) {
	case BFLD_SHORT: {
		short s;

		memcpy(&s, f->data, sizeof(s));
		return s;
	}
	case BFLD_INT: {
		int i;

		memcpy(&i, f->data, sizeof(i));
		return i;
	}
	default: {
		long l;

		memcpy(&l, f->data, sizeof(l));
		return l;
	}
	}
}

static double real_number(const struct Bfield *f)
{
	double d;
	float x;

	if (f->type == BFLD_FLOAT) {
		memcpy(&x, f->data, sizeof(x));
		return (double)x;
	}
	memcpy(&d, f->data, sizeof(d));
	return d;
}

/* The buffer that a field of type BFLD_PTR points to. */
static PyObject *pointed(const struct Bfield *f)
{
	PyObject *made;
	char *data;

	memcpy(&data, f->data, sizeof(data));
	if (Py_EnterRecursiveCall(" in a buffer that is pointed to") != 0)
		return NULL;
	made = owpy_decode(data, -1);
	Py_LeaveRecursiveCall();
	return made;
}

/* The value of an element that has no elements below it. */
static PyObject *value(const struct Bfield *f)
{
	if (f->data == NULL)
		Py_RETURN_NONE;
	switch (f->type) {
	case BFLD_SHORT:
	case BFLD_INT:
	case BFLD_LONG:
		return PyLong_FromLongLong(whole_number(f));
	case BFLD_FLOAT:
	case BFLD_DOUBLE:
		return PyFloat_FromDouble(real_number(f));
	case BFLD_CHAR:
		return owpy_str(f->data, 1);
	case BFLD_STRING:
		return owpy_str(f->data, f->len);
	case BFLD_CARRAY:
		return PyBytes_FromStringAndSize(f->data, f->len);
	case BFLD_VIEW:
		return f->name == NULL || f->name[0] == '\0'
			   ? (Py_INCREF(Py_None), Py_None)
			   : fields_of_view(f->data, f->name);
	case BFLD_PTR:
		return pointed(f);
	default:
		PyErr_Format(PyExc_SystemError, "field of type %d", f->type);
		return NULL;
	}
}

/* The occurrences of the field at r->at, and r->at behind them. */
static PyObject *occurrences(struct reader *r, int parent)
{
	BFLDID id = r->f[r->at].id;
	PyObject *one, *list = PyList_New(0);
	int at;

	while (list != NULL && r->at < r->n && r->f[r->at].id == id &&
	       r->f[r->at].parent == parent) {
		at = r->at++;
		one = r->f[at].type == BFLD_UBF ? level(r, at)
						: value(&r->f[at]);
		if (one == NULL || PyList_Append(list, one) != 0)
			Py_CLEAR(list);
		Py_XDECREF(one);
	}
	return list;
}

/* The fields of one buffer, of which element `parent` is embedded. */
static PyObject *level(struct reader *r, int parent)
{
	PyObject *name, *list, *dict = PyDict_New();

	while (dict != NULL && r->at < r->n && r->f[r->at].parent == parent) {
		name = owpy_field_name(r->f[r->at].id);
		list = name == NULL ? NULL : occurrences(r, parent);
		if (list == NULL || PyDict_SetItem(dict, name, list) != 0)
			Py_CLEAR(dict);
		Py_XDECREF(list);
	}
	return dict;
}

PyObject *owpy_decode_ubf(UBFH *ub)
{
	struct Bfield few[FIELDS], *many = NULL;
	struct reader r = { few, Bgetfields(ub, few, FIELDS), 0 };
	PyObject *dict;

	if (r.n > FIELDS) {
		many = malloc((size_t)r.n * sizeof(*many));
		if (many == NULL)
			return PyErr_NoMemory();
		r.f = many;
		r.n = Bgetfields(ub, many, r.n);
	}
	dict = r.n == -1 ? owpy_fail_ubf(NULL) : level(&r, -1);
	free(many);
	return dict;
}

/* How many elements the member may have; 0 with an exception. */
static int elements(char *cstruct, char *view, const char *member)
{
	BFLDOCC max = 0;

	if (Bvoccur(cstruct, view, (char *)member, &max, NULL, NULL, NULL) ==
	    -1) {
		owpy_fail_ubf(member);
		return 0;
	}
	return max;
}

/* Set member `name`, a list if it is an array. */
static int set_member(PyObject *dict, const char *name, int count,
		      PyObject *one)
{
	PyObject *list, *key = PyUnicode_InternFromString(name);
	int r = -1;

	if (key == NULL)
		return -1;
	if (count == 1) {
		r = PyDict_SetItem(dict, key, one);
	} else if ((list = PyDict_GetItem(dict, key)) != NULL) {
		r = PyList_Append(list, one);
	} else if ((list = PyList_New(0)) != NULL) {
		r = PyList_Append(list, one) != 0 ||
			    PyDict_SetItem(dict, key, list) != 0
			? -1
			: 0;
		Py_DECREF(list);
	}
	Py_DECREF(key);
	return r;
}

static PyObject *members(char *cstruct, char *view, const struct Bfield *f,
			 int n)
{
	PyObject *one, *dict = PyDict_New();
	int i, count;

	for (i = 0; dict != NULL && i < n; i++) {
		count = elements(cstruct, view, f[i].name);
		one = count == 0 ? NULL : value(&f[i]);
		if (one == NULL ||
		    set_member(dict, f[i].name, count, one) != 0)
			Py_CLEAR(dict);
		Py_XDECREF(one);
	}
	return dict;
}

static PyObject *fields_of_view(char *cstruct, const char *view)
{
	struct Bfield few[FIELDS], *many = NULL, *f = few;
	int n = Bvgetfields(cstruct, (char *)view, few, FIELDS);
	PyObject *dict, *made;

	if (n > FIELDS) {
		many = malloc((size_t)n * sizeof(*many));
		if (many == NULL)
			return PyErr_NoMemory();
		f = many;
		n = Bvgetfields(cstruct, (char *)view, many, n);
	}
	dict = n == -1 ? owpy_fail_ubf(view)
		       : members(cstruct, (char *)view, f, n);
	free(many);
	if (dict == NULL)
		return NULL;
	made = PyObject_CallFunction(owpy_hooks.view, "sO", view, dict);
	Py_DECREF(dict);
	return made;
}

static PyObject *json(const char *text)
{
	PyObject *made, *str = owpy_str(text, (Py_ssize_t)strlen(text));

	if (str == NULL)
		return NULL;
	made = PyObject_CallFunctionObjArgs(owpy_hooks.json, str, NULL);
	Py_DECREF(str);
	return made;
}

PyObject *owpy_decode(char *data, long len)
{
	char type[XATMI_TYPE_LEN + 1] = "";
	char subtype[XATMI_SUBTYPE_LEN + 1] = "";
	long size;

	if (data == NULL)
		Py_RETURN_NONE;
	size = tptypes(data, type, subtype);
	if (size == -1)
		return owpy_fail(NULL);
	if (owpy_is_ubf(type))
		return owpy_decode_ubf((UBFH *)data);
	if (strcmp(type, "STRING") == 0)
		return owpy_str(data, (Py_ssize_t)strlen(data));
	if (strcmp(type, "CARRAY") == 0 || strcmp(type, "XML") == 0 ||
	    strcmp(type, "MBSTRING") == 0)
		return PyBytes_FromStringAndSize(data, len >= 0 ? len : size);
	if (strcmp(type, "JSON") == 0)
		return json(data);
	if (strcmp(type, "VIEW") == 0)
		return fields_of_view(data, subtype);
	if (strcmp(type, "NULL") == 0)
		Py_RETURN_NONE;
	return PyErr_Format(PyExc_TypeError, "a buffer of type %s is no value "
			    "of Python", type);
}

/* An exception of the program's own, such as Ctrl-C, stays what it is. */
static int is_unreadable(void)
{
	return PyErr_ExceptionMatches(PyExc_Exception);
}

PyObject *owpy_decode_or_keep(char *data, long len)
{
	PyObject *made = owpy_decode(data, len);

	if (made == NULL && is_unreadable()) {
		PyErr_Clear();
		return owpy_buffer_new(data, len);
	}
	tpfree(data);
	return made;
}

/* TPEOTYPE because of the exception that is set; takes `data`. */
static void unreadable(char *data, long len, const char *what)
{
	PyObject *type, *why, *trace, *buffer, *text, *e = NULL;

	PyErr_Fetch(&type, &why, &trace);
	PyErr_NormalizeException(&type, &why, &trace);
	buffer = owpy_buffer_new(data, len);
	text = PyUnicode_FromFormat("%s has come and cannot be read: %S; "
				    "the exception has its buffer as data",
				    what, why);
	if (buffer != NULL && text != NULL)
		e = PyObject_CallFunction(owpy_hooks.error, "iOlOi", TPEOTYPE,
					  text, tpurcode, buffer, 0);
	Py_XDECREF(buffer);
	Py_XDECREF(text);
	Py_XDECREF(type);
	Py_XDECREF(trace);
	if (e == NULL) {
		Py_XDECREF(why);
		return;
	}
	PyException_SetCause(e, why); /* takes it */
	PyErr_SetObject((PyObject *)Py_TYPE(e), e);
	Py_DECREF(e);
}

PyObject *owpy_decode_away(char *data, long len, const char *what)
{
	PyObject *made = owpy_decode(data, len);

	if (made == NULL && is_unreadable())
		unreadable(data, len, what);
	else
		tpfree(data);
	return made;
}
