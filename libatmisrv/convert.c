/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.c - option -x: services that take and give buffers of another type
 */
#include "libatmisrv/convert.h"

#include <errno.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/buffer/buf.h"
#include "libatmi/buffer/callinfo.h"
#include "libatmi/buffer/convert.h"
#include "libatmi/log/log.h"
#include "libatmisrv/conversion.h"
#include "libatmisrv/options.h"
#include "libatmisrv/server.h"
#include "libubf/json/parse.h"

void ow_conversion_of(const struct ow_options *opt, struct ow_offer *o)
{
	uint32_t i;

	o->conversion = NULL;
	for (i = 0; i < opt->nconversions && o->conversion == NULL; i++) {
		const struct ow_opt_pair *c = &opt->conversion[i];

		if (strcmp(c->name, o->func) == 0 ||
		    strcmp(c->name, o->name) == 0)
			o->conversion = ow_conversion_find(c->target,
							   &o->forced);
	}
}

static long length_of(const char *data, const struct ow_buf_info *info)
{
	if (info->type == OW_BUF_VIEW)
		return (long)ow_view_size(info->view);
	return info->type == OW_BUF_JSON ? (long)strlen(data) + 1
					 : (long)info->size;
}

int ow_convert_request(const struct ow_offer *o, struct ow_msg *m,
		       char **data, long *len)
{
	const struct ow_conversion *mode = o->conversion;
	char error[OW_JSON_ERROR_MAX], *made = NULL;
	struct ow_buf_info info;
	int r;
	bool fits = *data != NULL && ow_buf_find(*data, &info) == 0 &&
		    info.type == mode->from;

	if (m->answer_as == 0 && (o->forced || fits))
		m->answer_as = (uint8_t)(mode->from + 1);
	if (!fits)
		return 0;
	r = ow_buf_convert(*data, mode->to, &made, error);
	if (r != 0) {
		log_error("service %s: the request does not convert (-x %s): "
			  "%s", o->name, mode->name,
			  r == -ENOMEM ? strerror(ENOMEM) : error);
		return r == -ENOMEM ? TPEOS : TPEITYPE;
	}
	ow_callinfo_move(*data, made);
	ow_buf_free_auto();
	ow_buf_set_auto(made);
	*data = made;
	if (ow_buf_find(made, &info) == 0)
		*len = length_of(made, &info);
	return 0;
}

char *ow_convert_answer(const struct ow_msg *m, char *data)
{
	enum ow_buf_type to = (enum ow_buf_type)(m->answer_as - 1);
	char error[OW_JSON_ERROR_MAX], *made = NULL;
	struct ow_buf_info info;
	int r;

	if (data == NULL || ow_buf_find(data, &info) != 0 || info.type == to ||
	    !ow_buf_converts(info.type) || !ow_buf_converts(to))
		return data;
	r = ow_buf_convert(data, to, &made, error);
	if (r != 0)
		log_error("the answer does not convert (-x): %s",
			  r == -ENOMEM ? strerror(ENOMEM) : error);
	else
		ow_callinfo_move(data, made);
	return r == 0 ? made : NULL;
}
