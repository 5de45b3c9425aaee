/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve.c - servers: their main loop, and their services
 *
 * Services return, there is no longjmp() (tprunserver()). The main loop runs
 * without the lock of the interpreter; a service takes it for its time. Each
 * dispatch thread keeps one state of the interpreter for its life, so that a
 * request does not make one.
 */
#include "answer.h"
#include "request.h"

struct service {
	struct service *next;
	char name[XATMI_SERVICE_NAME_LENGTH + 2];
	PyObject *fn;
};

static struct service *services; /* guarded by the interpreter's lock */

static void serve(TPSVCINFO *svc, void *data)
{
	struct service *s = data;
	PyGILState_STATE gil = PyGILState_Ensure();
	PyObject *request = owpy_request_new(svc), *result = NULL;
	struct owpy_answer a;

	if (request != NULL)
		result = PyObject_CallFunctionObjArgs(s->fn, request, NULL);
	owpy_answer_of(result, svc->name, &a);
	if (request != NULL)
		owpy_request_end(request);
	Py_XDECREF(request);
	Py_XDECREF(result);
	PyGILState_Release(gil);
	owpy_answer_send(&a);
}

/* The same name and function are one pointer, as threads may advertise both. */
static struct service *service_of(const char *name, PyObject *fn)
{
	struct service *s;

	for (s = services; s != NULL; s = s->next)
		if (s->fn == fn && strcmp(s->name, name) == 0)
			return s;
	s = calloc(1, sizeof(*s));
	if (s == NULL) {
		PyErr_NoMemory();
		return NULL;
	}
	snprintf(s->name, sizeof(s->name), "%s", name);
	Py_INCREF(fn);
	s->fn = fn;
	s->next = services;
	services = s;
	return s;
}

