/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queued.c - the answer of a service without data is a message without data
 */
#include "tell.h"

int main(void)
{
	char *request = tpalloc((char *)"STRING", NULL, 20);
	char *mine = tpalloc((char *)"STRING", NULL, 20), *kept = mine;
	TPQCTL ctl;
	long len = 7;

	strcpy(request, "text");
	strcpy(mine, "mine");
	memset(&ctl, 0, sizeof(ctl));
	ctl.flags = TPQREPLYQ;
	strcpy(ctl.replyqueue, "ANSWERS");
	IS(tpenqueue((char *)"SPACE", (char *)"NODATA", &ctl, request, 0, 0) ==
	   0);
	memset(&ctl, 0, sizeof(ctl));
	ctl.flags = TPQWAIT;
	IS(tpdequeue((char *)"SPACE", (char *)"ANSWERS", &ctl, &mine, &len,
		     0) == 0);
	IS(mine == kept && strcmp(mine, "mine") == 0 && len == 0);
	tpfree(request);
	tpfree(mine);
	tpterm();
	return wrong;
}
