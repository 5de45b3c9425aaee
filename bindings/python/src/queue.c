/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c - durable queues
 *
 * The control block is keyword arguments in one direction, and a dict in the
 * other.
 */
#include "core.h"

struct texts {
	const char *msgid, *corrid, *replyqueue, *failurequeue;
	Py_ssize_t msgid_len, corrid_len;
};

/* Nothing is cut off: it would be the id or the name of something else. */
static int too_long(const char *what, size_t most)
{
	PyErr_Format(PyExc_ValueError, "%s: at most %d bytes", what, (int)most);
	return -1;
}

static int set_id(char *to, size_t size, const char *from, Py_ssize_t len,
		  const char *what)
{
	if (from == NULL)
		return 0;
	if (len > (Py_ssize_t)size)
		return too_long(what, size);
	memcpy(to, from, (size_t)len);
	return 0;
}

static int set_name(char *to, size_t size, const char *from, const char *what)
{
	if (from == NULL)
		return 0;
	if (strlen(from) >= size)
		return too_long(what, size - 1);
	strcpy(to, from);
	return 0;
}

static int set_ctl(TPQCTL *ctl, const struct texts *t)
{
	if (set_id(ctl->msgid, sizeof(ctl->msgid), t->msgid, t->msgid_len,
		   "the id of a message") != 0 ||
	    set_id(ctl->corrid, sizeof(ctl->corrid), t->corrid, t->corrid_len,
		   "correlation") != 0)
		return -1;
	if (set_name(ctl->replyqueue, TMQNAMELEN + 1, t->replyqueue,
		     "reply queue") != 0)
		return -1;
	return set_name(ctl->failurequeue, TMQNAMELEN + 1, t->failurequeue,
			"failure queue");
}

/* A name or text of the control block, which a program in C gave. */
static PyObject *text_of(const char *text)
{
	return owpy_str(text, (Py_ssize_t)strlen(text));
}

/* The control block as a dict. */
static PyObject *said(const TPQCTL *ctl)
{
	return Py_BuildValue(
	    "{s:l,s:l,s:l,s:l,s:N,s:y#,s:y#,s:N,s:N,s:l,s:l,s:l,s:l,s:l,"
	    "s:y#}",
	    "flags", ctl->flags, "deq_time", ctl->deq_time, "priority",
	    ctl->priority, "diagnostic", ctl->diagnostic, "diagmsg",
	    text_of(ctl->diagmsg), "msgid", ctl->msgid,
	    (Py_ssize_t)TMMSGIDLEN, "corrid", ctl->corrid,
	    (Py_ssize_t)TMCORRIDLEN, "replyqueue", text_of(ctl->replyqueue),
	    "failurequeue", text_of(ctl->failurequeue), "urcode",
	    ctl->urcode, "appkey", ctl->appkey, "delivery_qos",
	    ctl->delivery_qos, "reply_qos", ctl->reply_qos, "exp_time",
	    ctl->exp_time, "cltid", (const char *)&ctl->cltid,
	    (Py_ssize_t)sizeof(ctl->cltid));
}

static PyObject *failed(const TPQCTL *ctl)
{
	char text[512];
	long urcode;
	int code = tplasterror(text, sizeof(text), &urcode);
	PyObject *data;

	/* TPETIME with a diagnostic is what tmqueue says; without, nobody knows. */
	if (code != TPEDIAGNOSTIC &&
	    (code != TPETIME || ctl->diagnostic == 0))
		return owpy_fail_request(NULL, owpy_is_refused());
	data = said(ctl);
	if (data != NULL)
		owpy_fail_with(code, text, urcode, data, 0);
	Py_XDECREF(data);
	return NULL;
}

