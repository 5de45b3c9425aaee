/* SPDX-License-Identifier: Apache-2.0 */
/*
 * errors.c - the errors of a context, for the object API
 *
 * Those of a context at rest lie in its bundle. Those of the context that this
 * thread has are the thread's, and so are those of a call that was refused:
 * no such context, or another thread has it.
 */
#include <nerror.h>
#include <oatmi.h>
#include <oubf.h>
#include <tpbind.h>

#include "libatmi/context/bundle.h"
#include "libatmi/context/object.h"

static struct ow_bundle *resting(TPCONTEXT_T *p_ctxt)
{
	return p_ctxt != NULL ? ow_bundle_resting(*p_ctxt) : NULL;
}

int *O_exget_tperrno_addr(TPCONTEXT_T *p_ctxt)
{
	struct ow_bundle *b = resting(p_ctxt);

	return b != NULL ? &b->state.tp.err : _exget_tperrno_addr();
}

long *O_exget_tpurcode_addr(TPCONTEXT_T *p_ctxt)
{
	struct ow_bundle *b = resting(p_ctxt);

	return b != NULL ? &b->state.tp.urcode : _exget_tpurcode_addr();
}

int *Ondrx_Bget_Ferror_addr(TPCONTEXT_T *p_ctxt)
{
	struct ow_bundle *b = resting(p_ctxt);

	return b != NULL ? &b->state.ubf.err.code : ndrx_Bget_Ferror_addr();
}

int *O_Nget_Nerror_addr(TPCONTEXT_T *p_ctxt)
{
	struct ow_bundle *b = resting(p_ctxt);

	return b != NULL ? &b->state.n.err : _Nget_Nerror_addr();
}

/* If the context cannot be had: why, which is the thread's error. */
int Otplasterror(TPCONTEXT_T *p_ctxt, char *text, long size, long *urcode)
{
	int entered = ow_object_enter(p_ctxt);
	int err = tplasterror(text, size, urcode);

	ow_object_leave(entered);
	return err;
}
