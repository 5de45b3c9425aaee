/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c - requests and replies
 *
 * A call is tpacall() and tpgetrply(), not tpcall(): a signal ends the wait,
 * the handlers of Python run, and the wait goes on unless one of them raised.
 * Then the call is dropped, as when Ctrl-C is pressed.
 */
#include "core.h"

#include <limits.h>
#include <math.h>

int owpy_set_timeout(PyObject *seconds)
{
	double s;

	if (seconds == NULL || seconds == Py_None)
		return 0;
	s = PyFloat_AsDouble(seconds);
	if (s == -1 && PyErr_Occurred())
		return -1;
	if (!(s > 0) || s > 2e6) {
		PyErr_Format(PyExc_ValueError, "timeout=%R: give more than 0 "
			     "and at most 2,000,000 seconds", seconds);
		return -1;
	}
	return owpy_checked(tpsblktime((int)ceil(s * 1000),
				       TPBLK_NEXT | TPBLK_MILLISECOND));
}

void owpy_clear_timeout(PyObject *seconds)
{
	if (seconds != NULL && seconds != Py_None)
		tpsblktime(0, TPBLK_NEXT);
}

/* Milliseconds left until `end`, on the clock of time.monotonic(). */
static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/* A wait for one reply. */
struct wait {
	int cd;
	char *data;
	long len;
	double end_ms; /* 0: the time-out of the context */
	long flags;
};

void owpy_arm_until(double end_ms)
{
	double left;

	if (end_ms == 0)
		return;
	left = ceil(end_ms - now_ms());
	tpsblktime(left < 1 ? 1 : (int)left, TPBLK_NEXT | TPBLK_MILLISECOND);
}

/* Without the lock of the interpreter. 0 or -1 with tperrno. */
static int fetch(struct wait *w)
{
	owpy_arm_until(w->end_ms);
	return tpgetrply(&w->cd, &w->data, &w->len, w->flags);
}

/* After a signal: 1: go on waiting; 0: an exception is set. */
static int go_on(void)
{
	return !PyErr_Occurred() && tperrno == TPGOTSIG &&
	       PyErr_CheckSignals() == 0;
}

/* Wait until the reply is there: 0, or -1 with tperrno, or an exception. */
static int await(struct wait *w)
{
	int r;

	do {
		Py_BEGIN_ALLOW_THREADS
		r = fetch(w);
		Py_END_ALLOW_THREADS
	} while (r == -1 && go_on());
	return r;
}

/* The exception of a call that has failed, with the data of TPESVCFAIL. */
static PyObject *failed(struct wait *w, int raw)
{
	char text[512];
	long urcode;
	int code = tplasterror(text, sizeof(text), &urcode);
	PyObject *data = NULL;

	if (code != TPESVCFAIL) {
		owpy_fail_request(NULL, owpy_is_refused());
		tpfree(w->data);
		return NULL;
	}
	data = raw ? owpy_buffer_new(w->data, w->len)
		   : owpy_decode_or_keep(w->data, w->len);
	if (data == NULL)
		return NULL;
	owpy_fail_with(code, text, urcode, data, 0);
	Py_DECREF(data);
	return NULL;
}

/* The reply of a wait that has ended so. */
static PyObject *ended(struct wait *w, int r, int raw)
{
	if (r == 0)
		return raw ? owpy_buffer_new(w->data, w->len)
			   : owpy_decode_away(w->data, w->len, "the reply");
	if (!PyErr_Occurred() && tperrno != TPETIME)
		return failed(w, raw);
	if (!PyErr_Occurred())
		owpy_fail_request(NULL, owpy_is_refused());
	if (w->cd > 0 && (w->flags & TPGETANY) == 0)
		tpcancel(w->cd); /* no effect on one that has ended */
	tpfree(w->data);
	return NULL;
}

double owpy_end_of(PyObject *timeout)
{
	return timeout == NULL || timeout == Py_None
		   ? 0
		   : now_ms() + PyFloat_AsDouble(timeout) * 1000;
}

struct asked {
	const char *service;
	PyObject *data, *timeout;
	int transaction, raw, reply, block;
	long flags;
};

static int send(struct asked *a, struct owpy_msg *m)
{
	if (!a->transaction)
		a->flags |= TPNOTRAN;
	if (owpy_encode(a->data, m) != 0)
		return -1;
	if (owpy_set_timeout(a->timeout) == 0)
		return 0;
	owpy_msg_end(m);
	return -1;
}

static void sent(struct owpy_msg *m, struct wait *w)
{
	if (m->owner == NULL) { /* its memory is that of the reply */
		w->data = m->data;
		m->data = NULL;
	}
}

/* A signal came while the request waited for room. It goes on waiting, and is
 * not a new one each time, with all of the time-out of the context. */
static double rest_of(const struct asked *a, double end_ms, double began_ms)
{
	int ms = tpgblktime(TPBLK_MILLISECOND);

	if (end_ms != 0 || ms <= 0 || (a->flags & TPNOTIME))
		return end_ms;
	return began_ms + ms;
}

