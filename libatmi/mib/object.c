/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.c - the list of classes; values of an object
 */
#include "libatmi/mib/object.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libubf/base/printable.h"

const struct ow_mib_class *const ow_mib_classes[] = {
	&ow_mib_t_client,  &ow_mib_t_domain, &ow_mib_t_group,
	&ow_mib_t_machine, &ow_mib_t_queue,  &ow_mib_t_server,
	&ow_mib_t_service, &ow_mib_t_svcgrp, NULL,
};

const struct ow_mib_class *ow_mib_class_find(const char *name)
{
	int i;

	for (i = 0; ow_mib_classes[i] != NULL; i++)
		if (strcmp(ow_mib_classes[i]->name, name) == 0)
			return ow_mib_classes[i];
	return NULL;
}

int ow_mib_field_find(const struct ow_mib_class *c, BFLDID id)
{
	int i;

	for (i = 0; c->fields[i].name != NULL; i++)
		if (c->fields[i].id == id)
			return i;
	return -1;
}

void ow_mib_text(struct ow_mib_object *o, const char *fmt, ...)
{
	va_list ap;

	if (o->n >= OW_MIB_VALUES)
		return;
	va_start(ap, fmt);
	vsnprintf(o->v[o->n].text, OW_MIB_TEXT, fmt, ap);
	va_end(ap);
	ow_printable(o->v[o->n].text);
	o->n++;
}

void ow_mib_number(struct ow_mib_object *o, uint64_t n)
{
	if (o->n < OW_MIB_VALUES)
		o->v[o->n++].number = (long)n;
}
