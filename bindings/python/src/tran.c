/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tran.c - transactions
 */
#include "core.h"

/* The result of an int function that may wait. */
#define WAITING(call)                  \
	int r;                         \
	Py_BEGIN_ALLOW_THREADS         \
	r = (call);                    \
	Py_END_ALLOW_THREADS           \
	if (owpy_checked(r) != 0)      \
		return NULL;           \
	Py_RETURN_NONE

static PyObject *begin(PyObject *self, PyObject *args)
{
	unsigned long timeout = 0;
	long flags = 0;

	(void)self;
	if (!PyArg_ParseTuple(args, "k|l", &timeout, &flags))
		return NULL;
	WAITING(tpbegin(timeout, flags));
}

static PyObject *commit(PyObject *self, PyObject *args)
{
	long flags = 0;

	(void)self;
	if (!PyArg_ParseTuple(args, "|l", &flags))
		return NULL;
	WAITING(tpcommit(flags));
}

static PyObject *roll_back(PyObject *self, PyObject *args)
{
	long flags = 0;

	(void)self;
	if (!PyArg_ParseTuple(args, "|l", &flags))
		return NULL;
	WAITING(tpabort(flags));
}

static PyObject *level(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return PyLong_FromLong(tpgetlev());
}

static PyObject *open_rm(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	WAITING(tpopen());
}

static PyObject *close_rm(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	WAITING(tpclose());
}

static PyObject *suspend(PyObject *self, PyObject *unused)
{
	TPTRANID id = { 0 };
	int r;

	(void)self;
	(void)unused;
	Py_BEGIN_ALLOW_THREADS
	r = tpsuspend(&id, 0);
	Py_END_ALLOW_THREADS
	if (owpy_checked(r) != 0)
		return NULL;
	return PyBytes_FromStringAndSize((char *)&id, sizeof(id));
}

static PyObject *resume(PyObject *self, PyObject *args)
{
	const char *bytes;
	Py_ssize_t len;
	TPTRANID id;

	(void)self;
	if (!PyArg_ParseTuple(args, "y#", &bytes, &len))
		return NULL;
	if (len != (Py_ssize_t)sizeof(id))
		return PyErr_Format(PyExc_ValueError, "no suspended "
				    "transaction");
	memcpy(&id, bytes, sizeof(id));
	WAITING(tpresume(&id, 0));
}

static PyObject *commit_return(PyObject *self, PyObject *args)
{
	long flags;
	int was;

	(void)self;
	if (!PyArg_ParseTuple(args, "l", &flags))
		return NULL;
	was = tpscmt(flags);
	return owpy_checked(was) != 0 ? NULL : PyLong_FromLong(was);
}

PyMethodDef owpy_tran_methods[] = {
	{ "begin", begin, METH_VARARGS, NULL },
	{ "commit", commit, METH_VARARGS, NULL },
	{ "abort", roll_back, METH_VARARGS, NULL },
	{ "level", level, METH_NOARGS, NULL },
	{ "open", open_rm, METH_NOARGS, NULL },
	{ "close", close_rm, METH_NOARGS, NULL },
	{ "suspend", suspend, METH_NOARGS, NULL },
	{ "resume", resume, METH_VARARGS, NULL },
	{ "scmt", commit_return, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};
