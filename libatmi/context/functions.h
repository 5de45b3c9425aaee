/* SPDX-License-Identifier: Apache-2.0 */
/*
 * functions.h - what one line of functions.inc becomes
 *
 * Include this, say which sections are wanted (OBJ_IN_<section> is OW_OBJ_YES
 * or OW_OBJ_NO), then include functions.inc.
 */
#ifndef OW_FUNCTIONS_H
#define OW_FUNCTIONS_H

#include <xatmi.h>

#include "libatmi/context/object.h"

typedef void (*ow_unsol_fn)(char *, long, long); /* of tpsetunsol() */

#define OW_OBJ_YES(make, ...) make(__VA_ARGS__)
#define OW_OBJ_NO(make, ...)

#define OBJ(section, ...)	OBJ_IN_##section(OW_OBJ, __VA_ARGS__)
#define OBJ0(section, ...)	OBJ_IN_##section(OW_OBJ0, __VA_ARGS__)
#define OBJ_VOID(section, ...)	OBJ_IN_##section(OW_OBJ_VOID, __VA_ARGS__)
#define OBJ_VOID0(section, ...) OBJ_IN_##section(OW_OBJ_VOID0, __VA_ARGS__)
#define OBJ_PATH(section, ...)	OBJ_IN_##section(OW_OBJ_PATH, __VA_ARGS__)

#define FLAGS ow_object_flags(flags)

/* The body of a function with a result. */
#define OW_OBJ_BODY(type, fail, call)                  \
	{                                              \
		int entered = ow_object_enter(p_ctxt); \
		type result = fail;                    \
                                                       \
		if (entered >= 0)                      \
			result = call;                 \
		ow_object_leave(entered);              \
		return result;                         \
	}
#define OW_OBJ_VOID_BODY(call)                         \
	{                                              \
		int entered = ow_object_enter(p_ctxt); \
                                                       \
		if (entered >= 0)                      \
			call;                          \
		ow_object_leave(entered);              \
	}

#define OW_OBJ(type, fail, name, args, ...)          \
	type O##name(TPCONTEXT_T *p_ctxt, __VA_ARGS__) \
	    OW_OBJ_BODY(type, fail, name args)
#define OW_OBJ0(type, fail, name)     \
	type O##name(TPCONTEXT_T *p_ctxt) OW_OBJ_BODY(type, fail, name())
#define OW_OBJ_VOID(name, args, ...)                   \
	void O##name(TPCONTEXT_T *p_ctxt, __VA_ARGS__) \
	    OW_OBJ_VOID_BODY(name args)
#define OW_OBJ_VOID0(name) \
	void O##name(TPCONTEXT_T *p_ctxt) OW_OBJ_VOID_BODY(name())

/* The path is collected in the context, whose Berror says what is wrong. */
#define OW_OBJ_PATH(type, fail, name, call, last, ...)           \
	type O##name(TPCONTEXT_T *p_ctxt, __VA_ARGS__, ...)      \
	{                                                        \
		int entered = ow_object_enter(p_ctxt);           \
		BFLDID path[OW_UBF_PATH_MAX];                    \
		type result = fail;                              \
		va_list ap;                                      \
                                                                 \
		va_start(ap, last);                              \
		if (entered >= 0 && ow_ubf_path_collect(ap, path) == 0) \
			result = call;                           \
		va_end(ap);                                      \
		ow_object_leave(entered);                        \
		return result;                                   \
	}

#endif
