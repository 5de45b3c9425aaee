/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c - events and unsolicited messages
 */
#include "core.h"

/* The handler of this thread. What a thread had last is never freed: a thread
 * of the library may still call it. */
static __thread PyObject *handler;

/* subscribe(expression, filter=None, service=None, flags=0): an id */
static PyObject *subscribe(PyObject *self, PyObject *args)
{
	const char *expression, *filter = NULL, *service = NULL;
	TPEVCTL ctl = { 0 };
	long flags = 0, id;

	(void)self;
	if (!PyArg_ParseTuple(args, "s|zzll", &expression, &filter, &service,
			      &flags, &ctl.flags))
		return NULL;
	if (service != NULL) {
		ctl.flags |= TPEVSERVICE;
		if (strlen(service) >= sizeof(ctl.name1))
			return PyErr_Format(PyExc_ValueError, "%s: too long",
					    service);
		strcpy(ctl.name1, service);
	}
	Py_BEGIN_ALLOW_THREADS
	id = tpsubscribe((char *)expression, (char *)filter,
			 service != NULL ? &ctl : NULL, flags | TPSIGRSTRT);
	Py_END_ALLOW_THREADS
	return id == -1 ? owpy_fail(NULL) : PyLong_FromLong(id);
}

static PyObject *unsubscribe(PyObject *self, PyObject *args)
{
	long id, flags = 0;
	int n;

	(void)self;
	if (!PyArg_ParseTuple(args, "l|l", &id, &flags))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	n = tpunsubscribe(id, flags | TPSIGRSTRT);
	Py_END_ALLOW_THREADS
	return n == -1 ? owpy_fail(NULL) : PyLong_FromLong(n);
}

/* post(event, data=None, flags=0, timeout=None): how many got it */
static PyObject *post(PyObject *self, PyObject *args)
{
	PyObject *data = Py_None, *timeout = Py_None;
	const char *event;
	struct owpy_msg m;
	long flags = 0;
	int n = -1;

	(void)self;
	if (!PyArg_ParseTuple(args, "s|OlO", &event, &data, &flags,
			      &timeout) ||
	    owpy_encode(data, &m) != 0)
		return NULL;
	if (owpy_set_timeout(timeout) == 0) {
		Py_BEGIN_ALLOW_THREADS
		n = tppost((char *)event, m.data, m.len, flags | TPSIGRSTRT);
		Py_END_ALLOW_THREADS
		if (n == -1) {
			owpy_fail(NULL);
			owpy_clear_timeout(timeout);
		}
	}
	owpy_msg_end(&m);
	return n == -1 ? NULL : PyLong_FromLong(n);
}

/* The end of a call that has sent m: None, or its error. */
static PyObject *sent(struct owpy_msg *m, int r)
{
	if (r != 0)
		owpy_fail(NULL);
	owpy_msg_end(m); /* which resets tperrno */
	if (r != 0)
		return NULL;
	Py_RETURN_NONE;
}

/* notify(client id, data=None, flags=0) */
static PyObject *notify(PyObject *self, PyObject *args)
{
	PyObject *data = Py_None;
	const char *id;
	struct owpy_msg m;
	CLIENTID client;
	Py_ssize_t len;
	long flags = 0;
	int r;

	(void)self;
	if (!PyArg_ParseTuple(args, "y#|Ol", &id, &len, &data, &flags))
		return NULL;
	if (len != (Py_ssize_t)sizeof(client))
		return PyErr_Format(PyExc_ValueError, "no id of a client");
	memcpy(&client, id, sizeof(client));
	if (owpy_encode(data, &m) != 0)
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	r = tpnotify(&client, m.data, m.len, flags | TPSIGRSTRT);
	Py_END_ALLOW_THREADS
	return sent(&m, r);
}

/* broadcast(node, user, client, data=None, flags=0) */
static PyObject *broadcast(PyObject *self, PyObject *args)
{
	const char *node, *user, *client;
	PyObject *data = Py_None;
	struct owpy_msg m;
	long flags = 0;
	int r;

	(void)self;
	if (!PyArg_ParseTuple(args, "zzz|Ol", &node, &user, &client, &data,
			      &flags) ||
	    owpy_encode(data, &m) != 0)
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	r = tpbroadcast((char *)node, (char *)user, (char *)client, m.data,
			m.len, flags | TPSIGRSTRT);
	Py_END_ALLOW_THREADS
	return sent(&m, r);
}

/* A message has come. It may be a thread of the library that says so. */
static void arrived(char *data, long len, long flags, void *fn)
{
	PyGILState_STATE gil = PyGILState_Ensure();
	PyObject *type, *e, *trace, *value, *r = NULL;

	(void)flags;
	PyErr_Fetch(&type, &e, &trace);
	value = owpy_decode(data, len);
	if (value != NULL)
		r = PyObject_CallFunctionObjArgs(fn, value, NULL);
	if (r == NULL)
		PyErr_WriteUnraisable(fn);
	Py_XDECREF(value);
	Py_XDECREF(r);
	PyErr_Restore(type, e, trace);
	PyGILState_Release(gil);
}

/* set_unsol(callable or None): the handler of this thread before */
static PyObject *set_unsol(PyObject *self, PyObject *fn)
{
	PyObject *was = handler != NULL ? handler : Py_None;
	int r;

	(void)self;
	if (fn != Py_None && !PyCallable_Check(fn))
		return PyErr_Format(PyExc_TypeError, "%R cannot be called",
				    fn);
	Py_INCREF(fn);
	Py_BEGIN_ALLOW_THREADS
	r = tpsetunsol_cb(fn == Py_None ? NULL : arrived, fn);
	Py_END_ALLOW_THREADS
	if (r != 0) {
		Py_DECREF(fn);
		return owpy_fail(NULL);
	}
	if (handler == NULL)
		Py_INCREF(was);
	handler = fn;
	return was;
}

static PyObject *check_unsol(PyObject *self, PyObject *unused)
{
	int n;

	(void)self;
	(void)unused;
	Py_BEGIN_ALLOW_THREADS
	n = tpchkunsol();
	Py_END_ALLOW_THREADS
	return n == -1 ? owpy_fail(NULL) : PyLong_FromLong(n);
}

PyMethodDef owpy_events_methods[] = {
	{ "subscribe", subscribe, METH_VARARGS, NULL },
	{ "unsubscribe", unsubscribe, METH_VARARGS, NULL },
	{ "post", post, METH_VARARGS, NULL },
	{ "notify", notify, METH_VARARGS, NULL },
	{ "broadcast", broadcast, METH_VARARGS, NULL },
	{ "set_unsol", set_unsol, METH_O, NULL },
	{ "check_unsol", check_unsol, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};