/* enqueue(space, queue, data, *, ...): the control block */
static PyObject *enqueue(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = {
		"space", "queue", "data", "timeout", "call_flags", "flags",
		"deq_time", "priority", "exp_time", "urcode", "corrid",
		"replyqueue", "failurequeue", "msgid", "appkey",
		"delivery_qos", "reply_qos", NULL,
	};
	const char *space, *queue;
	PyObject *data = Py_None, *timeout = Py_None;
	struct texts t = { 0 };
	TPQCTL ctl = { 0 };
	struct owpy_msg m;
	long flags = 0;
	int r;

	(void)self;
	if (!PyArg_ParseTupleAndKeywords(
		args, kw, "ss|O$Olllllly#zzy#lll", names, &space, &queue,
		&data, &timeout, &flags, &ctl.flags, &ctl.deq_time,
		&ctl.priority, &ctl.exp_time, &ctl.urcode, &t.corrid,
		&t.corrid_len, &t.replyqueue, &t.failurequeue, &t.msgid,
		&t.msgid_len, &ctl.appkey, &ctl.delivery_qos,
		&ctl.reply_qos) ||
	    set_ctl(&ctl, &t) != 0 || owpy_encode(data, &m) != 0)
		return NULL;
	r = owpy_set_timeout(timeout);
	if (r == 0) {
		Py_BEGIN_ALLOW_THREADS
		r = tpenqueue((char *)space, (char *)queue, &ctl, m.data,
			      m.len, flags | TPSIGRSTRT);
		Py_END_ALLOW_THREADS
		if (r != 0) {
			failed(&ctl);
			owpy_clear_timeout(timeout);
		}
	}
	owpy_msg_end(&m);
	return r != 0 ? NULL : said(&ctl);
}

/* One tpdequeue(), again after a signal that raised nothing. */
static int take(const char *space, const char *queue, TPQCTL *ctl,
		PyObject *timeout, long flags, struct owpy_msg *m)
{
	TPQCTL asked = *ctl;
	double end;
	int r;

	if (owpy_set_timeout(timeout) != 0)
		return -1;
	end = owpy_end_of(timeout);
	do {
		*ctl = asked;
		owpy_arm_until(end);
		Py_BEGIN_ALLOW_THREADS
		r = tpdequeue((char *)space, (char *)queue, ctl, &m->data,
			      &m->len, flags);
		Py_END_ALLOW_THREADS
	} while (r != 0 && tperrno == TPGOTSIG && PyErr_CheckSignals() == 0);
	if (r != 0 && !PyErr_Occurred()) {
		failed(ctl);
		owpy_clear_timeout(timeout);
	}
	return r;
}

/* dequeue(space, queue, *, ...): (data, control block) */
static PyObject *dequeue(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = { "space", "queue", "timeout", "call_flags",
				 "flags", "msgid", "corrid", "raw", NULL };
	const char *space, *queue;
	PyObject *timeout = Py_None, *made;
	struct owpy_msg m = { 0 };
	struct texts t = { 0 };
	TPQCTL ctl = { 0 };
	long flags = 0;
	int raw = 0;

	(void)self;
	if (!PyArg_ParseTupleAndKeywords(
		args, kw, "ss|$Olly#y#p", names, &space, &queue, &timeout,
		&flags, &ctl.flags, &t.msgid, &t.msgid_len, &t.corrid,
		&t.corrid_len, &raw) ||
	    set_ctl(&ctl, &t) != 0)
		return NULL;
	if (take(space, queue, &ctl, timeout, flags, &m) != 0) {
		tpfree(m.data);
		return NULL;
	}
	made = raw ? owpy_buffer_new(m.data, m.len)
		   : owpy_decode_away(m.data, m.len, "the message");
	return made == NULL ? NULL : Py_BuildValue("(NN)", made, said(&ctl));
}

#define KEYWORDS METH_VARARGS | METH_KEYWORDS

PyMethodDef owpy_queue_methods[] = {
	{ "enqueue", (PyCFunction)(void (*)(void))enqueue, KEYWORDS, NULL },
	{ "dequeue", (PyCFunction)(void (*)(void))dequeue, KEYWORDS, NULL },
	{ NULL, NULL, 0, NULL },
};
