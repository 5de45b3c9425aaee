/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refuse.h - errors of requests that a bridge has not executed
 */
#ifndef OW_BRIDGE_REFUSE_H
#define OW_BRIDGE_REFUSE_H

#include <stdint.h>

/* The error of a request with these flags (wire/msg.h): TPESVCERR if it was
 * forwarded, because the service that did so has worked; else `tperr`. */
int ow_br_error_of(uint32_t flags, int tperr);
/* The urcode of an error that a bridge gives: TPENOENT and TPEPERM mean here that
 * no server had begun the request. */
long ow_br_urcode_of(int tperr);
/* The urcode of a reply of another node to a request with these flags. That
 * nothing was begun no node can say of what a service has forwarded, nor beside
 * an answer. */
long ow_br_urcode_heard(uint32_t flags, int tperr, int64_t urcode);
/* Refuse the request in hand. */
void ow_br_refuse(int tperr);

#endif
