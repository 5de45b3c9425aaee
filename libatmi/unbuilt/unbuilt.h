/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unbuilt.h - how to define a public function that this build lacks
 *
 * The function exists so that programs link. It fails with TPEPROTO and says
 * so in the detail of the error.
 */
#ifndef OW_UNBUILT_H
#define OW_UNBUILT_H

#include "libatmi/base/tperror.h"

/* A function with its result on failure. */
#define UNBUILT(type, result, name, ...)                                 \
	type name(__VA_ARGS__)                                           \
	{                                                                \
		ow_tp_fail(TPEPROTO, "%s: not built yet", #name);        \
		return result;                                           \
	}

/* A function that returns nothing. */
#define UNBUILT_VOID(name, ...)                                          \
	void name(__VA_ARGS__)                                           \
	{                                                                \
		ow_tp_fail(TPEPROTO, "%s: not built yet", #name);        \
	}

#endif
