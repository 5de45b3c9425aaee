/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml.c - elements of ndrxconfig.xml, written by the import
 */
#include "clients/xadmin/import/import.h"

#include "libndrx/config/config.h"

void ow_import_put_element(struct ow_import *im, const char *name,
			   const char *text)
{
	fprintf(im->xml, "\t\t\t<%s>", name);
	ow_config_text_put(im->xml, text, true);
	fprintf(im->xml, "</%s>\n", name);
}

void ow_import_put_own(struct ow_import *im, const char *name, const char *text)
{
	fprintf(im->xml, "\t\t\t<%s>", name);
	ow_config_text_put(im->xml, text, false);
	fprintf(im->xml, "</%s>\n", name);
}

void ow_import_put_attribute(struct ow_import *im, const char *name,
			     const char *text)
{
	fprintf(im->xml, " %s=\"", name);
	ow_config_text_put(im->xml, text, true);
	putc('"', im->xml);
}
