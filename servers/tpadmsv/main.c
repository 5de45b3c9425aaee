/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - tpadmsv: a server that answers administrative requests (.TMIB)
 *
 * The answers are libatmi/mib/mib.h's. Any number of these servers may run and
 * share the queue of .TMIB. The cursor of a GET is kept by the server that
 * answered; its name is in the cursor, so a GETNEXT that another one gets is
 * forwarded to it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <userlog.h>
#include <xatmi.h>

#include "libatmi/base/env.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/member/join.h"
#include "libatmi/mib/mib.h"
#include "libatmisrv/own.h"

static struct {
	struct ow_domain *dom;
	struct ow_mib *mib;
	long cursors, page, hold_s, scan_s;
} self = {
	.cursors = OW_MIB_CURSORS,
	.page = OW_MIB_PAGE,
	.hold_s = OW_MIB_HOLD_S,
	.scan_s = 15,
};

/* Does the server run that has the cursor of this request? */
static bool is_for_another(UBFH *in, char *name)
{
	int svc;

	if (!ow_mib_of_others(self.mib, self.dom, in, name))
		return false;
	svc = ow_svc_find(self.dom->tables, name);
	return svc >= 0 && ow_svc_is_open(&self.dom->tables->svc[svc]);
}

static void answer(TPSVCINFO *svc)
{
	char name[40], type[XATMI_TYPE_LEN + 1] = "";
	char sub[XATMI_SUBTYPE_LEN + 1];
	char *out;
	long e;

	if (svc->data == NULL || tptypes(svc->data, type, sub) < 0 ||
	    (strcmp(type, "UBF") != 0 && strcmp(type, "FML32") != 0)) {
		userlog((char *)"tpadmsv: a request is not of type UBF");
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	}
	if (is_for_another((UBFH *)svc->data, name))
		tpforward(name, svc->data, svc->len, 0);
	out = tpalloc((char *)"UBF", NULL, self.page + OW_MIB_RESERVE);
	if (out == NULL)
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	e = ow_mib_answer(self.mib, self.dom, (UBFH *)svc->data, (UBFH *)out);
	tpreturn(e < 0 ? TPFAIL : TPSUCCESS, e, out, 0, 0);
}

static int tidy(void)
{
	ow_mib_tidy(self.mib);
	return 0;
}

/* ---- the server ---- */

static int take(int option)
{
	long n = 0, most = 86400, *to;

	switch (option) {
	case 'n':
		to = &self.cursors;
		most = 10000;
		break;
	case 'b':
		to = &self.page;
		most = 1 << 20;
		break;
	case 'v':
		to = &self.hold_s;
		break;
	case 's':
		to = &self.scan_s;
		break;
	default:
		return -1;
	}
	if (ow_env_parse_long(optarg, &n) != 0 || n < 1 || n > most)
		return -1;
	*to = n;
	return 0;
}

static int take_all(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "n:b:v:s:")) != -1)
		if (take(c) != 0) {
			userlog((char *)"tpadmsv: usage: -n cursors (100), -b "
					"bytes of a reply (4096), -v seconds "
					"that a cursor lives (30), -s seconds "
					"between looks for old ones (15)");
			return -1;
		}
	return 0;
}

static int offer(void)
{
	long node = self.dom->nodeid;
	char of_node[40], of_server[40];

	snprintf(of_node, sizeof(of_node), ".TMIB-%ld", node);
	snprintf(of_server, sizeof(of_server), ".TMIB-%ld-%d", node,
		 tpgetsrvid());
	return ow_advertise_own(".TMIB", answer) != 0 ||
			       ow_advertise_own(of_node, answer) != 0 ||
			       ow_advertise_own(of_server, answer) != 0
		   ? -1 : 0;
}

int tpsvrinit(int argc, char **argv)
{
	struct ow_mib_settings s = { .srvid = (uint32_t)tpgetsrvid() };
	char why[256] = "";

	if (take_all(argc, argv) != 0)
		return -1;
	if (ow_domain_join(false, &self.dom, why, sizeof(why)) != 0) {
		userlog((char *)"tpadmsv: %s", why);
		return -1;
	}
	s.cursors = (uint32_t)self.cursors;
	s.hold_s = (uint32_t)self.hold_s;
	s.page = (size_t)self.page;
	self.mib = ow_mib_new(&s);
	if (self.mib == NULL || offer() != 0) {
		userlog((char *)"tpadmsv: %s", self.mib == NULL
						   ? "no memory"
						   : tpstrerror(tperrno));
		return -1;
	}
	return tpext_addperiodcb((int)self.scan_s, tidy);
}

void tpsvrdone(void)
{
	self.mib = ow_mib_free(self.mib);
	if (self.dom != NULL)
		ow_domain_leave(self.dom);
}
