/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpconvert.c - ids of clients and transactions as text, and back
 *
 *	CLIENTID	clt,PROGRAM,PID,CONTEXT,NODE
 *			srv,PROGRAM,SERVER,PID,CONTEXT,NODE
 *	TPTRANID	tran,FLAGS,RM,NODE,SERVER,INITIATOR,RMS,XID
 *	XID		xid,FORMAT,GTRID,BQUAL
 *
 * RMS, GTRID and BQUAL are bytes in hexadecimal; an empty one is "-". Text is
 * checked as if an enemy had written it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <xatmi.h>
#include <xa.h>

#include "libatmi/base/tperror.h"

#define KINDS (TPCONVCLTID | TPCONVTRANID | TPCONVXID)

/* ---- bytes ---- */

static void put_hex(char *to, const void *from, size_t n)
{
	const unsigned char *p = from;

	if (n == 0)
		strcpy(to, "-");
	for (; n > 0; n--, to += 2)
		sprintf(to, "%02x", *p++);
}

/* At most `max` bytes; their number, or -1. */
static int get_hex(const char *text, void *to, size_t max)
{
	size_t n = strlen(text), i;
	unsigned char *p = to;
	unsigned int byte;

	if (strcmp(text, "-") == 0)
		return 0;
	if (n % 2 != 0 || n / 2 > max ||
	    strspn(text, "0123456789abcdef") != n)
		return -1;
	for (i = 0; i < n; i += 2) {
		sscanf(text + i, "%2x", &byte);
		*p++ = (unsigned char)byte;
	}
	return (int)(n / 2);
}

/* ---- CLIENTID ---- */

static bool is_client_id(const char *s)
{
	size_t n = strnlen(s, sizeof(((CLIENTID *)0)->clientdata));
	int commas = 0, i;

	if (n == sizeof(((CLIENTID *)0)->clientdata))
		return false;
	for (i = 0; s[i] != '\0'; i++) {
		commas += s[i] == ',';
		if ((unsigned char)s[i] < ' ')
			return false;
	}
	return (strncmp(s, "clt,", 4) == 0 && commas == 4) ||
	       (strncmp(s, "srv,", 4) == 0 && commas == 5);
}

static int convert_client(char *str, CLIENTID *id, bool to_text)
{
	const char *from = to_text ? id->clientdata : str;

	if (!is_client_id(from))
		return ow_tp_fail(TPEINVAL, "not the id of a client");
	if (to_text) {
		strcpy(str, id->clientdata);
	} else {
		memset(id, 0, sizeof(*id));
		strcpy(id->clientdata, str);
	}
	return 0;
}

/* ---- TPTRANID ---- */

static bool is_xid_text(const char *s, size_t size)
{
	size_t n = strnlen(s, size);

	for (size_t i = 0; i < n; i++)
		if (s[i] <= ' ' || s[i] == ',' || s[i] > '~')
			return false;
	return n < size;
}

static int tran_to_text(const TPTRANID *t, char *str)
{
	char rms[2 * sizeof(t->tmknownrms) + 1];

	if (!is_xid_text(t->tmxid, sizeof(t->tmxid)))
		return ow_tp_fail(TPEINVAL, "not the id of a transaction");
	put_hex(rms, t->tmknownrms,
		strnlen(t->tmknownrms, sizeof(t->tmknownrms)));
	snprintf(str, TPCONVMAXSTR, "tran,%d,%d,%d,%d,%d,%s,%s",
		 t->tmtxflags, t->tmrmid, t->tmnodeid, t->tmsrvid,
		 t->is_tx_initiator, rms,
		 t->tmxid[0] != '\0' ? t->tmxid : "-");
	return 0;
}

