/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - buffers as text: printed, read, exported, encrypted; expressions
 */
#include "core.h"

/* A text that grows, of callbacks that bring it piece by piece. */
struct text {
	char *s;
	size_t len, room;
	int failed;
};

static void append(struct text *t, const char *piece, size_t len)
{
	size_t room = t->room;
	char *more;

	while (t->len + len + 1 > room)
		room = room == 0 ? 1024 : 2 * room;
	more = room == t->room ? t->s : realloc(t->s, room);
	if (more == NULL) {
		t->failed = 1;
		return;
	}
	t->s = more;
	t->room = room;
	memcpy(t->s + t->len, piece, len);
	t->len += len;
}

static PyObject *text_end(struct text *t, int r, const char *what)
{
	PyObject *made = NULL;

	if (t->failed)
		PyErr_NoMemory();
	else if (r == -1)
		owpy_fail_ubf(what);
	else
		made = owpy_str(t->s == NULL ? "" : t->s, (Py_ssize_t)t->len);
	free(t->s);
	return made;
}

static int take_line(char **buffer, long len, void *to, int *do_write,
		     FILE *out, int fid)
{
	(void)do_write;
	(void)out;
	(void)fid;
	append(to, *buffer, strnlen(*buffer, (size_t)len));
	return (int)len;
}

/* print_fields({...}): the text of Bprint() */
static PyObject *print_fields(PyObject *self, PyObject *dict)
{
	struct text t = { 0 };
	char *data = NULL;
	int r;

	(void)self;
	if (!PyDict_Check(dict))
		return PyErr_Format(PyExc_TypeError, "a dict is needed");
	if (owpy_encode_ubf(dict, &data) != 0)
		return NULL;
	r = Bfprintcb((UBFH *)data, take_line, &t);
	dict = text_end(&t, r, NULL);
	tpfree(data);
	return dict;
}

/* Lines for Bextreadcb(). */
struct source {
	const char *at, *end;
};

static long give_line(char *buffer, long size, void *from)
{
	struct source *s = from;
	const char *nl = memchr(s->at, '\n', (size_t)(s->end - s->at));
	size_t len = (size_t)((nl != NULL ? nl + 1 : s->end) - s->at);

	if (len + 1 > (size_t)size)
		return -1;
	memcpy(buffer, s->at, len);
	buffer[len] = '\0';
	s->at += len;
	return (long)len;
}

/* read_fields(text): the fields that Bextread() reads */
static PyObject *read_fields(PyObject *self, PyObject *given)
{
	struct source s;
	PyObject *kept, *made = NULL;
	Py_ssize_t len;
	char *data = NULL;
	int r = -1;
	long size;

	(void)self;
	if (!PyUnicode_Check(given))
		return PyErr_Format(PyExc_TypeError, "a text is needed");
	s.at = owpy_text(given, &len, &kept);
	if (s.at == NULL)
		return NULL;
	s.end = s.at + len;
	size = 4096 + 8 * (long)len;
	data = tpalloc("UBF", NULL, size);
	if (data != NULL)
		r = Bextreadcb((UBFH *)data, give_line, &s);
	if (data == NULL)
		owpy_fail(NULL);
	else if (r != 0)
		owpy_fail_ubf(NULL);
	else
		made = owpy_decode_ubf((UBFH *)data);
	tpfree(data);
	Py_XDECREF(kept);
	return made;
}

static int take_piece(char *buffer, long len, void *to)
{
	append(to, buffer, strnlen(buffer, (size_t)len));
	return (int)len;
}

/* print_expression(expression): as Bboolpr() prints it */
static PyObject *print_expression(PyObject *self, PyObject *args)
{
	struct text t = { 0 };
	const char *expression;
	char *tree;

	(void)self;
	if (!PyArg_ParseTuple(args, "s", &expression))
		return NULL;
	tree = Bboolco((char *)expression);
	if (tree == NULL)
		return owpy_fail_ubf(expression);
	Bboolprcb(tree, take_piece, &t);
	Btreefree(tree);
	return text_end(&t, 0, NULL);
}

