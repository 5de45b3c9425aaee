/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail.c - exceptions of the errors of the libraries
 */
#include "core.h"

#include <limits.h>

#define TEXT_SIZE 512

/* The request was not sent; but a one-way call of a durable service has perhaps
 * been stored, if it ended without tmqueue's answer. */
int owpy_is_unsent(long flags)
{
	return (flags & TPNOREPLY) == 0 ||
	       (tperrno != TPETIME && tperrno != TPESVCERR &&
		tperrno != TPESYSTEM && tperrno != TPESVCFAIL &&
		tperrno != TPGOTSIG);
}

/* A service can return any tperrno itself, so only tpurcode says it. */
int owpy_is_refused(void)
{
	return tperrno != TPESVCFAIL && tpurcode == LONG_MIN;
}

PyObject *owpy_fail(PyObject *data)
{
	return owpy_fail_request(data, 0);
}

PyObject *owpy_fail_with(int code, const char *text, long urcode,
			 PyObject *data, int unbegun)
{
	PyObject *e, *said = owpy_str(text, (Py_ssize_t)strlen(text));

	if (said == NULL)
		return NULL;
	e = PyObject_CallFunction(owpy_hooks.error, "iOlOi", code, said, urcode,
				  data == NULL ? Py_None : data, unbegun);
	Py_DECREF(said);
	if (e != NULL) {
		PyErr_SetObject((PyObject *)Py_TYPE(e), e);
		Py_DECREF(e);
	}
	return NULL;
}

PyObject *owpy_fail_request(PyObject *data, int unbegun)
{
	char text[TEXT_SIZE];
	long urcode = 0;
	int code = tplasterror(text, sizeof(text), &urcode);

	if (code != TPESVCFAIL && code != TPEEVENT)
		urcode = 0; /* that of an earlier reply */
	return owpy_fail_with(code, text, urcode, data, unbegun);
}

PyObject *owpy_raise(int code, const char *text)
{
	return owpy_fail_with(code, text, 0, NULL, 1);
}

PyObject *owpy_fail_ubf(const char *what)
{
	int code = Berror;
	const char *text = Bstrerror(code);
	PyObject *e, *said = what == NULL
				 ? PyUnicode_FromFormat("%s", text)
				 : PyUnicode_FromFormat("%s: %s", what, text);

	if (said == NULL)
		return NULL;
	e = PyObject_CallFunction(owpy_hooks.ubf_error, "iO", code, said);
	Py_DECREF(said);
	if (e != NULL) {
		PyErr_SetObject((PyObject *)Py_TYPE(e), e);
		Py_DECREF(e);
	}
	return NULL;
}

int owpy_checked(int result)
{
	if (result != -1)
		return 0;
	owpy_fail(NULL);
	return -1;
}