/*
 * Send, and wait for the first time: 0, or -1 with tperrno, or an exception.
 * In the main thread, whose signals have handlers in Python, one that came
 * while the request was sent is seen before the wait: there it would end
 * nothing.
 */
static int begin(const struct asked *a, struct owpy_msg *m, struct wait *w)
{
	int r, main = PyThread_get_thread_ident() == owpy_main_thread;
	double began = 0, end = w->end_ms;

	for (;;) {
		Py_BEGIN_ALLOW_THREADS
		r = w->cd = tpacall((char *)a->service, m->data, m->len,
				    a->flags);
		if (r != -1)
			sent(m, w);
		if (r != -1 && !main)
			r = fetch(w);
		Py_END_ALLOW_THREADS
		if (w->cd != -1 || !go_on())
			break;
		if (began == 0)
			end = rest_of(a, end, began = now_ms());
		owpy_arm_until(end);
	}
	if (r == -1 || !main)
		return r;
	return PyErr_CheckSignals() == 0 ? await(w) : -1;
}

/* call(service, data=None, *, timeout=None, transaction=True, raw=False) */
static PyObject *call(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = { "service", "data", "timeout", "transaction",
				 "raw", "flags", NULL };
	struct asked a = { .transaction = 1 };
	struct wait w = { 0 };
	struct owpy_msg m;
	int r;

	(void)self;
	if (!PyArg_ParseTupleAndKeywords(args, kw, "s|O$Oppl", names,
					 &a.service, &a.data, &a.timeout,
					 &a.transaction, &a.raw, &a.flags) ||
	    send(&a, &m) != 0)
		return NULL;
	w.end_ms = owpy_end_of(a.timeout);
	w.flags = a.flags;
	r = begin(&a, &m, &w);
	if (w.cd == -1) {
		if (!PyErr_Occurred())
			owpy_fail_request(NULL, owpy_is_unsent(a.flags));
		owpy_clear_timeout(a.timeout);
		owpy_msg_end(&m);
		return NULL;
	}
	if (r == -1 && go_on())
		r = await(&w);
	owpy_msg_end(&m);
	return ended(&w, r, a.raw);
}

/* acall(service, data=None, *, timeout, transaction, reply, block): its cd */
static PyObject *acall(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = { "service", "data", "timeout", "transaction",
				 "reply", "block", "flags", NULL };
	struct asked a = { .transaction = 1, .reply = 1, .block = 1 };
	struct owpy_msg m;
	double began = 0, end;
	int cd;

	(void)self;
	if (!PyArg_ParseTupleAndKeywords(args, kw, "s|O$Opppl", names,
					 &a.service, &a.data, &a.timeout,
					 &a.transaction, &a.reply, &a.block,
					 &a.flags))
		return NULL;
	if (!a.reply)
		a.flags |= TPNOREPLY;
	if (!a.block)
		a.flags |= TPNOBLOCK;
	if (send(&a, &m) != 0)
		return NULL;
	end = owpy_end_of(a.timeout);
	for (;;) {
		Py_BEGIN_ALLOW_THREADS
		cd = tpacall((char *)a.service, m.data, m.len, a.flags);
		Py_END_ALLOW_THREADS
		if (cd != -1 || !go_on())
			break;
		if (began == 0)
			end = rest_of(&a, end, began = now_ms());
		owpy_arm_until(end);
	}
	if (cd == -1 && !PyErr_Occurred())
		owpy_fail_request(NULL, owpy_is_unsent(a.flags));
	if (cd == -1)
		owpy_clear_timeout(a.timeout);
	owpy_msg_end(&m);
	return cd == -1 ? NULL : PyLong_FromLong(cd);
}

/* getrply(cd, *, timeout=None, raw=False, block=True) */
static PyObject *getrply(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = { "cd", "timeout", "raw", "block", NULL };
	PyObject *timeout = Py_None;
	struct wait w = { 0 };
	int raw = 0, block = 1, r;

	(void)self;
	if (!PyArg_ParseTupleAndKeywords(args, kw, "i|$Opp", names, &w.cd,
					 &timeout, &raw, &block) ||
	    owpy_set_timeout(timeout) != 0)
		return NULL;
	w.end_ms = owpy_end_of(timeout);
	w.flags = block ? 0 : TPNOBLOCK;
	r = await(&w);
	if (r == -1 && tperrno == TPETIME && !PyErr_Occurred()) {
		owpy_fail_request(NULL, owpy_is_refused()); /* the call may be waited for again */
		tpfree(w.data);
		return NULL;
	}
	return ended(&w, r, raw);
}

/* An exception as an object, in place of one that is set. */
static PyObject *caught(void)
{
	PyObject *type, *e, *trace;

	PyErr_Fetch(&type, &e, &trace);
	PyErr_NormalizeException(&type, &e, &trace);
	Py_XDECREF(type);
	Py_XDECREF(trace);
	return e;
}

