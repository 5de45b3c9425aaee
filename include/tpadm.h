/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpadm.h - administration by buffers (MIB): result codes
 *
 * The fields (TA_OPERATION, TA_CLASS ...) are in Excompat.h, which mkfldhdr
 * makes of the field table Excompat. It is installed beside this header, and
 * the source tree has none.
 */
#ifndef TPADM_H
#define TPADM_H

#include <fml32.h>
#include <ubf.h>
#ifdef __has_include
#if __has_include(<Excompat.h>)
#include <Excompat.h>
#endif
#endif

/* TA_FLAGS of a request */
#define MIB_LOCAL    1 /* only what this node knows; it is so anyway */
#define MIB_PREIMAGE 2 /* without effect */
#define MIB_SELF     4 /* without effect */

/* TA_ERROR */
#define TAEAPP	    (-1)
#define TAECONFIG   (-2)
#define TAEINVAL    (-3)
#define TAEOS	    (-4)
#define TAEPERM	    (-6)
#define TAEPREIMAGE (-7)
#define TAEPROTO    (-8)
#define TAEREQUIRED (-9)
#define TAESUPPORT  (-10)
#define TAESYSTEM   (-11)
#define TAEUNIQ	    (-12)
#define TAELIMIT    (-13)
#define TAOK	    0
#define TAUPDATED   1
#define TAPARTIAL   2

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Administrate the domain by a request in `in`, a UBF buffer: TA_OPERATION
 * (GET, GETNEXT, SET), TA_CLASS, and fields of the class. The reply takes the
 * place of *out, which may be NULL: TA_ERROR, TA_OCCURS, TA_MORE, TA_CURSOR, the
 * fields of the objects; for a refusal TA_STATUS and TA_BADFLD. The process
 * answers itself, from the shared tables; service .TMIB of the server tpadmsv
 * answers the same. `flags` has no effect. 0 or -1: TPEINVAL TPEMIB (TA_ERROR
 * says why) TPENOENT (the domain does not run) TPEPERM (a guest) TPEOS
 * TPESYSTEM. (Tuxedo)
 */
extern int tpadmcall(UBFH *in, UBFH **out, long flags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
