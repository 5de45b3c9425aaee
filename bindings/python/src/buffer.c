/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buffer.c - the class Buffer: a typed buffer that stays in C
 *
 * memoryview() shows its memory without a copy, that of UBF to be read. While a view of it is there,
 * or a call uses it, it does not move: what would change its size fails.
 */
#include "core.h"

struct buffer {
	PyObject_HEAD
	char *data; /* NULL: it was handed over */
	long len;   /* of the contents, for CARRAY */
	int used;   /* views, and calls that use it */
};

PyTypeObject *owpy_buffer_type;

static struct buffer *of(PyObject *self)
{
	return (struct buffer *)self;
}

PyObject *owpy_buffer_new(char *data, long len)
{
	PyObject *self;

	if (data == NULL)
		Py_RETURN_NONE;
	self = PyType_GenericAlloc(owpy_buffer_type, 0);
	if (self == NULL) {
		tpfree(data);
		return NULL;
	}
	of(self)->data = data;
	of(self)->len = len;
	return self;
}

static int there(PyObject *self)
{
	if (of(self)->data != NULL)
		return 0;
	PyErr_SetString(PyExc_ValueError, "the buffer was handed over");
	return -1;
}

/* It may move and change. */
static int free_to_move(PyObject *self)
{
	if (there(self) != 0)
		return -1;
	if (of(self)->used == 0)
		return 0;
	PyErr_SetString(PyExc_BufferError, "the buffer is in use, by a view "
			"of its memory or a call");
	return -1;
}

int owpy_buffer_begin(PyObject *self, struct owpy_msg *m)
{
	if (there(self) != 0)
		return -1;
	of(self)->used++;
	Py_INCREF(self);
	m->owner = self;
	m->data = of(self)->data;
	m->len = of(self)->len;
	return 0;
}

void owpy_buffer_end(PyObject *self)
{
	of(self)->used--;
	Py_DECREF(self);
}

int owpy_buffer_take(PyObject *self, struct owpy_msg *m)
{
	if (free_to_move(self) != 0)
		return -1;
	m->data = of(self)->data;
	m->len = of(self)->len;
	of(self)->data = NULL;
	return 0;
}

/* Buffer(value), Buffer(type=, subtype=, size=) */
static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *kw)
{
	static char *names[] = { "value", "type", "subtype", "size", NULL };
	const char *name = NULL, *subtype = NULL;
	PyObject *value = Py_None;
	struct owpy_msg m = { 0 };
	long size = 0;

	(void)type;
	if (!PyArg_ParseTupleAndKeywords(args, kw, "|O$szl", names, &value,
					 &name, &subtype, &size))
		return NULL;
	if (name == NULL) {
		if (Py_TYPE(value) == owpy_buffer_type || value == Py_None)
			return PyErr_Format(PyExc_TypeError, "give a value, "
					    "or a type");
		if (owpy_encode(value, &m) != 0)
			return NULL;
	} else {
		m.data = tpalloc((char *)name, (char *)subtype, size);
		if (m.data == NULL)
			return owpy_fail(NULL);
		m.len = size;
	}
	return owpy_buffer_new(m.data, m.len);
}

static void dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	if (of(self)->data != NULL)
		tpfree(of(self)->data);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

/* Bytes of its contents. */
static long contents(PyObject *self)
{
	char type[XATMI_TYPE_LEN + 1] = "";
	long size = tptypes(of(self)->data, type, NULL);

	if (owpy_is_ubf(type))
		return Bused((UBFH *)of(self)->data);
	if (strcmp(type, "STRING") == 0 || strcmp(type, "JSON") == 0)
		return (long)strlen(of(self)->data);
	return strcmp(type, "CARRAY") == 0 ? of(self)->len : size;
}

static Py_ssize_t length(PyObject *self)
{
	return there(self) != 0 ? -1 : contents(self);
}

static int get_view(PyObject *self, Py_buffer *view, int flags)
{
	if (there(self) != 0) {
		view->obj = NULL;
		return -1;
	}
	/* What is written into UBF would be a damaged buffer. */
	if (PyBuffer_FillInfo(view, self, of(self)->data, contents(self),
			      Bisubf((UBFH *)of(self)->data), flags) != 0)
		return -1;
	of(self)->used++;
	return 0;
}

