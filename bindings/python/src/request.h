/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.h - the class Request: what a service function gets
 */
#ifndef OWPY_REQUEST_H
#define OWPY_REQUEST_H

#include "core.h"

PyObject *owpy_request_new(TPSVCINFO *svc);
/* The service has ended: the buffer is not the request's any more. */
void owpy_request_end(PyObject *request);
int owpy_add_request(PyObject *module);

#endif
