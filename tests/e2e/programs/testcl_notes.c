/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testcl_notes.c - call headers, log files of requests, locks of groups
 */
#include <ndebug.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "testcl.h"

static UBFH *header_of(const char *text)
{
	UBFH *p = (UBFH *)tpalloc("UBF", NULL, (long)strlen(text) + 1024);

	Bchg(p, TEST_FIELD, 0, (char *)text, (BFLDLEN)strlen(text));
	return p;
}

/* The text of a message's header; "-": it has none. Static. */
static const char *header_at(const char *msg)
{
	static char text[2000];
	UBFH *p = NULL;
	BFLDLEN n = 0;
	char *found;

	strcpy(text, "-");
	if (msg != NULL && tpgetcallinfo(msg, &p, TPCI_NOEOFERR) == 1) {
		found = Bfind(p, TEST_FIELD, 0, &n);
		snprintf(text, sizeof(text), "%.*s", n, found);
	}
	if (p != NULL)
		tpfree((char *)p);
	return text;
}

/* info SVC FLAGS HEADER DATA: call with a header; the reply and its header.
 * The reply goes into the buffer that was sent. */
void do_info(const struct words *w)
{
	long len = 0, olen = 0;
	char *data = make_data(word(w, 4, "-"), &len);
	UBFH *h = header_of(word(w, 3, ""));
	size_t n;
	const char *p;
	int r, err = 0;

	if (tpsetcallinfo(data, h, 0) != 0 ||
	    tpcall((char *)word(w, 1, ""), data, len, &data, &olen,
		   flags_of(word(w, 2, "-"))) != 0)
		err = tperrno;
	r = err == 0 ? 0 : -1;
	p = test_bytes(data, olen, &n);
	answer_text("{\"ret\":%d,\"err\":\"%s\",\"len\":%ld,\"sum\":%ld,"
		    "\"data\":\"%.*s\",\"info\":\"%s\"}",
		    r, error_name(err), olen, test_sum(p, n),
		    n > 100 ? 100 : (int)n, p, header_at(data));
	tpfree((char *)h);
	tpfree(data);
}

/* locked GROUP */
void do_locked(const struct words *w)
{
	long r = tpsgislocked((int)number(w, 1, 0), 0, NULL);

	answer_text("{\"err\":\"%s\",\"result\":%ld}",
		    error_name(r < 0 ? tperrno : 0), r);
}

/* reqlog FILE FILESVC SVC: name a log file for a request ("-": none), log to it,
 * call SVC with the request. */
void do_reqlog(const struct words *w)
{
	const char *file = word(w, 1, "-"), *filesvc = word(w, 2, "-");
	char *p = tpalloc("UBF", NULL, 1024), name[256] = "";
	long len = 0;
	int err = 0;

	if (tplogsetreqfile(&p, strcmp(file, "-") != 0 ? (char *)file : NULL,
			    strcmp(filesvc, "-") != 0 ? (char *)filesvc
						      : NULL) != 0)
		err = tperrno;
	else
		TP_LOG(log_info, "client in the request");
	if (err == 0 && tploggetbufreqfile(p, name, sizeof(name)) != 0)
		err = tperrno;
	if (err == 0 &&
	    tpcall((char *)word(w, 3, ""), p, 0, &p, &len, 0) != 0)
		err = tperrno;
	tplogclosereqfile();
	answer_text("{\"err\":\"%s\",\"name\":\"%s\"}", error_name(err), name);
	tpfree(p);
}