static void release_view(PyObject *self, Py_buffer *view)
{
	(void)view;
	of(self)->used--;
}

static PyObject *decode(PyObject *self, PyObject *unused)
{
	(void)unused;
	return there(self) != 0 ? NULL
				: owpy_decode(of(self)->data, of(self)->len);
}

static PyObject *get_type(PyObject *self, void *which)
{
	char type[XATMI_TYPE_LEN + 1] = "";
	char subtype[XATMI_SUBTYPE_LEN + 1] = "";

	if (there(self) != 0)
		return NULL;
	if (tptypes(of(self)->data, type, subtype) == -1)
		return owpy_fail(NULL);
	return PyUnicode_FromString(which == NULL ? type : subtype);
}

/* The UBF buffer of it, with an exception if it is none. */
static UBFH *ubf_of(PyObject *self)
{
	if (there(self) != 0)
		return NULL;
	if (Bisubf((UBFH *)of(self)->data))
		return (UBFH *)of(self)->data;
	PyErr_SetString(PyExc_TypeError, "it is no UBF buffer");
	return NULL;
}

/* get(field, occurrence=0, default=None) */
static PyObject *get(PyObject *self, PyObject *args)
{
	PyObject *key, *list, *dict, *other = Py_None, *one = NULL;
	BFLDID id, ids[2] = { 0, BBADFLDID };
	UBFH *ub, *part;
	int occ = 0;

	if (!PyArg_ParseTuple(args, "O|iO", &key, &occ, &other))
		return NULL;
	id = ids[0] = owpy_field_id(key);
	ub = id != 0 ? ubf_of(self) : NULL; /* after what runs Python */
	if (ub == NULL)
		return NULL;
	if (!Bpres(ub, id, occ)) {
		Py_INCREF(other);
		return other;
	}
	part = (UBFH *)tpalloc("UBF", NULL, Bused(ub) + 1024);
	if (part == NULL)
		return owpy_fail(NULL);
	dict = Bprojcpy(part, ub, ids) != 0 ? owpy_fail_ubf(NULL)
					    : owpy_decode_ubf(part);
	tpfree((char *)part);
	list = dict == NULL ? NULL : PyDict_GetItem(dict, owpy_field_name(id));
	if (list != NULL)
		one = PyList_GetItem(list, occ);
	Py_XINCREF(one);
	Py_XDECREF(dict);
	return one;
}

/* Merge `from` into the buffer, which may move. */
static int merge(PyObject *self, UBFH *from)
{
	char *larger;

	while (Bupdate((UBFH *)of(self)->data, from) != 0) {
		if (Berror != BNOSPACE) {
			owpy_fail_ubf(NULL);
			return -1;
		}
		larger = tprealloc(of(self)->data,
				   2 * Bsizeof((UBFH *)of(self)->data) +
				       Bused(from));
		if (larger == NULL) {
			owpy_fail(NULL);
			return -1;
		}
		of(self)->data = larger;
	}
	return 0;
}

/* update({field: values}): occurrences given replace those of the buffer */
static PyObject *update(PyObject *self, PyObject *dict)
{
	char *from = NULL;
	int r;

	if (ubf_of(self) == NULL || free_to_move(self) != 0)
		return NULL;
	if (!PyDict_Check(dict))
		return PyErr_Format(PyExc_TypeError, "a dict is needed");
	if (owpy_encode_ubf(dict, &from) != 0)
		return NULL;
	/* Once more: the values of the dict have run Python. */
	r = free_to_move(self) == 0 ? merge(self, (UBFH *)from) : -1;
	tpfree(from);
	if (r != 0)
		return NULL;
	Py_RETURN_NONE;
}

/* delete(field): all its occurrences; is it there? */
static PyObject *delete(PyObject *self, PyObject *key)
{
	BFLDID id = owpy_field_id(key);
	UBFH *ub = id != 0 ? ubf_of(self) : NULL;

	if (ub == NULL || free_to_move(self) != 0)
		return NULL;
	if (Bdelall(ub, id) == 0)
		Py_RETURN_TRUE;
	if (Berror != BNOTPRES)
		return owpy_fail_ubf(NULL);
	Py_RETURN_FALSE;
}

