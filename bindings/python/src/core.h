/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.h - what the sources of the Python module onewake._core share
 *
 * A call crosses from Python to C once: call.c takes a Python value, encode.c
 * makes a typed buffer of it, decode.c makes a value of the reply. The lock of
 * the interpreter is held for these two, and given away while the call waits.
 * Functions that return a PyObject * return NULL with a Python exception set.
 * Those that return int return 0, or -1 with an exception set.
 */
#ifndef OWPY_CORE_H
#define OWPY_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <atmi.h>
#include <tpbind.h>
#include <ubf.h>

#include "abi.h"

/* A type that tptypes() says: UBF, FML32 in strict-tuxedo. */
static inline int owpy_is_ubf(const char *type)
{
	return strncmp(type, "UBF", 3) == 0 || strncmp(type, "FML", 3) == 0;
}

/* Python objects that the sources use: classes and functions of the package,
 * handed over by _core._setup(). They live as long as the process. */
struct owpy_hooks {
	PyObject *error;     /* error(code, text, urcode, data): an exception */
	PyObject *ubf_error; /* ubf_error(code, text): an exception */
	PyObject *other;     /* other(value): ("JSON", str), ("VIEW", name, dict)
				of a value that C does not know */
	PyObject *view;	     /* view(name, dict): what a program gets */
	PyObject *json;	     /* json(text): what a program gets */
	PyObject *failed;    /* failed(service name): the exception of a service
				that is set now is logged */
	PyObject *reply;     /* the class Reply */
	PyObject *forward;   /* the class Forward */
	PyObject *fail;	     /* the exception Fail */
	PyObject *later;     /* the object that means: answered later */
};
extern struct owpy_hooks owpy_hooks;
/* The thread in which handlers of signals run. */
extern unsigned long owpy_main_thread;

/* ---- fail.c: exceptions ---- */

/* The exception of tperrno; `data`, which may be NULL, is the reply of
 * TPESVCFAIL, and stays the caller's. Always NULL. */
PyObject *owpy_fail(PyObject *data);
/* The same of a request; `unbegun`: no server has begun it, for sure. */
PyObject *owpy_fail_request(PyObject *data, int unbegun);
/* The exception of an error of this code and text, which need not be UTF-8.
 * Always NULL. */
PyObject *owpy_fail_with(int code, const char *text, long urcode,
			 PyObject *data, int unbegun);
/* One of our own, of something that was not done. Always NULL. */
PyObject *owpy_raise(int code, const char *text);
/* Of tpacall() with these flags, which has failed: is it sure that the work was
 * not begun? */
int owpy_is_unsent(long flags);
/* The same of tpgetrply(), tpconnect(), tpenqueue() and tpdequeue(). */
int owpy_is_refused(void);
/* The exception of Berror. `what` may be NULL. Always NULL. */
PyObject *owpy_fail_ubf(const char *what);
/* 0 or -1: result of a function that sets tperrno. */
int owpy_checked(int result);

/* ---- names.c: fields ---- */

/* The field that `key` (name or id) means; 0 with an exception. */
BFLDID owpy_field_id(PyObject *key);
/* A name, or the number of a field without one; a borrowed reference. */
PyObject *owpy_field_name(BFLDID id);

/* ---- encode.c: buffers of Python values ---- */

/* A message: memory of tpalloc() and its length. */
struct owpy_msg {
	char *data;
	long len;
	PyObject *owner; /* the Buffer whose memory it is; NULL: it is ours */
};
/* `given` may be NULL, as None. On success end with owpy_msg_end(). */
int owpy_encode(PyObject *given, struct owpy_msg *m);
void owpy_msg_end(struct owpy_msg *m);
/* The same for tpreturn() and its like, which free the buffer: a Buffer is
 * empty afterwards. */
int owpy_encode_away(PyObject *given, struct owpy_msg *m);
/* A dict into *data, a UBF buffer or NULL, which it replaces. */
int owpy_encode_ubf(PyObject *dict, char **data);
/* A value with a NUL behind it; the reference that keeps it alive is new. */
const char *owpy_text(PyObject *str, Py_ssize_t *len, PyObject **keep);

/* ---- decode.c: Python values of buffers ---- */

PyObject *owpy_decode(char *data, long len);
/* The same, and `data` is freed. What cannot be read has come all the same: the
 * exception is TPEOTYPE, and has it as a Buffer. `what`: "the reply". */
PyObject *owpy_decode_away(char *data, long len, const char *what);
/* The same: what cannot be read becomes a Buffer. */
PyObject *owpy_decode_or_keep(char *data, long len);
PyObject *owpy_decode_ubf(UBFH *ub);
/* Text that is UTF-8, and what is not so that it comes back as it was. */
PyObject *owpy_str(const char *text, Py_ssize_t len);

/* ---- buffer.c: the class Buffer ---- */

extern PyTypeObject *owpy_buffer_type;
/* Takes the memory. On failure it is freed. */
PyObject *owpy_buffer_new(char *data, long len);
/* The memory of a Buffer, for the time of a call; then end it. */
int owpy_buffer_begin(PyObject *self, struct owpy_msg *m);
void owpy_buffer_end(PyObject *self);
/* Takes the memory out of it. */
int owpy_buffer_take(PyObject *self, struct owpy_msg *m);

/* ---- constants.c ---- */

PyObject *owpy_constants(PyObject *self, PyObject *unused);

/* ---- times ---- */

/* The time-out of the next call: None or seconds. 0 or -1. */
int owpy_set_timeout(PyObject *seconds);
/* When it will be over, in ms of CLOCK_MONOTONIC; 0: None. */
double owpy_end_of(PyObject *seconds);
/* The same time-out again, after a signal: what is left of it. 0: nothing. */
void owpy_arm_until(double end_ms);
/* After a call that has failed perhaps before it looked at it. */
void owpy_clear_timeout(PyObject *seconds);

/* ---- a part of the module ---- */

int owpy_add_buffer(PyObject *module);
int owpy_add_serve(PyObject *module);
extern PyMethodDef owpy_call_methods[], owpy_conv_methods[],
    owpy_queue_methods[], owpy_tran_methods[], owpy_events_methods[],
    owpy_serve_methods[], owpy_tool_methods[], owpy_text_methods[],
    owpy_context_methods[], owpy_poll_methods[];

#endif
