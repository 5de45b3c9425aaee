/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oerrors.c - the errors of a context, for the object API
 *
 * A context cannot be made yet, so that the errors are those of the thread: of
 * the last call of the object API, or of any other.
 */
#include <nerror.h>
#include <oatmi.h>
#include <oubf.h>

int *O_exget_tperrno_addr(TPCONTEXT_T *p_ctxt)
{
	(void)p_ctxt;
	return _exget_tperrno_addr();
}

long *O_exget_tpurcode_addr(TPCONTEXT_T *p_ctxt)
{
	(void)p_ctxt;
	return _exget_tpurcode_addr();
}

int *Ondrx_Bget_Ferror_addr(TPCONTEXT_T *p_ctxt)
{
	(void)p_ctxt;
	return ndrx_Bget_Ferror_addr();
}

int *O_Nget_Nerror_addr(TPCONTEXT_T *p_ctxt)
{
	(void)p_ctxt;
	return _Nget_Nerror_addr();
}

char *ONstrerror(TPCONTEXT_T *p_ctxt, int err)
{
	(void)p_ctxt;
	return Nstrerror(err);
}

char *ONecodestr(TPCONTEXT_T *p_ctxt, int err)
{
	(void)p_ctxt;
	return Necodestr(err);
}