/* test(expression): Bboolev() */
static PyObject *test(PyObject *self, PyObject *expression)
{
	const char *text = PyUnicode_Check(expression)
			       ? PyUnicode_AsUTF8AndSize(expression, NULL)
			       : NULL;
	UBFH *ub = ubf_of(self);
	char *tree;
	int r;

	if (ub == NULL)
		return NULL;
	if (text == NULL)
		return PyErr_Format(PyExc_TypeError, "an expression is text");
	tree = Bboolco((char *)text);
	if (tree == NULL)
		return owpy_fail_ubf(text);
	r = Bboolev(ub, tree);
	if (r == -1)
		owpy_fail_ubf(text);
	Btreefree(tree);
	return r == -1 ? NULL : PyBool_FromLong(r);
}

/* callinfo(): the header of the message, a dict; None: it has none */
static PyObject *callinfo(PyObject *self, PyObject *unused)
{
	UBFH *ub = NULL;
	PyObject *made;
	int r;

	(void)unused;
	if (there(self) != 0)
		return NULL;
	r = tpgetcallinfo(of(self)->data, &ub, TPCI_NOEOFERR);
	if (r == 0)
		Py_RETURN_NONE;
	made = r == -1 ? owpy_fail(NULL) : owpy_decode_ubf(ub);
	tpfree((char *)ub);
	return made;
}

/* set_callinfo({...}) */
static PyObject *set_callinfo(PyObject *self, PyObject *dict)
{
	char *ub = NULL;
	int r;

	if (free_to_move(self) != 0)
		return NULL;
	if (!PyDict_Check(dict))
		return PyErr_Format(PyExc_TypeError, "a dict is needed");
	if (owpy_encode_ubf(dict, &ub) != 0)
		return NULL;
	r = free_to_move(self); /* once more, as in update() */
	if (r == 0)
		r = owpy_checked(tpsetcallinfo(of(self)->data, (UBFH *)ub, 0));
	tpfree(ub);
	if (r != 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{ "callinfo", callinfo, METH_NOARGS,
	  "The header of the message, a dict; None: it has none." },
	{ "set_callinfo", set_callinfo, METH_O, "Set that header." },
	{ "decode", decode, METH_NOARGS, "The value as an object of Python." },
	{ "get", get, METH_VARARGS,
	  "get(field, occurrence=0, default=None): one value of a UBF "
	  "buffer." },
	{ "update", update, METH_O,
	  "update({field: values}): set these occurrences of a UBF buffer." },
	{ "delete", delete, METH_O,
	  "delete(field): all its occurrences; was there one?" },
	{ "test", test, METH_O,
	  "test(expression): is a boolean expression true for the UBF "
	  "buffer?" },
	{ NULL, NULL, 0, NULL },
};

static PyGetSetDef members[] = {
	{ "type", get_type, NULL, "UBF, STRING, CARRAY, JSON, VIEW", NULL },
	{ "subtype", get_type, NULL, "The name of a view", "" },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_new, make },
	{ Py_tp_dealloc, dealloc },
	{ Py_tp_methods, methods },
	{ Py_tp_getset, members },
	{ Py_sq_length, length },
	{ Py_bf_getbuffer, get_view },
	{ Py_bf_releasebuffer, release_view },
	{ Py_tp_doc, "A typed buffer that stays in C.\n\n"
		     "Buffer(value), or Buffer(type=..., subtype=..., size=...)."
		     " memoryview() shows its memory." },
	{ 0, NULL },
};

static PyType_Spec spec = {
	.name = "onewake._core.Buffer",
	.basicsize = sizeof(struct buffer),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = slots,
};

int owpy_add_buffer(PyObject *module)
{
	PyObject *type = PyType_FromSpec(&spec);

	if (type == NULL)
		return -1;
	owpy_buffer_type = (PyTypeObject *)type;
	Py_INCREF(type);
	return PyModule_AddObject(module, "Buffer", type);
}
