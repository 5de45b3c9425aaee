/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bareargsv.c - a server that leaves out what it may, and ends services by
 * returning (ATMI_SRVLIB_NOLONGJUMP)
 *
 * No tpsvrinit(), no tpsvrdone(). FACTS returns what it has found; each service
 * says on standard output that it has come back from tpreturn() or tpforward().
 */
#include <stdio.h>

#include <atmi.h>

void FACTS(TPSVCINFO *svc);
void FORWARDS(TPSVCINFO *svc);

static struct tmdsptchtbl_t table[] = {
	{ (char *)"FACTS", (char *)"FACTS", FACTS, 0, 0 },
	{ (char *)"FORWARDS", (char *)"FORWARDS", FORWARDS, 0, 0 },
	{ NULL, NULL, NULL, 0, 0 }
};

static struct tmsvrargs_t args = {
	&tmnull_switch, table, ATMI_SRVLIB_NOLONGJUMP, NULL, NULL, NULL, NULL,
	NULL, NULL, NULL, NULL, NULL
};

static void note(const char *what)
{
	printf("%s came back\n", what);
	fflush(stdout);
}

void FACTS(TPSVCINFO *svc)
{
	char *p = tpalloc((char *)"STRING", NULL, 100);
	int left = tpterm();

	(void)svc;
	snprintf(p, 100, "tpterm %s args %d run %d",
		 left == -1 && tperrno == TPEPROTO ? "TPEPROTO" : "ends it",
		 _tmgetsvrargs() == &args, _tmrunserver(0));
	tpreturn(TPSUCCESS, 0, p, 0, 0);
	note("tpreturn()");
}

void FORWARDS(TPSVCINFO *svc)
{
	tpforward((char *)"FACTS", svc->data, svc->len, 0);
	note("tpforward()");
}

int main(int argc, char **argv)
{
	return _tmstartserver(argc, argv, &args);
}
