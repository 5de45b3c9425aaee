/* SPDX-License-Identifier: Apache-2.0 */
/*
 * piecesv.c - a server that takes and gives data in pieces
 *
 * TAKE receives until it has the turn, and returns "BYTES SUM" as STRING. GIVE
 * sends F_COUNT bytes, of which each is its number modulo 251, in pieces. Of the
 * fields that come with the conversation F_NAME says what goes wrong: slow (20 ms
 * for each piece), late (3 s after the first one), fail (after the second one),
 * turn (GIVE gives the turn).
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <atmi.h>
#include <ubf.h>

enum { PIECE = 50000 };

struct how {
	long count;
	char name[32];
};

static void read_how(TPSVCINFO *info, struct how *h)
{
	BFLDLEN len = sizeof(h->name);
	char type[16] = "";

	memset(h, 0, sizeof(*h));
	if (info->data == NULL || tptypes(info->data, type, NULL) < 0 ||
	    strcmp(type, "UBF") != 0)
		return;
	CBget((UBFH *)info->data, Bfldid("F_COUNT"), 0, (char *)&h->count,
	      NULL, BFLD_LONG);
	CBget((UBFH *)info->data, Bfldid("F_NAME"), 0, h->name, &len,
	      BFLD_STRING);
}

static void piece_done(const struct how *h, int n)
{
	struct timespec ts = { 0, 20000000 }, late = { 3, 0 };

	if (strcmp(h->name, "late") == 0 && n == 1)
		nanosleep(&late, NULL);
	if (strcmp(h->name, "slow") == 0)
		nanosleep(&ts, NULL);
	if (strcmp(h->name, "fail") == 0 && n == 2)
		tpreturn(TPFAIL, 7, NULL, 0, 0);
}

static void TAKE(TPSVCINFO *info)
{
	char *p = tpalloc("CARRAY", NULL, PIECE);
	unsigned long bytes = 0, sum = 0;
	long len, event = 0;
	struct how h;

	read_how(info, &h);
	for (int n = 1; event == 0 && (info->flags & TPRECVONLY); n++) {
		len = 0;
		if (tprecv(info->cd, &p, &len, 0, &event) == -1 &&
		    event != TPEV_SENDONLY)
			tpreturn(TPFAIL, 0, NULL, 0, 0);
		for (long i = 0; i < len; i++)
			sum = sum * 31 + (unsigned char)p[i];
		bytes += (unsigned long)len;
		piece_done(&h, n);
	}
	tpfree(p);
	p = tpalloc("STRING", NULL, 100);
	snprintf(p, 100, "%lu %lu", bytes, sum);
	tpreturn(TPSUCCESS, 0, p, 0, 0);
}

static void GIVE(TPSVCINFO *info)
{
	char *p = tpalloc("CARRAY", NULL, PIECE);
	long done = 0, event = 0;
	struct how h;

	read_how(info, &h);
	for (int n = 1; done < h.count; n++) {
		long len = h.count - done < PIECE ? h.count - done : PIECE;

		for (long i = 0; i < len; i++)
			p[i] = (char)((done + i) % 251);
		done += len;
		if (tpsend(info->cd, p, len,
			   strcmp(h.name, "turn") == 0 ? TPRECVONLY : 0,
			   &event) == -1)
			break;
		piece_done(&h, n);
	}
	tpfree(p);
	tpreturn(done == h.count ? TPSUCCESS : TPFAIL, 0, NULL, 0, 0);
}

int tpsvrinit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (tpadvertise("TAKE", TAKE) < 0)
		return -1;
	return tpadvertise("GIVE", GIVE);
}

void tpsvrdone(void)
{
}
