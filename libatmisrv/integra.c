/* SPDX-License-Identifier: Apache-2.0 */
/*
 * integra.c - what libatmisrvinteg has, and the libraries with ndrx_main() not
 *
 * Programs of this library give their callbacks as pointers. Some name
 * tpsvrinit() and tpsvrdone() without having them; bindings of languages put
 * theirs into G_tpsvrinit__ and G_tpsvrdone__ and call Ondrx_main().
 */
#include <oatmisrv.h>

/* Services of a binding return: no frame of it is left by longjmp(). */
int Ondrx_main(TPCONTEXT_T *p_ctxt, int argc, char **argv)
{
	return Ondrx_main_integra(p_ctxt, argc, argv, G_tpsvrinit__,
				  G_tpsvrdone__, ATMI_SRVLIB_NOLONGJUMP);
}

int tpsvrinit(int argc, char **argv)
{
	return tpsvrthrinit(argc, argv); /* tpopen() */
}

void tpsvrdone(void)
{
}