/* float_value({...}, expression): Bfloatev() */
static PyObject *float_value(PyObject *self, PyObject *args)
{
	const char *expression;
	PyObject *dict;
	char *tree, *data = NULL;
	double value;

	(void)self;
	if (!PyArg_ParseTuple(args, "Os", &dict, &expression))
		return NULL;
	if (!PyDict_Check(dict))
		return PyErr_Format(PyExc_TypeError, "a dict is needed");
	tree = Bboolco((char *)expression);
	if (tree == NULL)
		return owpy_fail_ubf(expression);
	if (owpy_encode_ubf(dict, &data) != 0) {
		Btreefree(tree);
		return NULL;
	}
	value = Bfloatev((UBFH *)data, tree);
	if (value == -1 && Berror != BMINVAL)
		owpy_fail_ubf(expression);
	Btreefree(tree);
	tpfree(data);
	return PyErr_Occurred() ? NULL : PyFloat_FromDouble(value);
}

/* export(value, flags): bytes; str with TPEX_STRING */
static PyObject *export_value(PyObject *self, PyObject *args)
{
	PyObject *value, *made = NULL;
	struct owpy_msg m;
	long flags = 0, size, len;
	char *out;

	(void)self;
	if (!PyArg_ParseTuple(args, "O|l", &value, &flags) ||
	    owpy_encode(value, &m) != 0)
		return NULL;
	size = m.data == NULL ? 0 : tptypes(m.data, NULL, NULL);
	len = size = 2 * (size > 0 ? size : 0) + 4096;
	out = malloc((size_t)size);
	if (out == NULL)
		PyErr_NoMemory();
	else if (tpexport(m.data, m.len, out, &len, flags) == -1)
		owpy_fail(NULL);
	else if (flags & TPEX_STRING)
		made = PyUnicode_FromString(out);
	else
		made = PyBytes_FromStringAndSize(out, len);
	free(out);
	owpy_msg_end(&m);
	return made;
}

/* import_(text or bytes, flags, raw): the value */
static PyObject *import_value(PyObject *self, PyObject *args)
{
	PyObject *made;
	const char *text;
	Py_ssize_t n;
	char *data = NULL;
	long flags = 0, len = 0;
	int raw = 0;

	(void)self;
	if (!PyArg_ParseTuple(args, "s#|lp", &text, &n, &flags, &raw))
		return NULL;
	if (tpimport((char *)text, flags & TPEX_STRING ? 0 : (long)n, &data,
		     &len, flags) == -1) {
		owpy_fail(NULL);
		tpfree(data);
		return NULL;
	}
	if (raw)
		return owpy_buffer_new(data, len);
	made = owpy_decode(data, len);
	tpfree(data);
	return made;
}

/* crypt(data, flags, decrypt): bytes; str where the result is text */
static PyObject *crypt_value(PyObject *self, PyObject *args)
{
	PyObject *made = NULL;
	const char *in;
	Py_ssize_t n;
	long flags = 0, len;
	int decrypt = 0, r;
	char *out;

	(void)self;
	if (!PyArg_ParseTuple(args, "s#|lp", &in, &n, &flags, &decrypt))
		return NULL;
	len = 2 * (long)n + 1024;
	out = malloc((size_t)len);
	if (out == NULL)
		return PyErr_NoMemory();
	r = decrypt ? tpdecrypt((char *)in, (long)n, out, &len, flags)
		    : tpencrypt((char *)in, (long)n, out, &len, flags);
	if (r == -1)
		owpy_fail(NULL);
	else if (flags & TPEX_STRING)
		made = owpy_str(out, (Py_ssize_t)strlen(out));
	else
		made = PyBytes_FromStringAndSize(out, len);
	free(out);
	return made;
}

PyMethodDef owpy_text_methods[] = {
	{ "print_fields", print_fields, METH_O, NULL },
	{ "read_fields", read_fields, METH_O, NULL },
	{ "print_expression", print_expression, METH_VARARGS, NULL },
	{ "float_value", float_value, METH_VARARGS, NULL },
	{ "export", export_value, METH_VARARGS, NULL },
	{ "import_", import_value, METH_VARARGS, NULL },
	{ "crypt", crypt_value, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};
