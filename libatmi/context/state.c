/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.c - all that a thread has of the libraries, in three parts
 */
#include "libatmi/context/state.h"

#include <string.h>

#include "libatmi/call/life.h"

void ow_state_take(struct ow_state *s, enum ow_state_part part)
{
	switch (part) {
	case OW_PART_NSTD:
		ow_n_state_take(&s->n);
		ow_log_owns_take(&s->log);
		break;
	case OW_PART_UBF:
		ow_ubf_state_take(&s->ubf);
		break;
	default:
		ow_tp_state_take(&s->tp);
		s->ctx = ow_ctx_detach();
	}
}

void ow_state_put(struct ow_state *s, enum ow_state_part part)
{
	switch (part) {
	case OW_PART_NSTD:
		ow_n_state_put(&s->n);
		ow_log_owns_put(&s->log);
		break;
	case OW_PART_UBF:
		ow_ubf_state_put(&s->ubf);
		break;
	default:
		ow_tp_state_put(&s->tp);
		ow_ctx_attach(s->ctx);
		s->ctx = NULL;
	}
}

void ow_state_end(struct ow_state *s, enum ow_state_part part)
{
	switch (part) {
	case OW_PART_NSTD:
		s->n.err = NMINVAL;
		ow_log_owns_end(&s->log);
		break;
	case OW_PART_UBF:
		memset(&s->ubf.err, 0, sizeof(s->ubf.err));
		s->ubf.next_of = NULL;
		break;
	default:
		s->tp.err = TPMINVAL;
		s->tp.detailed = 0;
		s->tp.urcode = 0;
		ow_ctx_end(s->ctx);
		s->ctx = NULL;
	}
}