/* advertise(name, fn) */
static PyObject *advertise(PyObject *self, PyObject *args)
{
	const char *name;
	struct service *s;
	PyObject *fn;
	int r;

	(void)self;
	if (!PyArg_ParseTuple(args, "sO", &name, &fn))
		return NULL;
	s = service_of(name, fn);
	if (s == NULL)
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	r = tpadvertise_cb((char *)name, serve, s);
	Py_END_ALLOW_THREADS
	if (owpy_checked(r) != 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *unadvertise(PyObject *self, PyObject *args)
{
	const char *name;
	int r;

	(void)self;
	if (!PyArg_ParseTuple(args, "s", &name))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	r = tpunadvertise((char *)name);
	Py_END_ALLOW_THREADS
	if (owpy_checked(r) != 0)
		return NULL;
	Py_RETURN_NONE;
}

/* What the loop calls: functions of Python, or None. */
struct server {
	PyObject *init, *done, *thrinit, *thrdone;
};

static PyObject *list_of(int argc, char **argv)
{
	PyObject *one, *list = PyList_New(0);
	int i;

	for (i = 0; list != NULL && i < argc; i++) {
		one = owpy_str(argv[i], (Py_ssize_t)strlen(argv[i]));
		if (one == NULL || PyList_Append(list, one) != 0)
			Py_CLEAR(list);
		Py_XDECREF(one);
	}
	return list;
}

/* 0, or -1: it raised, which is printed. */
static int start(PyObject *fn, int argc, char **argv)
{
	PyObject *list, *r;

	if (fn == Py_None)
		return 0;
	list = list_of(argc, argv);
	r = list == NULL ? NULL : PyObject_CallFunctionObjArgs(fn, list, NULL);
	Py_XDECREF(list);
	if (r == NULL) {
		PyErr_Print();
		return -1;
	}
	Py_DECREF(r);
	return 0;
}

static void stop(PyObject *fn)
{
	PyObject *r;

	if (fn == Py_None)
		return;
	r = PyObject_CallFunctionObjArgs(fn, NULL);
	if (r == NULL)
		PyErr_Print();
	Py_XDECREF(r);
}

static int init(int argc, char **argv, void *data)
{
	PyGILState_STATE gil = PyGILState_Ensure();
	int r = start(((struct server *)data)->init, argc, argv);

	PyGILState_Release(gil);
	return r;
}

static void done(void *data)
{
	PyGILState_STATE gil = PyGILState_Ensure();

	stop(((struct server *)data)->done);
	PyGILState_Release(gil);
}

static __thread PyThreadState *kept;
static __thread PyGILState_STATE kept_gil;

static int thrinit(int argc, char **argv, void *data)
{
	int r;

	kept_gil = PyGILState_Ensure();
	r = start(((struct server *)data)->thrinit, argc, argv);
	kept = PyEval_SaveThread();
	return r;
}

static void thrdone(void *data)
{
	if (kept == NULL)
		return;
	PyEval_RestoreThread(kept);
	kept = NULL;
	stop(((struct server *)data)->thrdone);
	PyGILState_Release(kept_gil);
}

/* The texts lie behind the array: whoever reorders it leaves one block. */
static char **argv_of(PyObject *list)
{
	Py_ssize_t i, n = PyList_Size(list), size = 0;
	PyObject *one, *all = PyList_New(0);
	char **argv = NULL, *to;

	for (i = 0; all != NULL && i < n; i++) {
		one = PyUnicode_EncodeFSDefault(PyList_GetItem(list, i));
		if (one == NULL || PyList_Append(all, one) != 0)
			Py_CLEAR(all);
		else
			size += PyBytes_Size(one) + 1;
		Py_XDECREF(one);
	}
	if (all != NULL)
		argv = calloc(1, ((size_t)n + 1) * sizeof(*argv) +
					 (size_t)size);
	to = argv == NULL ? NULL : (char *)(argv + n + 1);
	for (i = 0; argv != NULL && i < n; i++) {
		argv[i] = strcpy(to, PyBytes_AsString(PyList_GetItem(all, i)));
		to += strlen(to) + 1;
	}
	Py_XDECREF(all);
	if (argv == NULL && !PyErr_Occurred())
		PyErr_NoMemory();
	return argv;
}

static int serving; /* guarded by the interpreter's lock */

/* run(argv, init, done, thrinit, thrdone, threads): the exit status */
static PyObject *run(PyObject *self, PyObject *args)
{
	struct tpserver server = { init, done, thrinit, thrdone, NULL, 0 };
	struct server s;
	PyObject *list;
	char **argv;
	int threads, n, r;

	(void)self;
	if (!PyArg_ParseTuple(args, "OOOOOp", &list, &s.init, &s.done,
			      &s.thrinit, &s.thrdone, &threads))
		return NULL;
	if (!PyList_Check(list))
		return PyErr_Format(PyExc_TypeError, "argv is a list");
	if (serving)
		return owpy_raise(TPEPROTO, "this process is a server already");
	argv = argv_of(list);
	if (argv == NULL)
		return NULL;
	server.data = &s;
	server.flags = threads ? TPSERVER_THREADS : 0;
	n = (int)PyList_Size(list);
	serving = 1;
	Py_BEGIN_ALLOW_THREADS
	r = tprunserver(n, argv, &server);
	Py_END_ALLOW_THREADS
	serving = 0;
	free(argv);
	if (r == -1)
		return owpy_fail(NULL);
	return PyLong_FromLong(r);
}

/* answer(request as bytes, service, result, exception): was it waited for? */
static PyObject *answer(PyObject *self, PyObject *args)
{
	const char *bytes, *service;
	PyObject *result, *e;
	struct owpy_answer a;
	char ctx[64] = "";
	Py_ssize_t len;
	int r;

	(void)self;
	if (!PyArg_ParseTuple(args, "y#sOO", &bytes, &len, &service, &result,
			      &e))
		return NULL;
	if (len > (Py_ssize_t)sizeof(ctx))
		return PyErr_Format(PyExc_ValueError, "no request");
	memcpy(ctx, bytes, (size_t)len);
	if (e != Py_None)
		PyErr_SetObject((PyObject *)Py_TYPE(e), e);
	owpy_answer_of(e != Py_None ? NULL : result, service, &a);
	Py_BEGIN_ALLOW_THREADS
	r = tpsrvsetctxdata(ctx, 0);
	if (r == 0)
		owpy_answer_send(&a);
	Py_END_ALLOW_THREADS
	if (r != 0)
		owpy_msg_end(&a.m);
	return PyBool_FromLong(r == 0);
}

static PyObject *stop_server(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	if (!serving) /* it would be the end of the process */
		return owpy_raise(TPEPROTO, "this process is not a server");
	Py_BEGIN_ALLOW_THREADS
	tpexit();
	Py_END_ALLOW_THREADS
	Py_RETURN_NONE;
}

PyMethodDef owpy_serve_methods[] = {
	{ "run", run, METH_VARARGS, NULL },
	{ "advertise", advertise, METH_VARARGS, NULL },
	{ "unadvertise", unadvertise, METH_VARARGS, NULL },
	{ "answer", answer, METH_VARARGS, NULL },
	{ "stop", stop_server, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

int owpy_add_serve(PyObject *module)
{
	return owpy_add_request(module);
}
