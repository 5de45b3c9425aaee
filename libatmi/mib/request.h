/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.h - a request of MIB(5), taken apart, and how it is refused
 */
#ifndef OW_MIB_REQUEST_H
#define OW_MIB_REQUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <ubf.h>

#include "libatmi/mib/fields.h"
#include "libatmi/mib/object.h"

enum ow_mib_operation {
	OW_MIB_GET,
	OW_MIB_GETNEXT,
	OW_MIB_SET,
};

struct ow_mib_request {
	UBFH *in;
	enum ow_mib_operation op;
	const struct ow_mib_class *class; /* NULL: GETNEXT without TA_CLASS */
	uint32_t keys; /* bit: the request has this field of the class */
	uint32_t shown; /* bit: the reply has it */
};

/* Why a request is refused. */
struct ow_mib_refusal {
	long error;   /* TAE... */
	BFLDID field; /* TA_BADFLD; 0: none */
	char text[300];
};

/* Fill in `f`; returns the error. */
long ow_mib_refuse(struct ow_mib_refusal *f, long error, BFLDID field,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Take `in` apart: 0, or the error. */
long ow_mib_read_request(UBFH *in, struct ow_mib_request *ret,
			 struct ow_mib_refusal *f);

/* The text of a field, "" if it is not there; false: it is longer than
 * OW_MIB_TEXT. */
bool ow_mib_read_text(UBFH *in, BFLDID id, char buf[OW_MIB_TEXT]);

/* Has the object every value that the request asks for? */
bool ow_mib_matches(const struct ow_mib_request *r,
		    const struct ow_mib_object *o);

/* The first three letters of a state, as capitals: "ACT" of "active". */
void ow_mib_short_state(char state[OW_MIB_TEXT]);

#endif
