/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv.c - conversations
 */
#include "core.h"

static int go_on(void)
{
	return tperrno == TPGOTSIG && PyErr_CheckSignals() == 0;
}

/* connect(service, data, flags, timeout): its descriptor */
static PyObject *connect(PyObject *self, PyObject *args)
{
	PyObject *data, *timeout;
	const char *service;
	struct owpy_msg m;
	long flags;
	int cd;

	(void)self;
	if (!PyArg_ParseTuple(args, "sOlO", &service, &data, &flags,
			      &timeout) ||
	    owpy_encode(data, &m) != 0)
		return NULL;
	if (owpy_set_timeout(timeout) != 0) {
		owpy_msg_end(&m);
		return NULL;
	}
	Py_BEGIN_ALLOW_THREADS
	cd = tpconnect((char *)service, m.data, m.len, flags | TPSIGRSTRT);
	Py_END_ALLOW_THREADS
	if (cd == -1) {
		owpy_fail_request(NULL, owpy_is_refused());
		owpy_clear_timeout(timeout);
	}
	owpy_msg_end(&m);
	return cd == -1 ? NULL : PyLong_FromLong(cd);
}

/* (data, event): event 0: none came */
static PyObject *result(PyObject *data, long event)
{
	return data == NULL ? NULL : Py_BuildValue("(Nl)", data, event);
}

/* send(cd, data, flags, timeout): the event, 0: none */
static PyObject *send(PyObject *self, PyObject *args)
{
	PyObject *data, *timeout;
	struct owpy_msg m;
	long flags, event = 0;
	double end;
	int cd, r = 0;

	(void)self;
	if (!PyArg_ParseTuple(args, "iOlO", &cd, &data, &flags, &timeout) ||
	    owpy_encode(data, &m) != 0)
		return NULL;
	if (owpy_set_timeout(timeout) != 0) {
		owpy_msg_end(&m);
		return NULL;
	}
	end = owpy_end_of(timeout);
	do {
		owpy_arm_until(end);
		Py_BEGIN_ALLOW_THREADS
		r = tpsend(cd, m.data, m.len, flags, &event);
		Py_END_ALLOW_THREADS
	} while (r == -1 && go_on());
	if (!PyErr_Occurred() && r == -1 && tperrno != TPEEVENT)
		owpy_fail(NULL);
	owpy_msg_end(&m); /* which resets tperrno */
	return PyErr_Occurred() ? NULL : PyLong_FromLong(event);
}

/* recv(cd, flags, timeout, raw): (data, event) */
static PyObject *recv(PyObject *self, PyObject *args)
{
	PyObject *timeout;
	long flags, event = 0, len = 0;
	char *data = NULL;
	double end;
	int cd, r, raw;

	(void)self;
	if (!PyArg_ParseTuple(args, "ilOp", &cd, &flags, &timeout, &raw) ||
	    owpy_set_timeout(timeout) != 0)
		return NULL;
	end = owpy_end_of(timeout);
	do {
		owpy_arm_until(end);
		Py_BEGIN_ALLOW_THREADS
		r = tprecv(cd, &data, &len, flags, &event);
		Py_END_ALLOW_THREADS
	} while (r == -1 && go_on());
	if (PyErr_Occurred() || (r == -1 && tperrno != TPEEVENT)) {
		if (!PyErr_Occurred())
			owpy_fail(NULL);
		tpfree(data);
		return NULL;
	}
	if (raw)
		return result(owpy_buffer_new(data, len), event);
	/* What comes with an event is told by all means: the state of the
	 * conversation changes. */
	return result(event != 0 ? owpy_decode_or_keep(data, len)
				 : owpy_decode_away(data, len, "the message"),
		      event);
}

static PyObject *discon(PyObject *self, PyObject *args)
{
	int cd;

	(void)self;
	if (!PyArg_ParseTuple(args, "i", &cd))
		return NULL;
	if (owpy_checked(tpdiscon(cd)) != 0)
		return NULL;
	Py_RETURN_NONE;
}

PyMethodDef owpy_conv_methods[] = {
	{ "connect", connect, METH_VARARGS, NULL },
	{ "send", send, METH_VARARGS, NULL },
	{ "recv", recv, METH_VARARGS, NULL },
	{ "discon", discon, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};
