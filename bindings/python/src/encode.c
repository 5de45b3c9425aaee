/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encode.c - typed buffers of Python values
 *
 * None is no data, str a STRING, bytes a CARRAY, a dict UBF; what else there
 * is, the hook `other` says. The type of the value decides, never its contents.
 * A Buffer is used as it is.
 */
#include "core.h"

#include "fields.h"

const char *owpy_text(PyObject *str, Py_ssize_t *len, PyObject **keep)
{
	const char *text = PyUnicode_AsUTF8AndSize(str, len);
	char *bytes = NULL;

	*keep = NULL;
	if (text != NULL)
		return text;
	PyErr_Clear(); /* bytes that were no UTF-8 when they came */
	*keep = PyUnicode_AsEncodedString(str, "utf-8", "surrogateescape");
	if (*keep == NULL || PyBytes_AsStringAndSize(*keep, &bytes, len) != 0)
		return NULL;
	return bytes;
}

static int allocate(struct owpy_msg *m, const char *type, const char *subtype,
		    Py_ssize_t size)
{
	m->data = tpalloc((char *)type, (char *)subtype, (long)size);
	if (m->data == NULL) {
		owpy_fail(NULL);
		return -1;
	}
	return 0;
}

static int encode_text(PyObject *str, const char *type, struct owpy_msg *m)
{
	PyObject *keep;
	Py_ssize_t len;
	const char *text = owpy_text(str, &len, &keep);
	int r = -1;

	if (text == NULL)
		return -1;
	if (strlen(text) != (size_t)len)
		PyErr_Format(PyExc_ValueError, "a NUL inside the text of a "
			     "%s: give bytes", type);
	else if (allocate(m, type, NULL, len + 1) == 0)
		r = 0;
	if (r == 0) {
		memcpy(m->data, text, (size_t)len + 1);
		m->len = (long)len + 1;
	}
	Py_XDECREF(keep);
	return r;
}

static int encode_bytes(PyObject *given, struct owpy_msg *m)
{
	Py_buffer view;

	if (PyObject_GetBuffer(given, &view, PyBUF_SIMPLE) != 0)
		return -1;
	if (allocate(m, "CARRAY", NULL, view.len > 0 ? view.len : 1) == 0) {
		memcpy(m->data, view.buf, (size_t)view.len);
		m->len = (long)view.len;
	}
	PyBuffer_Release(&view);
	return m->data != NULL ? 0 : -1;
}

int owpy_encode_ubf(PyObject *dict, char **data)
{
	struct owpy_fields fields;
	int bad = -1, r = -1;

	owpy_fields_begin(&fields);
	if (owpy_fields_of_dict(&fields, dict, -1) == 0) {
		owpy_fields_settle(&fields);
		if (tpputfields(data, fields.f, fields.n, &bad) == 0)
			r = 0;
		else
			owpy_fields_fail(&fields, bad);
	}
	owpy_fields_end(&fields, r == 0);
	return r;
}

static int encode_view(PyObject *name, PyObject *dict, struct owpy_msg *m)
{
	const char *view = PyUnicode_AsUTF8AndSize(name, NULL);
	long size;

	if (view == NULL)
		return -1;
	size = Bvsizeof((char *)view);
	if (size == -1) {
		owpy_fail_ubf(view);
		return -1;
	}
	if (allocate(m, "VIEW", view, size) != 0)
		return -1;
	m->len = size;
	return owpy_fields_into_view(m->data, view, dict);
}

/* What the hook says: (type, text), ("VIEW", name, dict). */
static int encode_other(PyObject *given, struct owpy_msg *m)
{
	PyObject *said = PyObject_CallFunctionObjArgs(owpy_hooks.other, given,
						      NULL);
	const char *type;
	int r = -1;

	if (said == NULL)
		return -1;
	type = PyTuple_Check(said) && PyTuple_Size(said) >= 2
		   ? PyUnicode_AsUTF8AndSize(PyTuple_GetItem(said, 0), NULL)
		   : NULL;
	if (type == NULL)
		PyErr_SetString(PyExc_TypeError, "the hook gave no type");
	else if (strcmp(type, "VIEW") == 0)
		r = encode_view(PyTuple_GetItem(said, 1),
				PyTuple_GetItem(said, 2), m);
	else
		r = encode_text(PyTuple_GetItem(said, 1), type, m);
	Py_DECREF(said);
	return r;
}

static int is_bytes(PyObject *given)
{
	return PyBytes_Check(given) || PyByteArray_Check(given) ||
	       PyMemoryView_Check(given);
}

static int encode(PyObject *given, struct owpy_msg *m)
{
	if (PyDict_CheckExact(given))
		return owpy_encode_ubf(given, &m->data);
	if (PyUnicode_Check(given))
		return encode_text(given, "STRING", m);
	if (PyDict_Check(given) &&
	    !PyObject_HasAttrString(given, "__view_name__"))
		return owpy_encode_ubf(given, &m->data);
	if (is_bytes(given))
		return encode_bytes(given, m);
	return encode_other(given, m);
}

static int start(PyObject *given, struct owpy_msg *m)
{
	m->data = NULL;
	m->len = 0;
	m->owner = NULL;
	return given == NULL || given == Py_None;
}

int owpy_encode(PyObject *given, struct owpy_msg *m)
{
	if (start(given, m))
		return 0;
	if (Py_TYPE(given) == owpy_buffer_type)
		return owpy_buffer_begin(given, m);
	if (encode(given, m) == 0)
		return 0;
	owpy_msg_end(m);
	return -1;
}

int owpy_encode_away(PyObject *given, struct owpy_msg *m)
{
	if (start(given, m))
		return 0;
	if (Py_TYPE(given) == owpy_buffer_type)
		return owpy_buffer_take(given, m);
	if (encode(given, m) == 0)
		return 0;
	owpy_msg_end(m);
	return -1;
}

void owpy_msg_end(struct owpy_msg *m)
{
	if (m->owner != NULL)
		owpy_buffer_end(m->owner);
	else if (m->data != NULL)
		tpfree(m->data);
	m->data = NULL;
	m->owner = NULL;
}
