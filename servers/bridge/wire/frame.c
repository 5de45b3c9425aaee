/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.c - what bridges say to each other: batches of frames
 */
#include "servers/bridge/wire/frame.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "libatmi/domain/waits.h"
#include "libatmi/subs/interest.h"
#include "libatmi/tran/remote.h"
#include "libatmi/wire/msg.h"

static int check_part(const struct ow_br_frame *f, const char *payload)
{
	struct ow_br_advert n;
	uint64_t all, some;

	if (f->len <= sizeof(n) || (f->len - sizeof(n)) % OW_BR_NAME != 0)
		return -EBADMSG;
	memcpy(&n, payload, sizeof(n));
	all = (uint64_t)n.plus + n.minus;
	some = (f->len - sizeof(n)) / OW_BR_NAME;
	return all <= OW_BR_ADVERT_MAX && f->offset <= all &&
		       some <= all - f->offset
		   ? 0
		   : -EBADMSG;
}

static int check_waits(const struct ow_br_frame *f)
{
	return f->len % sizeof(struct ow_waits_call) == 0 &&
		       f->len / sizeof(struct ow_waits_call) <= OW_WAITS_CALLS
		   ? 0
		   : -EBADMSG;
}

static int check_control(const struct ow_br_frame *f, const char *payload)
{
	struct ow_br_advert n;

	if (f->kind == OW_BR_HEARTBEAT)
		return f->len == sizeof(struct ow_br_heartbeat) ? 0 : -EBADMSG;
	if (f->kind == OW_BR_WHO)
		return f->len == sizeof(struct ow_br_who) ? 0 : -EBADMSG;
	if (f->kind == OW_BR_ADVERT_PART)
		return check_part(f, payload);
	if (f->kind == OW_BR_WAITS)
		return check_waits(f);
	if (f->kind == OW_BR_INTEREST)
		return f->len == sizeof(struct ow_interest) ? 0 : -EBADMSG;
	if (f->kind != OW_BR_ADVERT)
		return f->len == 0 ? 0 : -EBADMSG;
	if (f->len < sizeof(n))
		return -EBADMSG;
	memcpy(&n, payload, sizeof(n));
	return f->len == sizeof(n) + ((uint64_t)n.plus + n.minus) * OW_BR_NAME
		   ? 0
		   : -EBADMSG;
}

static int check_caller(const struct ow_br_frame *f, const char *payload)
{
	return f->len == sizeof(struct ow_br_caller) &&
		       memchr(payload, '\0', f->len) != NULL
		   ? 0
		   : -EBADMSG;
}

/* May a frame of this kind be in the lane? */
static bool is_in_lane(uint8_t kind, uint8_t lane)
{
	switch (kind) {
	case OW_BR_REQUEST:
	case OW_BR_CONNECT:
	case OW_BR_POST:
	case OW_BR_NOTIFY:
	case OW_BR_BROADCAST:
	case OW_BR_QUESTION:
	case OW_BR_CONFIRM:
		return lane == OW_BR_REQUESTS;
	case OW_BR_REPLY:
	case OW_BR_CONV:
	case OW_BR_ALLOW:
		return lane == OW_BR_REPLIES;
	case OW_BR_PART:
		return lane != OW_BR_CONTROL;
	case OW_BR_HEARTBEAT:
	case OW_BR_ASK:
	case OW_BR_ADVERT:
	case OW_BR_ADVERT_PART:
	case OW_BR_PING:
	case OW_BR_PONG:
	case OW_BR_WHO:
	case OW_BR_INTEREST:
	case OW_BR_ASK_INTEREST:
	case OW_BR_WAITS:
		return lane == OW_BR_CONTROL;
	default:
		return false;
	}
}

/* What the heads of requests, replies and messages of conversations must be;
 * the rest was checked. */
