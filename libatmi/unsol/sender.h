/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sender.h - what tpnotify() and tpbroadcast() check before they send
 */
#ifndef OW_SENDER_H
#define OW_SENDER_H

struct ow_ctx;
struct ow_request;

/* The context of this thread, which may send, with the data in `rq`; then
 * ow_request_end() follows. NULL with tperrno. */
struct ow_ctx *ow_sender_begin(struct ow_request *rq, char *data, long len);

#endif
