/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unbuilt.c - server functions that this build does not have yet
 *
 * They exist so that programs link. Each fails with TPEPROTO; the detail of
 * the error says why.
 */
#include <atmi.h>

#include "libatmi/base/tperror.h"

/* UNBUILT: a function with a result. NOTHING: a function without. */
#define UNBUILT(type, result, name, ...)                                 \
	type name(__VA_ARGS__)                                           \
	{                                                                \
		ow_tp_fail(TPEPROTO, "%s: not built yet", #name);        \
		return result;                                           \
	}
#define NOTHING(name, ...)                                               \
	void name(__VA_ARGS__)                                           \
	{                                                                \
		ow_tp_fail(TPEPROTO, "%s: not built yet", #name);        \
	}

/* Subscriptions */
UNBUILT(long, -1, tpsubscribe, char *eventexpr, char *filter, TPEVCTL *ctl,
	long flags)
UNBUILT(int, -1, tpunsubscribe, long subscription, long flags)

/* Requests handed to others */
NOTHING(tpcontinue, void)
UNBUILT(char *, NULL, tpsrvgetctxdata, void)
UNBUILT(char *, NULL, tpsrvgetctxdata2, char *p_buf, long *p_len)
UNBUILT(int, -1, tpsrvsetctxdata, char *data, long flags)
NOTHING(tpsrvfreectxdata, char *data)