static int check_kind(const struct ow_br_frame *f)
{
	bool ok = true;

	switch (f->kind) {
	case OW_BR_REQUEST:
		ok = f->svc[0] != '\0' &&
		     ((f->flags & OW_BR_IN_TRAN) == 0 ||
		      (f->id != 0 && f->urcode != 0));
		break;
	case OW_BR_CONNECT:
		ok = f->svc[0] != '\0' && f->id != 0;
		break;
	case OW_BR_CONV:
		ok = f->id != 0 && (f->flags & OW_BR_OF_CONV) != 0 &&
		     f->tperr >= OW_CONV_ACCEPT && f->tperr <= OW_CONV_END &&
		     (f->total == 0 || f->tperr == OW_CONV_DATA);
		break;
	case OW_BR_QUESTION:
		ok = f->buftype == OW_BUF_CARRAY && f->id != 0 &&
		     f->total == sizeof(struct ow_tm_remote);
		break;
	case OW_BR_CONFIRM:
		ok = f->id == 0 && f->total == 0 && f->urcode != 0;
		break;
	case OW_BR_ALLOW:
		ok = f->id == 0 && f->total == 0 && f->svc[0] != '\0' &&
		     f->urcode >= -1;
		break;
	case OW_BR_POST:
	case OW_BR_NOTIFY:
	case OW_BR_BROADCAST:
		ok = f->buftype == OW_BUF_CARRAY &&
		     (f->kind == OW_BR_NOTIFY) == (f->id != 0);
		break;
	default:
		break;
	}
	return ok ? 0 : -EBADMSG;
}

static int check_frame(const struct ow_br_frame *f, const char *payload,
		       uint8_t lane)
{
	if (f->kind == OW_BR_CALLER)
		return lane == OW_BR_REQUESTS ? check_caller(f, payload)
					      : -EBADMSG;
	if (!is_in_lane(f->kind, lane))
		return -EBADMSG;
	if (lane == OW_BR_CONTROL)
		return check_control(f, payload);
	if (f->total > OW_BR_LARGEST || f->offset > f->total ||
	    f->len > f->total - f->offset)
		return -EBADMSG;
	if (f->kind == OW_BR_PART)
		return f->offset != 0 && f->len != 0 ? 0 : -EBADMSG;
	if (f->offset != 0 || f->sub_len > f->total || f->prio > 100 ||
	    f->sub_len > OW_MSG_SUBTYPE_MAX ||
	    !ow_buf_type_travels(f->buftype) ||
	    memchr(f->svc, '\0', sizeof(f->svc)) == NULL)
		return -EBADMSG;
	if (f->buftype == OW_BUF_NULL && f->total != 0)
		return -EBADMSG;
	return check_kind(f);
}

/* One frame at `at`: its payload, or NULL if it is not whole. */
static const char *read_frame(const void *data, size_t len, size_t at,
			      struct ow_br_frame *ret)
{
	if (len - at < sizeof(*ret))
		return NULL;
	memcpy(ret, (const char *)data + at, sizeof(*ret));
	if (ret->size > len - at || ret->len > ret->size ||
	    ret->size != ow_br_frame_size(ret->len))
		return NULL;
	return (const char *)data + at + sizeof(*ret);
}

int ow_br_batch_check(const void *data, size_t len, struct ow_br_batch *ret)
{
	size_t at = sizeof(*ret);
	struct ow_br_frame f;
	const char *payload;

	if (len < sizeof(*ret))
		return -EBADMSG;
	memcpy(ret, data, sizeof(*ret));
	if (ret->magic != OW_BR_MAGIC || ret->version != OW_BR_VERSION)
		return -EPROTO;
	if (ret->lane >= OW_BR_LANES || ret->session == 0)
		return -EBADMSG;
	while (at < len) {
		payload = read_frame(data, len, at, &f);
		if (payload == NULL || check_frame(&f, payload, ret->lane) != 0)
			return -EBADMSG;
		at += f.size;
	}
	return 0;
}

const char *ow_br_frame_next(const void *data, size_t len, size_t *at,
			     struct ow_br_frame *ret)
{
	const char *payload;

	if (*at == 0)
		*at = sizeof(struct ow_br_batch);
	if (*at >= len)
		return NULL;
	payload = read_frame(data, len, *at, ret);
	if (payload != NULL)
		*at += ret->size;
	return payload;
}

size_t ow_br_frame_put(char *to, struct ow_br_frame *f, const void *payload)
{
	f->size = (uint32_t)ow_br_frame_size(f->len);
	memcpy(to, f, sizeof(*f));
	if (f->len > 0)
		memcpy(to + sizeof(*f), payload, f->len);
	memset(to + sizeof(*f) + f->len, 0, f->size - sizeof(*f) - f->len);
	return f->size;
}
