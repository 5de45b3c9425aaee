/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testcl_conv.c - commands of the test client: conversations
 */
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "conversation.h"
#include "testcl.h"

/* connect SERVICE FLAGS DATA */
void do_connect(const struct words *w)
{
	long len;
	char *data = make_data(word(w, 3, "-"), &len);
	double t = now_ms();
	int cd = tpconnect((char *)word(w, 1, ""), data, len,
			   flags_of(word(w, 2, "-")));

	answer_call(cd, NULL, 0, t);
	if (data != NULL)
		tpfree(data);
}

/* send CD FLAGS DATA */
void do_send(const struct words *w)
{
	long len, event = 0;
	char *data = make_data(word(w, 3, "-"), &len);
	double t = now_ms();
	int r = tpsend((int)number(w, 1, 0), data, len,
		       flags_of(word(w, 2, "-")), &event);

	answer_event(r, NULL, 0, t, conv_event(event));
	if (data != NULL)
		tpfree(data);
}

/* recv CD FLAGS [TYPE]: of a buffer of that type */
void do_recv(const struct words *w)
{
	char *data = w->n > 3 ? make_buffer(word(w, 3, ""), 1024) : NULL;
	long len = 0, event = 0;
	double t = now_ms();
	int r = tprecv((int)number(w, 1, 0), &data, &len,
		       flags_of(word(w, 2, "-")), &event);

	answer_event(r, data, len, t, conv_event(event));
	if (data != NULL)
		tpfree(data);
}

void do_discon(const struct words *w)
{
	double t = now_ms();

	answer_call(tpdiscon((int)number(w, 1, 0)), NULL, 0, t);
}

/* stream CD N SIZE FLAGS: N messages, or until one fails */
void do_stream(const struct words *w)
{
	long n = number(w, 2, 1), size = number(w, 3, 8), i = 0, event = 0;
	char *p = tpalloc("CARRAY", NULL, size);
	double t = now_ms();
	int r = 0;

	while (i < n && r == 0) {
		conv_fill(p, size, i);
		r = tpsend((int)number(w, 1, 0), p, size,
			   flags_of(word(w, 4, "-")), &event);
		i += r == 0;
	}
	answer_text("{\"sent\":%ld,\"err\":\"%s\",\"event\":\"%s\","
		    "\"ms\":%.3f}",
		    i, error_name(r == 0 ? 0 : tperrno), conv_event(event),
		    now_ms() - t);
	tpfree(p);
}

/* drain CD: receive a stream until an error or event */
void do_drain(const struct words *w)
{
	long n = 0, right = 0, len = 0, event = 0;
	char *p = NULL;
	double t = now_ms();
	int r;

	for (;;) {
		r = tprecv((int)number(w, 1, 0), &p, &len, 0, &event);
		if (r != 0)
			break;
		right += conv_is(p, len, n);
		n++;
	}
	answer_text("{\"got\":%ld,\"right\":%ld,\"err\":\"%s\","
		    "\"event\":\"%s\",\"ms\":%.3f}",
		    n, right, error_name(tperrno), conv_event(event),
		    now_ms() - t);
	if (p != NULL)
		tpfree(p);
}

/* Conversation number `i`: a message there, the service's answer back. */
static bool exchange(int cd, int i)
{
	char *p = tpalloc("STRING", NULL, 32), want[32];
	long len = 0, event = 0;
	bool good;

	snprintf(want, sizeof(want), "conv %d", i);
	strcpy(p, want);
	good = tpsend(cd, p, 0, TPRECVONLY, &event) == 0 &&
	       tprecv(cd, &p, &len, 0, &event) == -1 &&
	       tperrno == TPEEVENT && event == TPEV_SVCSUCC &&
	       strcmp(p, want) == 0;
	tpfree(p);
	return good;
}

/* conversations PREFIX N: services PREFIX0 to PREFIX<N-1> at once, each returns
 * what it is sent */
void do_convs(const struct words *w)
{
	int n = (int)number(w, 2, 1), i, good = 0, *cd = calloc((size_t)n,
								sizeof(int));
	char service[32], *p = tpalloc("STRING", NULL, 32);
	double t = now_ms();

	strcpy(p, "all last");
	for (i = 0; i < n; i++) {
		snprintf(service, sizeof(service), "%s%d", word(w, 1, ""), i);
		cd[i] = tpconnect(service, p, 0, TPSENDONLY);
		good += cd[i] == i;
	}
	for (i = 0; i < n; i++)
		good += exchange(cd[i], i);
	answer_text("{\"good\":%d,\"err\":\"%s\",\"ms\":%.3f}", good,
		    error_name(tperrno), now_ms() - t);
	tpfree(p);
	free(cd);
}
