/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter.h - does the filter of a subscription accept the data of an event?
 */
#ifndef TPEVSRV_FILTER_H
#define TPEVSRV_FILTER_H

#include <stdbool.h>

/* A boolean expression for UBF, a regular expression for STRING and JSON; data
 * of other types, and no data, are not accepted. Compiled filters are kept by
 * the id of their subscription. */
bool filter_accepts(long id, const char *filter, char *data, long len);
void filter_close(void);

#endif
