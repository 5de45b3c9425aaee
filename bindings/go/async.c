/* SPDX-License-Identifier: Apache-2.0 */
/*
 * async.c - requests that are answered when their service has long returned
 */
#include "bridge.h"

#include <atmi.h>
#include <string.h>
#include <ubf.h>

static char *copy_ubf(char *data, long size)
{
	char *p = tpalloc((char *)"UBF", NULL, size);

	if (p != NULL && Bcpy((UBFH *)p, (UBFH *)data) == -1) {
		tpfree(p);
		return NULL;
	}
	return p;
}

char *gow_copy(char *data, long len)
{
	char type[XATMI_TYPE_LEN + 1] = "", sub[XATMI_SUBTYPE_LEN + 1] = "";
	long size = data == NULL ? -1 : tptypes(data, type, sub);
	char *p;

	if (size < 0)
		return NULL;
	if (gow_is_ubf(data))
		return copy_ubf(data, size);
	p = tpalloc(type, sub[0] != '\0' ? sub : NULL,
		    size > len ? size : len + 1);
	if (p != NULL)
		memcpy(p, data, (size_t)(size > len ? size : len));
	return p;
}

int gow_hand_on(char handed[GOW_HANDED])
{
	long len = GOW_HANDED;

	if (tpsrvgetctxdata2(handed, &len) == NULL)
		return -1;
	tpcontinue();
	return 0;
}

int gow_take(char handed[GOW_HANDED])
{
	return tpsrvsetctxdata(handed, 0);
}
