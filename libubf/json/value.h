/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.h - JSON numbers, strings, booleans as field values, in both directions
 *
 * Text is converted as UBF does (conv.h); a carray is base64. For a text field
 * an integer keeps its digits; other numbers become doubles first. true is 1,
 * false is 0.
 */
#ifndef OW_JSON_VALUE_H
#define OW_JSON_VALUE_H

#include <stdbool.h>

#include "libubf/convert/conv.h"
#include "libubf/json/out.h"
#include "libubf/json/parse.h"

struct ow_json_value {
	bool escape;	/* strings hold \xx and \\ (json_escape) */
	const char *why;	/* the reason, after -EBADMSG */
	char *text;	/* scratch memory; the caller frees it */
	size_t cap;
};

/* Convert a scalar to `type`: c->val points into *c, v->text or the event. 0,
 * -EBADMSG or -ENOMEM. */
int ow_json_value(struct ow_json_value *v, const struct ow_json_event *ev,
		  unsigned int type, struct ow_ubf_conv *c);

/* Append a value of any type but BFLD_UBF and BFLD_VIEW. */
int ow_json_plain(struct ow_json_out *o, unsigned int type,
		  struct ow_ubf_val v);

#endif
