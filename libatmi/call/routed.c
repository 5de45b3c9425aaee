/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routed.c - the queue of a request whose data choose the service
 */
#include "libatmi/call/routed.h"

#include <string.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/content.h"
#include "libatmi/call/context.h"
#include "libatmi/call/svcq.h"
#include "libatmi/route/route.h"

/* The UBF buffer of a guest's request, a copy of what has come: to be freed;
 * NULL: it is damaged, or there is no memory. */
static char *copy_of_ubf(const struct ow_content *c)
{
	char *copy = NULL;
	long len = 0;

	if (c->payload.data != NULL)
		(void)ow_buf_from_wire(OW_BUF_UBF, c->payload.data,
				       c->payload.len, &copy, &len);
	return copy;
}

/* The same of a VIEW, with its name in *ret_name; NULL also: this process does
 * not know the view. */
static char *copy_of_view(const struct ow_content *c, const char **ret_name)
{
	const struct ow_view *view = NULL;
	char *copy;

	if (c->sub_len == 0 || c->payload.data == NULL ||
	    memchr(c->subtype, '\0', c->sub_len) == NULL ||
	    ow_view_find((const char *)c->subtype, &view) != 0 ||
	    !ow_buf_is_view(c->subtype, c->sub_len, view) ||
	    c->payload.len != ow_view_size(view))
		return NULL;
	copy = ow_buf_new_view(view, c->payload.len);
	if (copy == NULL)
		return NULL;
	memcpy(copy, c->payload.data, c->payload.len);
	*ret_name = ow_view_name(view);
	return copy;
}

/* The data that choose: the program's buffer, or, of a guest, a copy of what
 * has come, which is returned, to be freed. */
static char *data_of(const struct ow_sending *s, struct ow_route_data *ret)
{
	char *buffer = s->buffer, *copy = NULL;
	const char *view = buffer != NULL && s->info.type == OW_BUF_VIEW
			       ? ow_view_name(s->info.view)
			       : NULL;

	*ret = (struct ow_route_data){ .ubf = NULL };
	if (buffer == NULL && s->info.type == OW_BUF_UBF)
		buffer = copy = copy_of_ubf(&s->content);
	else if (buffer == NULL && s->info.type == OW_BUF_VIEW)
		buffer = copy = copy_of_view(&s->content, &view);
	if (s->info.type == OW_BUF_UBF)
		ret->ubf = (UBFH *)buffer;
	if (s->info.type == OW_BUF_VIEW && buffer != NULL) {
		ret->cstruct = buffer;
		ret->view = (char *)(uintptr_t)view;
	}
	return copy;
}

int ow_routed_find(struct ow_ctx *c, const char *svc,
		   const struct ow_sending *data, char name[32],
		   struct ow_svcq **ret)
{
	struct ow_route_data of;
	char why[200], *copy = data_of(data, &of);
	int r = ow_route_choose(c->dom, svc, &of, name, why, sizeof(why));

	if (copy != NULL)
		ow_buf_free(copy);
	if (r < 0)
		return ow_tp_fail(TPESYSTEM, "service %s: %s", svc, why);
	return ow_svcq_find_despite(c, r == 0 ? name : svc,
				    OW_SVC_ROUTED | OW_SVC_CACHED |
					OW_SVC_DURABLE, ret);
}
