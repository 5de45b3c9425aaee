/* SPDX-License-Identifier: Apache-2.0 */
/*
 * module.c - the module onewake._core is made of its parts
 */
#include "core.h"

struct owpy_hooks owpy_hooks;
unsigned long owpy_main_thread;

static const struct {
	const char *name;
	PyObject **place;
} hooks[] = {
	{ "error", &owpy_hooks.error },	    { "ubf_error", &owpy_hooks.ubf_error },
	{ "other", &owpy_hooks.other },	    { "view", &owpy_hooks.view },
	{ "json", &owpy_hooks.json },	    { "failed", &owpy_hooks.failed },
	{ "reply", &owpy_hooks.reply },	    { "forward", &owpy_hooks.forward },
	{ "fail", &owpy_hooks.fail },	    { "later", &owpy_hooks.later },
};

/* _setup({name: object}): see struct owpy_hooks */
static PyObject *setup(PyObject *self, PyObject *dict)
{
	PyObject *one;
	size_t i;

	(void)self;
	if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
		PyErr_SetString(PyExc_ImportError, "onewake works in the main "
				"interpreter of a process only, not in a "
				"subinterpreter: contexts belong to threads");
		return NULL;
	}
	for (i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
		one = PyDict_GetItemString(dict, hooks[i].name);
		if (one == NULL)
			continue;
		Py_INCREF(one);
		Py_XDECREF(*hooks[i].place);
		*hooks[i].place = one;
	}
	Py_RETURN_NONE;
}

/* Threads have a context each, also with NDRX_COMPAT=strict-tuxedo: so it is in a
 * process that has made one itself. */
static void have_contexts(void)
{
	tpfreectxt(tpnewctxt(0, 0));
}

static int find_main_thread(void)
{
	PyObject *threading = PyImport_ImportModule("threading"), *id = NULL;
	PyObject *main = threading == NULL
			     ? NULL
			     : PyObject_CallMethod(threading, "main_thread",
						   NULL);

	if (main != NULL)
		id = PyObject_GetAttrString(main, "ident");
	if (id != NULL)
		owpy_main_thread = PyLong_AsUnsignedLong(id);
	Py_XDECREF(threading);
	Py_XDECREF(main);
	Py_XDECREF(id);
	return PyErr_Occurred() ? -1 : 0;
}

static PyMethodDef own_methods[] = {
	{ "_setup", setup, METH_O, NULL },
	{ NULL, NULL, 0, NULL },
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT, "onewake._core", NULL, -1, own_methods, NULL,
	NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
	PyMethodDef *parts[] = {
		owpy_call_methods,  owpy_conv_methods, owpy_queue_methods,
		owpy_tran_methods,  owpy_events_methods, owpy_serve_methods,
		owpy_tool_methods,  owpy_text_methods, owpy_context_methods,
		owpy_poll_methods,
	};
	PyObject *module = PyModule_Create(&definition);
	size_t i;
	int r = module == NULL ? -1 : find_main_thread();

	for (i = 0; r == 0 && i < sizeof(parts) / sizeof(parts[0]); i++)
		r = PyModule_AddFunctions(module, parts[i]);
	have_contexts();
	if (r == 0 && owpy_add_buffer(module) == 0 &&
	    owpy_add_serve(module) == 0)
		return module;
	Py_XDECREF(module);
	return NULL;
}
