/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testcl_login.c - commands of the test client: who am I?
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <tpbind.h>
#include <xatmi.h>

#include "common.h"
#include "testcl.h"

/* login USER PASSWORD [DATA [TEXT [DATALEN]]]: tpinit() with these; ~ stands for
 * "". DATA is a number, or - and TEXT is the data, with its end */
void do_login(const struct words *w)
{
	const char *text = word(w, 4, "");
	long len = number(w, 5, (long)strlen(text) + 1);
	TPINIT *p = (TPINIT *)tpalloc("TPINIT", NULL,
				      (long)TPINITNEED(len < 100000 ? len : 1000));
	const char *user = word(w, 1, "~"), *password = word(w, 2, "~");
	double t = now_ms();

	if (strcmp(user, "~") != 0)
		snprintf(p->usrname, sizeof(p->usrname), "%s", user);
	if (strcmp(password, "~") != 0)
		snprintf(p->passwd, sizeof(p->passwd), "%s", password);
	p->data = strcmp(word(w, 3, "0"), "-") != 0 ? number(w, 3, 0) : 0;
	if (*text != '\0') {
		memcpy((char *)p + offsetof(TPINIT, data), text,
		       strlen(text) + 1);
		p->datalen = len;
	}
	answer_call(tpinit(p), NULL, 0, t);
	tpfree((char *)p);
}

/* chkauth: what tpchkauth() returns */
void do_chkauth(const struct words *w)
{
	(void)w;
	answer_call(tpchkauth(), NULL, 0, now_ms());
}

/* setcaller NAME KEY */
void do_setcaller(const struct words *w)
{
	double t = now_ms();

	answer_call(tpsetcaller(word(w, 1, "-"), number(w, 2, 0)), NULL, 0, t);
}
