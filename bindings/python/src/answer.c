/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.c - how a service ends
 *
 *	a value			TPSUCCESS with it
 *	Reply(value, urcode)	the same with a code
 *	raise Fail(value, ...)	TPFAIL: the caller gets TPESVCFAIL
 *	Forward(service, value)	another service replies
 *	LATER			somebody replies later
 *	another exception	a line in the log; the caller gets TPESVCERR
 */
#include "answer.h"

static long number_of(PyObject *obj, const char *name)
{
	PyObject *value = PyObject_GetAttrString(obj, name);
	long l = value == NULL ? -1 : PyLong_AsLong(value);

	Py_XDECREF(value);
	return l;
}

static int encode_member(PyObject *obj, struct owpy_answer *a)
{
	PyObject *data = PyObject_GetAttrString(obj, "data");
	int r = data == NULL ? -1 : owpy_encode_away(data, &a->m);

	Py_XDECREF(data);
	return r;
}

/* A Reply or a Fail. */
static int of_reply(PyObject *obj, int rval, struct owpy_answer *a)
{
	a->rval = rval;
	a->urcode = number_of(obj, "urcode");
	if (PyErr_Occurred())
		return -1;
	if (number_of(obj, "exit") != 0)
		a->rval = TPEXIT;
	return PyErr_Occurred() ? -1 : encode_member(obj, a);
}

static int of_forward(PyObject *obj, struct owpy_answer *a)
{
	PyObject *service = PyObject_GetAttrString(obj, "service");
	const char *name = service == NULL
			       ? NULL
			       : PyUnicode_AsUTF8AndSize(service, NULL);
	int r = -1;

	a->how = OWPY_FORWARD;
	if (name != NULL && strlen(name) >= sizeof(a->service))
		PyErr_Format(PyExc_ValueError, "Forward to %s: the name is too "
			     "long", name);
	else if (name != NULL)
		r = encode_member(obj, a);
	if (r == 0)
		strcpy(a->service, name);
	Py_XDECREF(service);
	return r;
}

static int is_a(PyObject *obj, PyObject *type)
{
	return PyType_IsSubtype(Py_TYPE(obj), (PyTypeObject *)type);
}

static int of_result(PyObject *result, struct owpy_answer *a)
{
	if (result == owpy_hooks.later) {
		a->how = OWPY_LATER;
		return 0;
	}
	if (is_a(result, owpy_hooks.reply))
		return of_reply(result, TPSUCCESS, a);
	if (is_a(result, owpy_hooks.forward))
		return of_forward(result, a);
	return owpy_encode_away(result, &a->m);
}

static int of_exception(struct owpy_answer *a)
{
	PyObject *type, *e, *trace;
	int r;

	if (!PyErr_ExceptionMatches(owpy_hooks.fail))
		return -1;
	PyErr_Fetch(&type, &e, &trace);
	PyErr_NormalizeException(&type, &e, &trace);
	r = of_reply(e, TPFAIL, a);
	Py_XDECREF(type);
	Py_XDECREF(e);
	Py_XDECREF(trace);
	return r;
}

/* The exception that is set goes to the log. */
static void log_exception(const char *service)
{
	PyObject *type, *e, *trace, *r;

	PyErr_Fetch(&type, &e, &trace);
	PyErr_NormalizeException(&type, &e, &trace);
	if (trace != NULL)
		PyException_SetTraceback(e, trace);
	r = PyObject_CallFunction(owpy_hooks.failed, "sO", service, e);
	if (r == NULL)
		PyErr_WriteUnraisable(owpy_hooks.failed);
	Py_XDECREF(r);
	Py_XDECREF(type);
	Py_XDECREF(e);
	Py_XDECREF(trace);
}

void owpy_answer_of(PyObject *result, const char *service,
		    struct owpy_answer *ret_answer)
{
	struct owpy_answer a = { .how = OWPY_RETURN, .rval = TPSUCCESS };
	int r = result != NULL ? of_result(result, &a) : of_exception(&a);

	if (r != 0) {
		log_exception(service);
		a = (struct owpy_answer){ .how = OWPY_RETURN, .rval = TPFAIL,
					  .urcode = TPESVCERR,
					  .flags = TPSOFTERR };
	}
	*ret_answer = a;
}

void owpy_answer_send(struct owpy_answer *a)
{
	switch (a->how) {
	case OWPY_FORWARD:
		tpforward(a->service, a->m.data, a->m.len, 0);
		break;
	case OWPY_LATER:
		tpcontinue();
		break;
	default:
		tpreturn(a->rval, a->urcode, a->m.data, a->m.len, a->flags);
		break;
	}
}