static int tran_from_text(const char *str, TPTRANID *ret)
{
	char rms[2 * sizeof(ret->tmknownrms) + 1] = "", xid[50] = "";
	TPTRANID t = { 0 };
	int end = 0, n;

	n = sscanf(str, "tran,%hd,%hd,%hd,%hd,%d,%66[^,],%49[^,]%n",
		   &t.tmtxflags, &t.tmrmid, &t.tmnodeid, &t.tmsrvid,
		   &t.is_tx_initiator, rms, xid, &end);
	if (n != 7 || str[end] != '\0' ||
	    !is_xid_text(xid, sizeof(t.tmxid)) ||
	    get_hex(rms, t.tmknownrms, sizeof(t.tmknownrms) - 1) < 0)
		return ow_tp_fail(TPEINVAL, "not the text of a transaction");
	if (strcmp(xid, "-") != 0)
		strcpy(t.tmxid, xid);
	*ret = t;
	return 0;
}

/* ---- XID ---- */

static int xid_to_text(const XID *x, char *str)
{
	char gtrid[2 * MAXGTRIDSIZE + 2], bqual[2 * MAXBQUALSIZE + 2];

	if (x->formatID != NULLXID &&
	    (x->gtrid_length < 0 || x->gtrid_length > MAXGTRIDSIZE ||
	     x->bqual_length < 0 || x->bqual_length > MAXBQUALSIZE))
		return ow_tp_fail(TPEINVAL, "a length in the XID is wrong");
	put_hex(gtrid, x->data,
		x->formatID == NULLXID ? 0 : (size_t)x->gtrid_length);
	put_hex(bqual, x->data + x->gtrid_length * (x->formatID != NULLXID),
		x->formatID == NULLXID ? 0 : (size_t)x->bqual_length);
	snprintf(str, TPCONVMAXSTR, "xid,%ld,%s,%s", x->formatID, gtrid,
		 bqual);
	return 0;
}

static int xid_from_text(const char *str, XID *ret)
{
	char gtrid[2 * MAXGTRIDSIZE + 2] = "", bqual[2 * MAXBQUALSIZE + 2] = "";
	XID x = { 0 };
	int end = 0, n, g, b = -1;

	n = sscanf(str, "xid,%ld,%129[^,],%129[^,]%n", &x.formatID, gtrid,
		   bqual, &end);
	g = n == 3 && str[end] == '\0' ? get_hex(gtrid, x.data, MAXGTRIDSIZE)
				       : -1;
	if (g >= 0)
		b = get_hex(bqual, x.data + g, MAXBQUALSIZE);
	if (b < 0)
		return ow_tp_fail(TPEINVAL, "not the text of an XID");
	x.gtrid_length = g;
	x.bqual_length = b;
	*ret = x;
	return 0;
}

/* ---- public ---- */

int tpconvert(char *str, char *bin, long flags)
{
	bool to_text = (flags & TPTOSTRING) != 0;

	ow_tp_clear();
	if (str == NULL || bin == NULL)
		return ow_tp_fail(TPEINVAL, "%s is NULL",
				  str == NULL ? "the text" : "the id");
	if (flags & ~(long)(TPTOSTRING | KINDS))
		return ow_tp_fail(TPEINVAL, "unknown flags");
	if (!to_text && strnlen(str, TPCONVMAXSTR) == TPCONVMAXSTR)
		return ow_tp_fail(TPEINVAL, "the text is longer than %d bytes",
				  TPCONVMAXSTR - 1);
	switch (flags & KINDS) {
	case TPCONVCLTID:
		return convert_client(str, (CLIENTID *)(void *)bin, to_text);
	case TPCONVTRANID:
		return to_text ? tran_to_text((TPTRANID *)(void *)bin, str)
			       : tran_from_text(str, (TPTRANID *)(void *)bin);
	case TPCONVXID:
		return to_text ? xid_to_text((XID *)(void *)bin, str)
			       : xid_from_text(str, (XID *)(void *)bin);
	default:
		return ow_tp_fail(TPEINVAL, "one of TPCONVCLTID, TPCONVTRANID "
				  "and TPCONVXID must be given");
	}
}
