/* SPDX-License-Identifier: Apache-2.0 */
/*
 * abi.h - what Python 3.9 has, and its limited API got later
 *
 * The module is one binary for 3.9 and all later versions. Buffers that show
 * their memory, and text as UTF-8, have been in each of these in the same
 * form; the headers show them for 3.11 and 3.10 only.
 */
#ifndef OWPY_ABI_H
#define OWPY_ABI_H

#if defined(Py_LIMITED_API) && Py_LIMITED_API < 0x030a0000
extern const char *PyUnicode_AsUTF8AndSize(PyObject *str, Py_ssize_t *len);
#endif

#if defined(Py_LIMITED_API) && Py_LIMITED_API < 0x030b0000
typedef struct {
	void *buf;
	PyObject *obj;
	Py_ssize_t len, itemsize;
	int readonly, ndim;
	char *format;
	Py_ssize_t *shape, *strides, *suboffsets;
	void *internal;
} Py_buffer;
extern int PyObject_GetBuffer(PyObject *obj, Py_buffer *view, int flags);
extern int PyBuffer_FillInfo(Py_buffer *view, PyObject *obj, void *buf,
			     Py_ssize_t len, int readonly, int flags);
extern void PyBuffer_Release(Py_buffer *view);
#define PyBUF_SIMPLE	  0
#define Py_bf_getbuffer	  1
#define Py_bf_releasebuffer 2
#endif

#endif
