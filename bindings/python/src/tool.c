/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool.c - session, logs, fields, and what else takes no message
 */
#include "core.h"

#include <limits.h>
#include <ndebug.h>

static int copy(char *to, size_t size, const char *from, const char *what)
{
	if (from == NULL)
		return 0;
	if (strlen(from) >= size) {
		PyErr_Format(PyExc_ValueError, "%s: at most %d characters",
			     what, (int)size - 1);
		return -1;
	}
	strcpy(to, from);
	return 0;
}

/* init(user, client, password, group, data, flags) */
static PyObject *init(PyObject *self, PyObject *args)
{
	const char *user = NULL, *client = NULL, *password = NULL,
		   *group = NULL;
	long flags = 0;
	TPINIT *info;
	int r;

	(void)self;
	if (!PyArg_ParseTuple(args, "|zzzzl", &user, &client, &password,
			      &group, &flags))
		return NULL;
	info = (TPINIT *)tpalloc("TPINIT", NULL, TPINITNEED(0));
	if (info == NULL)
		return owpy_fail(NULL);
	info->flags = flags;
	if (copy(info->usrname, MAXTIDENT + 1, user, "user") != 0 ||
	    copy(info->cltname, MAXTIDENT + 1, client, "client") != 0 ||
	    copy(info->passwd, MAXTIDENT + 1, password, "password") != 0 ||
	    copy(info->grpname, MAXTIDENT + 1, group, "group") != 0) {
		tpfree((char *)info);
		return NULL;
	}
	Py_BEGIN_ALLOW_THREADS
	r = tpinit(info);
	Py_END_ALLOW_THREADS
	if (r != 0)
		owpy_fail(NULL);
	tpfree((char *)info);
	if (r != 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *term(PyObject *self, PyObject *unused)
{
	int r;

	(void)self;
	(void)unused;
	Py_BEGIN_ALLOW_THREADS
	r = tpterm();
	Py_END_ALLOW_THREADS
	if (owpy_checked(r) != 0)
		return NULL;
	Py_RETURN_NONE;
}

/* Text for a log, which refuses none: what is no text is shown by its escapes. */
static const char *text_for_log(PyObject *said, PyObject **keep)
{
	const char *text = owpy_text(said, NULL, keep);

	if (text != NULL)
		return text;
	PyErr_Clear();
	Py_CLEAR(*keep);
	*keep = PyUnicode_AsEncodedString(said, "utf-8", "backslashreplace");
	return *keep == NULL ? NULL : PyBytes_AsString(*keep);
}

/* log(level, text, file=None, line=0) */
static PyObject *log_line(PyObject *self, PyObject *args)
{
	const char *file = NULL, *text;
	PyObject *said, *kept = NULL;
	long line = 0;
	int level;

	(void)self;
	if (!PyArg_ParseTuple(args, "iU|zl", &level, &said, &file, &line))
		return NULL;
	text = text_for_log(said, &kept);
	if (text == NULL)
		return NULL;
	if (file != NULL)
		tplogex(level, file, line, text);
	else
		tplog(level, text);
	Py_XDECREF(kept);
	Py_RETURN_NONE;
}

static PyObject *log_level(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return PyLong_FromLong(debug_get_tp_level());
}

/* log_config(logger, level, debug string, module, file) */
static PyObject *log_config(PyObject *self, PyObject *args)
{
	const char *debug = NULL, *module = NULL, *file = NULL;
	int logger, level;

	(void)self;
	if (!PyArg_ParseTuple(args, "ii|zzz", &logger, &level, &debug, &module,
			      &file))
		return NULL;
	if (tplogconfig(logger, level, debug, module, file) != 0)
		return PyErr_Format(PyExc_ValueError, "%s",
				    Nstrerror(Nerror));
	Py_RETURN_NONE;
}

static PyObject *user_log(PyObject *self, PyObject *args)
{
	PyObject *said, *kept = NULL;
	const char *text;

	(void)self;
	if (!PyArg_ParseTuple(args, "U", &said))
		return NULL;
	text = text_for_log(said, &kept);
	if (text == NULL)
		return NULL;
	userlog("%s", text);
	Py_XDECREF(kept);
	Py_RETURN_NONE;
}

static PyObject *field_id(PyObject *self, PyObject *name)
{
	BFLDID id = owpy_field_id(name);

	(void)self;
	return id == 0 ? NULL : PyLong_FromLong(id);
}

static PyObject *field_name(PyObject *self, PyObject *args)
{
	PyObject *name;
	int id;

	(void)self;
	if (!PyArg_ParseTuple(args, "i", &id))
		return NULL;
	name = owpy_field_name(id);
	if (name == NULL)
		return NULL;
	if (PyLong_Check(name)) {
		(void)Bfname(id); /* says why */
		return owpy_fail_ubf(NULL);
	}
	Py_INCREF(name);
	return name;
}

static PyObject *node_id(PyObject *self, PyObject *unused)
{
	long id = tpgetnodeid();

	(void)self;
	(void)unused;
	return id == -1 ? owpy_fail(NULL) : PyLong_FromLong(id);
}

static PyObject *server_id(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return PyLong_FromLong(tpgetsrvid());
}

/* default_timeout(seconds of the process or None): the one before */
static PyObject *default_timeout(PyObject *self, PyObject *args)
{
	PyObject *seconds = Py_None;
	int was = tptoutget();
	long wanted = 0;

	(void)self;
	if (!PyArg_ParseTuple(args, "|O", &seconds))
		return NULL;
	if (seconds != Py_None)
		wanted = PyLong_AsLong(seconds);
	if (PyErr_Occurred() || owpy_checked(was) != 0)
		return NULL;
	if (wanted > INT_MAX || wanted < INT_MIN)
		return PyErr_Format(PyExc_OverflowError, "%ld seconds", wanted);
	if (seconds != Py_None && owpy_checked(tptoutset((int)wanted)) != 0)
		return NULL;
	return PyLong_FromLong(was);
}

PyMethodDef owpy_tool_methods[] = {
	{ "init", init, METH_VARARGS, NULL },
	{ "term", term, METH_NOARGS, NULL },
	{ "log", log_line, METH_VARARGS, NULL },
	{ "log_level", log_level, METH_NOARGS, NULL },
	{ "log_config", log_config, METH_VARARGS, NULL },
	{ "userlog", user_log, METH_VARARGS, NULL },
	{ "field_id", field_id, METH_O, NULL },
	{ "field_name", field_name, METH_VARARGS, NULL },
	{ "node_id", node_id, METH_NOARGS, NULL },
	{ "server_id", server_id, METH_NOARGS, NULL },
	{ "default_timeout", default_timeout, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};
