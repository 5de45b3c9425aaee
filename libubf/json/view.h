/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.h - a structure as JSON, in both directions
 *
 *	{"VIEW":{"member":1,"array":["a","b"]}}
 *
 * Count and length members are not written; reading sets them.
 * Exported for libatmi; not part of the public interface. Berror is left
 * alone.
 */
#ifndef OW_JSON_VIEW_H
#define OW_JSON_VIEW_H

#include "libubf/json/out.h"
#include "libubf/json/parse.h"
#include "libubf/viewdef/registry.h"

struct ow_json_view;

/* Append a structure; with BVACCESS_NOTNULL in `flags`, without null
 * elements. 0, a failure of json/out.h; -EILSEQ: JSON has no text for a
 * member (`error`). */
int ow_json_from_view(struct ow_json_out *o, const struct ow_view *v,
		      const char *cs, long flags, char *error);

/* Read a structure from events, the first being OW_JSON_OBJECT. Each event
 * returns 0, 1 at the end, -EBADMSG or -ENXIO (no such view) with `error`, or
 * -ENOMEM. An empty object is a structure without a view. */
int ow_json_view_open(char *error, struct ow_json_view **ret_reader);
void ow_json_view_closep(struct ow_json_view **rp);
int ow_json_view_event(struct ow_json_view *r, const struct ow_json_event *ev);
/* The structure read, valid until the reader is closed; *ret_view may be
 * NULL. */
const char *ow_json_view_result(const struct ow_json_view *r,
				const struct ow_view **ret_view);

#endif
