/* SPDX-License-Identifier: Apache-2.0 */
/*
 * poll.c - functions of Python that the loop of a server calls: each so many
 * seconds, before each wait, when a descriptor is ready
 *
 * What one raises is logged; like a result that is true, it stops the server.
 * A function that has been given stays for the life of the process: the loop
 * may be about to call it when it is taken off.
 */
#include "core.h"

/* 0: go on; -1: stop. */
static int outcome(PyObject *r, PyObject *fn)
{
	int stop;

	if (r == NULL) {
		PyErr_WriteUnraisable(fn);
		return -1;
	}
	stop = PyObject_IsTrue(r);
	Py_DECREF(r);
	return stop == 0 ? 0 : -1;
}

static int on_turn(void *fn)
{
	PyGILState_STATE gil = PyGILState_Ensure();
	int r = outcome(PyObject_CallFunctionObjArgs(fn, NULL), fn);

	PyGILState_Release(gil);
	return r;
}

/* `pair`: the function and its argument. */
static int on_ready(int fd, uint32_t events, void *pair)
{
	PyGILState_STATE gil = PyGILState_Ensure();
	PyObject *fn = PyTuple_GetItem(pair, 0);
	int r = outcome(PyObject_CallFunction(fn, "iIO", fd, events,
					      PyTuple_GetItem(pair, 1)), fn);

	PyGILState_Release(gil);
	return r;
}

static PyObject *done(int r, PyObject *kept)
{
	if (owpy_checked(r) != 0) {
		Py_XDECREF(kept);
		return NULL;
	}
	Py_RETURN_NONE;
}

static PyObject *add_period(PyObject *self, PyObject *args)
{
	PyObject *fn;
	int secs;

	(void)self;
	if (!PyArg_ParseTuple(args, "iO", &secs, &fn))
		return NULL;
	Py_INCREF(fn);
	return done(tpext_addperiod_cb(secs, on_turn, fn), fn);
}

static PyObject *add_before(PyObject *self, PyObject *fn)
{
	(void)self;
	Py_INCREF(fn);
	return done(tpext_addb4poll_cb(on_turn, fn), fn);
}

static PyObject *add_fd(PyObject *self, PyObject *args)
{
	PyObject *fn, *data = Py_None, *pair;
	unsigned int events;
	int fd;

	(void)self;
	if (!PyArg_ParseTuple(args, "iIO|O", &fd, &events, &fn, &data))
		return NULL;
	pair = Py_BuildValue("(OO)", fn, data);
	if (pair == NULL)
		return NULL;
	return done(tpext_addpollerfd(fd, events, pair, on_ready), pair);
}

static PyObject *del_period(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return done(tpext_delperiodcb(), NULL);
}

static PyObject *del_before(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return done(tpext_delb4pollcb(), NULL);
}

static PyObject *del_fd(PyObject *self, PyObject *args)
{
	int fd;

	(void)self;
	if (!PyArg_ParseTuple(args, "i", &fd))
		return NULL;
	return done(tpext_delpollerfd(fd), NULL);
}

PyMethodDef owpy_poll_methods[] = {
	{ "add_period", add_period, METH_VARARGS, NULL },
	{ "add_before", add_before, METH_O, NULL },
	{ "add_fd", add_fd, METH_VARARGS, NULL },
	{ "del_period", del_period, METH_NOARGS, NULL },
	{ "del_before", del_before, METH_NOARGS, NULL },
	{ "del_fd", del_fd, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};
