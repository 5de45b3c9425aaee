/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.c - the class Request: what a service function gets
 *
 * Its data become a value of Python when they are first asked for, while the
 * service runs.
 */
#include "request.h"

#include <unistd.h>

struct request {
	PyObject_HEAD
	TPSVCINFO *svc; /* NULL: the service has ended */
	PyObject *data; /* NULL: not asked for yet */
	int readers;	/* threads that make `data` now */
	TPSVCINFO copy;
	/* of the buffer; when the service has ended only if later() was called */
	char type[XATMI_TYPE_LEN + 1], subtype[XATMI_SUBTYPE_LEN + 1];
	int typed;
};

static PyTypeObject *request_type;

static struct request *of(PyObject *self)
{
	return (struct request *)self;
}

PyObject *owpy_request_new(TPSVCINFO *svc)
{
	PyObject *self = PyType_GenericAlloc(request_type, 0);

	if (self == NULL)
		return NULL;
	of(self)->svc = svc;
	of(self)->copy = *svc;
	return self;
}

void owpy_request_end(PyObject *self)
{
	of(self)->svc = NULL;
	while (of(self)->readers > 0) { /* a view inside has run Python */
		Py_BEGIN_ALLOW_THREADS
		usleep(100);
		Py_END_ALLOW_THREADS
	}
}

static void dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	Py_XDECREF(of(self)->data);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static int running(PyObject *self)
{
	if (of(self)->svc != NULL)
		return 0;
	PyErr_SetString(PyExc_RuntimeError, "the service has ended: ask for "
			"request.data while it runs; a coroutine has the data, "
			"not the buffer");
	return -1;
}

static PyObject *get_data(PyObject *self, void *unused)
{
	struct request *r = of(self);
	PyObject *made;

	(void)unused;
	if (r->data == NULL) {
		if (running(self) != 0)
			return NULL;
		r->readers++;
		made = owpy_decode(r->svc->data, r->svc->len);
		r->readers--;
		if (made == NULL)
			return NULL;
		if (r->data == NULL)
			r->data = made;
		else /* another thread was quicker */
			Py_DECREF(made);
	}
	Py_INCREF(r->data);
	return r->data;
}

static int find_type(PyObject *self)
{
	struct request *r = of(self);

	if (r->typed)
		return 0;
	if (running(self) != 0)
		return -1;
	if (r->svc->data != NULL &&
	    tptypes(r->svc->data, r->type, r->subtype) == -1) {
		owpy_fail(NULL);
		return -1;
	}
	r->typed = 1;
	return 0;
}

static PyObject *get_type(PyObject *self, void *subtype)
{
	if (find_type(self) != 0)
		return NULL;
	return PyUnicode_FromString(subtype != NULL ? of(self)->subtype
						    : of(self)->type);
}

static PyObject *get_number(PyObject *self, void *which)
{
	const TPSVCINFO *s = &of(self)->copy;

	switch (*(const char *)which) {
	case 'f':
		return PyLong_FromLong(s->flags);
	case 'c':
		return PyLong_FromLong(s->cd);
	case 'l':
		return PyLong_FromLong(s->len);
	default:
		return PyLong_FromLong(s->appkey);
	}
}

static PyObject *get_name(PyObject *self, void *function)
{
	return PyUnicode_FromString(function != NULL ? of(self)->copy.fname
						     : of(self)->copy.name);
}

static PyObject *get_client(PyObject *self, void *unused)
{
	(void)unused;
	return PyBytes_FromStringAndSize((char *)&of(self)->copy.cltid,
					 sizeof(CLIENTID));
}

/* The header of the message goes with the copy. */
static int copy_header(const char *from, char *to)
{
	UBFH *info = NULL;
	int r = tpgetcallinfo(from, &info, TPCI_NOEOFERR);

	if (r == 1)
		r = tpsetcallinfo(to, info, 0);
	tpfree((char *)info);
	return r;
}

/* buffer(): a copy of the typed buffer, without a look into it */
static PyObject *copy_buffer(PyObject *self, PyObject *unused)
{
	char type[XATMI_TYPE_LEN + 1] = "", sub[XATMI_SUBTYPE_LEN + 1] = "";
	TPSVCINFO *s;
	char *to;
	long size;

	(void)unused;
	if (running(self) != 0)
		return NULL;
	s = of(self)->svc;
	if (s->data == NULL)
		Py_RETURN_NONE;
	size = tptypes(s->data, type, sub);
	to = size == -1 ? NULL : tpalloc(type, sub, size);
	if (to == NULL)
		return owpy_fail(NULL);
	if (!owpy_is_ubf(type)) {
		memcpy(to, s->data, (size_t)size);
	} else if (Bcpy((UBFH *)to, (UBFH *)s->data) != 0) {
		owpy_fail_ubf(NULL);
		tpfree(to);
		return NULL;
	}
	if (copy_header(s->data, to) == -1) {
		owpy_fail(NULL);
		tpfree(to);
		return NULL;
	}
	return owpy_buffer_new(to, s->len);
}

/* later(): the request as bytes, for answer(); the service returns LATER */
static PyObject *later(PyObject *self, PyObject *unused)
{
	PyObject *data = get_data(self, NULL);
	char bytes[64];
	long len = sizeof(bytes);

	(void)unused;
	if (data == NULL || running(self) != 0 || find_type(self) != 0) {
		Py_XDECREF(data);
		return NULL;
	}
	Py_DECREF(data);
	if (tpsrvgetctxdata2(bytes, &len) == NULL)
		return owpy_fail(NULL);
	return PyBytes_FromStringAndSize(bytes, len);
}

static PyMethodDef methods[] = {
	{ "buffer", copy_buffer, METH_NOARGS,
	  "A copy of the typed buffer, as a Buffer." },
	{ "later", later, METH_NOARGS,
	  "The request as bytes, for answer(); the service returns LATER." },
	{ NULL, NULL, 0, NULL },
};

static PyGetSetDef members[] = {
	{ "data", get_data, NULL, "What the caller sent.", NULL },
	{ "type", get_type, NULL, "The type of its buffer; '': no data.",
	  NULL },
	{ "subtype", get_type, NULL, "The name of its view.", "" },
	{ "service", get_name, NULL, "The name that was called.", NULL },
	{ "function", get_name, NULL, "The name of the function.", "" },
	{ "client", get_client, NULL, "The caller, for notify().", NULL },
	{ "flags", get_number, NULL, "TPCONV, TPNOREPLY, ...", "f" },
	{ "cd", get_number, NULL, "The descriptor of the conversation.", "c" },
	{ "length", get_number, NULL, "Bytes of the data.", "l" },
	{ "appkey", get_number, NULL, "The key of the caller's login.", "a" },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_dealloc, dealloc },
	{ Py_tp_methods, methods },
	{ Py_tp_getset, members },
	{ Py_tp_doc, "What a service function gets." },
	{ 0, NULL },
};

static PyType_Spec spec = {
	.name = "onewake._core.Request",
	.basicsize = sizeof(struct request),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = slots,
};

int owpy_add_request(PyObject *module)
{
	PyObject *type = PyType_FromSpec(&spec);

	if (type == NULL)
		return -1;
	request_type = (PyTypeObject *)type;
	Py_INCREF(type);
	return PyModule_AddObject(module, "Request", type);
}
