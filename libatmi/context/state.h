/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.h - all that a thread has of the libraries, in three parts
 *
 * NSTD: Nerror, the loggers. UBF: Berror, the iteration of Bnext(). ATMI:
 * tperrno, tpurcode, the context of its calls. The live state of a thread lies
 * in thread-local words, one instruction away; here it is moved out of them,
 * so that another thread can go on with it. Moving copies some words and
 * pointers, and the texts of errors where there are errors.
 */
#ifndef OW_STATE_H
#define OW_STATE_H

#include <xatmi_defs.h>

#include "libatmi/base/nerror.h"
#include "libatmi/base/tperror.h"
#include "libatmi/log/own.h"
#include "libubf/access/state.h"

struct ow_ctx;

/* Numbers of the parts; as bits: CTXT_PRIV_NSTD, _UBF, _ATMI. */
enum ow_state_part {
	OW_PART_NSTD,
	OW_PART_UBF,
	OW_PART_ATMI,
	OW_PARTS,
};

#define OW_PART_BIT(part) (1u << (part))
#define OW_PARTS_ALL	  (OW_PART_BIT(OW_PARTS) - 1u)

_Static_assert(OW_PART_BIT(OW_PART_NSTD) == CTXT_PRIV_NSTD &&
		   OW_PART_BIT(OW_PART_UBF) == CTXT_PRIV_UBF &&
		   OW_PART_BIT(OW_PART_ATMI) == CTXT_PRIV_ATMI,
	       "parts are the bits of the interface");

/* All zeros: no errors, no loggers, no context. */
struct ow_state {
	struct ow_n_state n;
	struct ow_log_owns log;
	struct ow_ubf_state ubf;
	struct ow_tp_state tp;
	struct ow_ctx *ctx;
};

/* Move one part from this thread to *s, or back. What receives it has nothing
 * of that part; what gave it has nothing then. */
void ow_state_take(struct ow_state *s, enum ow_state_part part);
void ow_state_put(struct ow_state *s, enum ow_state_part part);
/* End a part: its calls, slot and loggers are given up. */
void ow_state_end(struct ow_state *s, enum ow_state_part part);

#endif
