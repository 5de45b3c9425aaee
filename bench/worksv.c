/* SPDX-License-Identifier: Apache-2.0 */
/* worksv.c - WORK sleeps and burns as the request says (work.h) */
#include <atmi.h>
#include <userlog.h>

#include "bench/work.h"

void WORK(TPSVCINFO *svc);

void WORK(TPSVCINFO *svc)
{
	if (svc->len != (long)sizeof(struct work_order))
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	work_do((struct work_order *)svc->data);
	tpreturn(TPSUCCESS, 0, svc->data, svc->len, 0);
}

int tpsvrinit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (tpadvertise("WORK", WORK) == -1) {
		userlog("worksv: %s", tpstrerror(tperrno));
		return -1;
	}
	return 0;
}

void tpsvrdone(void)
{
}
