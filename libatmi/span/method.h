/* SPDX-License-Identifier: Apache-2.0 */
/*
 * method.h - methods of HTTP in spans, as numbers
 */
#ifndef OW_SPAN_METHOD_H
#define OW_SPAN_METHOD_H

#include <stdint.h>

/* 0: another one. */
uint8_t ow_span_method_find(const char *name);
/* "_OTHER" for those that are not known. */
const char *ow_span_method_name(uint8_t method);

#endif