/* getany(raw=False, block=True, timeout=None): (cd, reply or None, exception or
 * None); None: no reply is there. */
static PyObject *getany(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = { "raw", "block", "timeout", NULL };
	PyObject *made, *error = NULL, *timeout = Py_None;
	struct wait w = { .flags = TPGETANY };
	int raw = 0, block = 1, r;

	(void)self;
	if (!PyArg_ParseTupleAndKeywords(args, kw, "|$ppO", names, &raw,
					 &block, &timeout) ||
	    owpy_set_timeout(timeout) != 0)
		return NULL;
	w.end_ms = owpy_end_of(timeout);
	if (!block) { /* nothing waits: keep the lock */
		w.flags |= TPNOBLOCK;
		r = tpgetrply(&w.cd, &w.data, &w.len, w.flags);
	} else {
		r = await(&w);
	}
	if (r == -1 && !block && tperrno == TPEBLOCK && w.cd <= 0)
		Py_RETURN_NONE; /* a service can return it, too */
	made = ended(&w, r, raw);
	if (made == NULL && w.cd <= 0)
		return NULL;
	if (made == NULL && (error = caught()) == NULL)
		return NULL;
	return Py_BuildValue("(iNN)", w.cd,
			     made != NULL ? made : (Py_INCREF(Py_None), Py_None),
			     error != NULL ? error
					   : (Py_INCREF(Py_None), Py_None));
}

static PyObject *cancel(PyObject *self, PyObject *args)
{
	int cd;

	(void)self;
	if (!PyArg_ParseTuple(args, "i", &cd))
		return NULL;
	if (owpy_checked(tpcancel(cd)) != 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *reply_fd(PyObject *self, PyObject *unused)
{
	int fd = tpreplyfd();

	(void)self;
	(void)unused;
	return fd == -1 ? owpy_fail(NULL) : PyLong_FromLong(fd);
}

/* reply_timeout(): milliseconds until the program is to look at the latest */
static PyObject *reply_timeout(PyObject *self, PyObject *unused)
{
	int ms = tpreplytimeout();

	(void)self;
	(void)unused;
	return ms == -1 ? owpy_fail(NULL) : PyLong_FromLong(ms);
}

/* reply_wait(seconds): is something there? At most a second. */
static PyObject *reply_wait(PyObject *self, PyObject *args)
{
	double seconds;
	long usec;
	int r;

	(void)self;
	if (!PyArg_ParseTuple(args, "d", &seconds))
		return NULL;
	usec = seconds < 0 ? 0 : seconds > 1 ? 1000000 : (long)(seconds * 1e6);
	Py_BEGIN_ALLOW_THREADS
	r = tpreplywait(usec);
	Py_END_ALLOW_THREADS
	if (r == -1 && tperrno == TPGOTSIG)
		r = PyErr_CheckSignals() == 0 ? 0 : -1;
	if (r == -1)
		return PyErr_Occurred() ? NULL : owpy_fail(NULL);
	return PyBool_FromLong(r);
}

static PyObject *urcode(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return PyLong_FromLong(tpurcode);
}

/* priority(value=None, absolute=False): set that of the next request; that of
 * the last one */
static PyObject *priority(PyObject *self, PyObject *args)
{
	PyObject *value = Py_None;
	int absolute = 0;
	long wanted;

	(void)self;
	if (!PyArg_ParseTuple(args, "|Op", &value, &absolute))
		return NULL;
	if (value == Py_None)
		return PyLong_FromLong(tpgprio());
	wanted = PyLong_AsLong(value);
	if (PyErr_Occurred())
		return NULL;
	if (wanted > INT_MAX || wanted < INT_MIN)
		return PyErr_Format(PyExc_OverflowError, "priority %ld", wanted);
	if (owpy_checked(tpsprio((int)wanted, absolute ? TPABSOLUTE : 0)) != 0)
		return NULL;
	Py_RETURN_NONE;
}

#define KEYWORDS METH_VARARGS | METH_KEYWORDS
#define WITH_KEYWORDS(fn) (PyCFunction)(void (*)(void))(fn)

PyMethodDef owpy_call_methods[] = {
	{ "call", WITH_KEYWORDS(call), KEYWORDS,
	  "call(service, data=None, *, timeout=None, transaction=True, "
	  "raw=False)\n\nCall a service and wait for its reply." },
	{ "acall", WITH_KEYWORDS(acall), KEYWORDS, NULL },
	{ "getrply", WITH_KEYWORDS(getrply), KEYWORDS, NULL },
	{ "getany", WITH_KEYWORDS(getany), KEYWORDS, NULL },
	{ "cancel", cancel, METH_VARARGS, NULL },
	{ "reply_fd", reply_fd, METH_NOARGS, NULL },
	{ "reply_timeout", reply_timeout, METH_NOARGS, NULL },
	{ "reply_wait", reply_wait, METH_VARARGS, NULL },
	{ "urcode", urcode, METH_NOARGS,
	  "The code that the service of the last reply returned." },
	{ "priority", priority, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};
