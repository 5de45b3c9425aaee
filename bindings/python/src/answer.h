/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.h - how a service ends: what its result in Python means to the caller
 */
#ifndef OWPY_ANSWER_H
#define OWPY_ANSWER_H

#include "core.h"

struct owpy_answer {
	enum { OWPY_RETURN, OWPY_FORWARD, OWPY_LATER } how;
	int rval;
	long urcode, flags;
	struct owpy_msg m;
	char service[XATMI_SERVICE_NAME_LENGTH + 2]; /* of a forward */
};

/* `result` NULL: of the exception that is set, which is cleared. An exception
 * that is no Fail is logged, and the caller gets TPESVCERR. */
void owpy_answer_of(PyObject *result, const char *service,
		    struct owpy_answer *ret_answer);
/* End the request of this thread; without the lock of the interpreter. */
void owpy_answer_send(struct owpy_answer *a);

#endif
