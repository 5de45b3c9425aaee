/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context.c - contexts that move between threads, time-outs of a context, the
 * logs of a thread and of a request, administration
 */
#include "core.h"

#include <limits.h>
#include <ndebug.h>
#include <tpadm.h>

/* new_context(auto_destroy, auto_set): its handle */
static PyObject *new_context(PyObject *self, PyObject *args)
{
	int destroy = 0, set = 0;
	TPCONTEXT_T c;

	(void)self;
	if (!PyArg_ParseTuple(args, "|pp", &destroy, &set))
		return NULL;
	c = tpnewctxt(destroy, set);
	return c == NULL ? owpy_fail(NULL) : PyLong_FromVoidPtr(c);
}

/* get_context(): it is taken off the thread; 0: there is none */
static PyObject *get_context(PyObject *self, PyObject *unused)
{
	TPCONTEXT_T c = NULL;

	(void)self;
	(void)unused;
	if (tpgetctxt(&c, 0) == -1)
		return owpy_fail(NULL);
	return PyLong_FromVoidPtr(c);
}

static PyObject *set_context(PyObject *self, PyObject *number)
{
	TPCONTEXT_T c = PyLong_AsVoidPtr(number);

	(void)self;
	if (PyErr_Occurred() || owpy_checked(tpsetctxt(c, 0)) != 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *free_context(PyObject *self, PyObject *number)
{
	TPCONTEXT_T c = PyLong_AsVoidPtr(number);

	(void)self;
	if (PyErr_Occurred())
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	tpfreectxt(c);
	Py_END_ALLOW_THREADS
	Py_RETURN_NONE;
}

/* context_timeout(value or None, flags): that of tpsblktime() */
static PyObject *context_timeout(PyObject *self, PyObject *args)
{
	PyObject *value;
	long flags, wanted;
	int r;

	(void)self;
	if (!PyArg_ParseTuple(args, "Ol", &value, &flags))
		return NULL;
	if (value == Py_None) {
		r = tpgblktime(flags);
		return r == -1 ? owpy_fail(NULL) : PyLong_FromLong(r);
	}
	wanted = PyLong_AsLong(value);
	if (PyErr_Occurred())
		return NULL;
	if (wanted > INT_MAX || wanted < INT_MIN)
		return PyErr_Format(PyExc_OverflowError, "a time-out of %ld",
				    wanted);
	if (owpy_checked(tpsblktime((int)wanted, flags)) != 0)
		return NULL;
	Py_RETURN_NONE;
}

/* log_dump(level, comment, bytes) */
static PyObject *dump_bytes(PyObject *self, PyObject *args)
{
	const char *comment, *bytes;
	Py_ssize_t n;
	int level;

	(void)self;
	if (!PyArg_ParseTuple(args, "isy#", &level, &comment, &bytes, &n))
		return NULL;
	tplogdump(level, comment, (void *)bytes, (int)n);
	Py_RETURN_NONE;
}

/* log_fields(level, title, {...}) */
static PyObject *log_fields(PyObject *self, PyObject *args)
{
	const char *title;
	PyObject *dict;
	char *data = NULL;
	int level;

	(void)self;
	if (!PyArg_ParseTuple(args, "isO!", &level, &title, &PyDict_Type,
			      &dict))
		return NULL;
	if (level > debug_get_tp_level())
		Py_RETURN_NONE;
	if (owpy_encode_ubf(dict, &data) != 0)
		return NULL;
	tplogprintubf(level, (char *)title, (UBFH *)data);
	tpfree(data);
	Py_RETURN_NONE;
}

/* log_info(level, flags): tplogqinfo() */
static PyObject *log_info_bits(PyObject *self, PyObject *args)
{
	long flags;
	int level;

	(void)self;
	if (!PyArg_ParseTuple(args, "il", &level, &flags))
		return NULL;
	return PyLong_FromLong(tplogqinfo(level, flags));
}

/* request_log(file name or None): log to it; that of the request */
static PyObject *request_log(PyObject *self, PyObject *args)
{
	const char *name = NULL;
	char now[4096] = "";

	(void)self;
	if (!PyArg_ParseTuple(args, "|z", &name))
		return NULL;
	if (name != NULL) {
		tplogsetreqfile_direct(name);
		Py_RETURN_NONE;
	}
	if (tploggetreqfile(now, sizeof(now)) == 0)
		Py_RETURN_NONE;
	return owpy_str(now, (Py_ssize_t)strlen(now));
}

/* close_log(thread): of the request, or of the thread */
static PyObject *close_log(PyObject *self, PyObject *args)
{
	int thread = 0;

	(void)self;
	if (!PyArg_ParseTuple(args, "|p", &thread))
		return NULL;
	if (thread)
		tplogclosethread();
	else
		tplogclosereqfile();
	Py_RETURN_NONE;
}

/* admin({...}, flags): tpadmcall() */
static PyObject *admin(PyObject *self, PyObject *args)
{
	PyObject *dict, *made = NULL;
	char *in = NULL;
	UBFH *out;
	long flags = 0;
	int r;

	(void)self;
	if (!PyArg_ParseTuple(args, "O!|l", &PyDict_Type, &dict, &flags) ||
	    owpy_encode_ubf(dict, &in) != 0)
		return NULL;
	out = (UBFH *)tpalloc("UBF", NULL, 65536);
	Py_BEGIN_ALLOW_THREADS
	r = out == NULL ? -1 : tpadmcall((UBFH *)in, &out, flags);
	Py_END_ALLOW_THREADS
	if (r == -1)
		owpy_fail(NULL);
	else
		made = owpy_decode_ubf(out);
	tpfree(in);
	tpfree((char *)out);
	return made;
}

static PyObject *get_variable(PyObject *self, PyObject *args)
{
	const char *name, *value;

	(void)self;
	if (!PyArg_ParseTuple(args, "s", &name))
		return NULL;
	value = tuxgetenv((char *)name);
	if (value == NULL)
		Py_RETURN_NONE;
	return owpy_str(value, (Py_ssize_t)strlen(value));
}

/* make_field(type, number), field_type(id), field_number(id) */
static PyObject *make_field(PyObject *self, PyObject *args)
{
	int type, number, id;

	(void)self;
	if (!PyArg_ParseTuple(args, "ii", &type, &number))
		return NULL;
	id = Bmkfldid(type, number);
	return id == BBADFLDID ? owpy_fail_ubf(NULL) : PyLong_FromLong(id);
}

static PyObject *field_type(PyObject *self, PyObject *args)
{
	int id;

	(void)self;
	if (!PyArg_ParseTuple(args, "i", &id))
		return NULL;
	return PyLong_FromLong(Bfldtype(id));
}

static PyObject *field_number(PyObject *self, PyObject *args)
{
	int id;

	(void)self;
	if (!PyArg_ParseTuple(args, "i", &id))
		return NULL;
	return PyLong_FromLong(Bfldno(id));
}

PyMethodDef owpy_context_methods[] = {
	{ "new_context", new_context, METH_VARARGS, NULL },
	{ "get_context", get_context, METH_NOARGS, NULL },
	{ "set_context", set_context, METH_O, NULL },
	{ "free_context", free_context, METH_O, NULL },
	{ "context_timeout", context_timeout, METH_VARARGS, NULL },
	{ "log_dump", dump_bytes, METH_VARARGS, NULL },
	{ "log_fields", log_fields, METH_VARARGS, NULL },
	{ "log_info", log_info_bits, METH_VARARGS, NULL },
	{ "request_log", request_log, METH_VARARGS, NULL },
	{ "close_log", close_log, METH_VARARGS, NULL },
	{ "admin", admin, METH_VARARGS, NULL },
	{ "getenv", get_variable, METH_VARARGS, NULL },
	{ "make_field", make_field, METH_VARARGS, NULL },
	{ "field_type", field_type, METH_VARARGS, NULL },
	{ "field_number", field_number, METH_VARARGS, NULL },
	{ "constants", owpy_constants, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};
