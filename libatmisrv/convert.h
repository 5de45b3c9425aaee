/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.h - option -x: services that take and give buffers of another type
 *
 * The request is converted before the service function sees it, its answer is
 * converted back to the type in which the request came. The message carries
 * that type (ow_msg.answer_as), so that the answer is also converted if another
 * server gives it after tpforward().
 */
#ifndef OW_SERVER_CONVERT_H
#define OW_SERVER_CONVERT_H

struct ow_msg;
struct ow_options;
struct ow_offer;

/* Find the mode for a service: -x names its function, or itself. */
void ow_conversion_of(const struct ow_options *opt, struct ow_offer *o);

/* The request *data in message `m` is for `o`, which has a mode: convert it if it is of the type
 * to be converted. 0, or the tperrno of the caller; *data is replaced. */
int ow_convert_request(const struct ow_offer *o, struct ow_msg *m,
		       char **data, long *len);
/* The answer `data` to `m`, which has answer_as: `data`, or a new buffer; NULL: it does not convert,
 * which is logged. */
char *ow_convert_answer(const struct ow_msg *m, char *data);

#endif
