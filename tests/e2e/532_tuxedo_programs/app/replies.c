/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replies.c - a reply without data leaves the caller's buffer as it is
 */
#include "tell.h"

static char *send_buffer, *receive_buffer;

static void prepare(long *len)
{
	strcpy(receive_buffer, "mine");
	*len = 77;
}

static void untouched(const char *kept, long len)
{
	IS(receive_buffer == kept);
	IS(strcmp(receive_buffer, "mine") == 0);
	IS(len == 0);
}

static void call(char *service, int result, long code, long flags)
{
	char *kept = receive_buffer;
	long len;

	prepare(&len);
	IS(tpcall(service, send_buffer, 0, &receive_buffer, &len, flags) ==
	   result);
	IS(result == 0 || tperrno == TPESVCFAIL);
	IS(tpurcode == code);
	untouched(kept, len);
}

static void call_later(void)
{
	char *kept = receive_buffer;
	int cd = tpacall((char *)"NODATA", send_buffer, 0, 0);
	long len;

	IS(cd > 0);
	prepare(&len);
	IS(tpgetrply(&cd, &receive_buffer, &len, 0) == 0);
	untouched(kept, len);
}

static void converse(void)
{
	char *kept = receive_buffer;
	long len, event = 0;
	int cd = tpconnect((char *)"CONV", NULL, 0, TPRECVONLY);

	IS(cd != -1);
	prepare(&len);
	IS(tprecv(cd, &receive_buffer, &len, 0, &event) == 0);
	untouched(kept, len);
	prepare(&len);
	IS(tprecv(cd, &receive_buffer, &len, 0, &event) == -1);
	IS(tperrno == TPEEVENT && event == TPEV_SVCSUCC && tpurcode == 7);
	untouched(kept, len);
}

int main(void)
{
	long len;

	send_buffer = tpalloc((char *)"STRING", NULL, 20);
	receive_buffer = tpalloc((char *)"STRING", NULL, 20);
	strcpy(send_buffer, "text");
	call((char *)"NODATA", 0, 5, 0);
	call((char *)"NODATA", 0, 5, TPNOCHANGE);
	call((char *)"NOLUCK", -1, 6, 0);
	call_later();
	converse();
	/* One buffer for both: it is still there, too. */
	IS(tpcall((char *)"NODATA", send_buffer, 0, &send_buffer, &len, 0) ==
	   0);
	IS(strcmp(send_buffer, "text") == 0);
	tpterm();
	return wrong;
}
