/* SPDX-License-Identifier: Apache-2.0 */
/*
 * single.c - the one context of a client's threads (strict-tuxedo)
 */
#include "libatmi/context/single.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/context/sharing.h"
#include "libatmi/door/runtime.h"
#include "libubf/base/compatible.h"
#include "libubf/base/uncancelled.h"

/* Its handle; one that has ended, or is of another process, is not found. */
static void *_Atomic single;
static _Atomic bool forgone;

static bool join_open(void *handle)
{
	struct ow_share *s = handle != NULL ? ow_bundle_share(handle) : NULL;

	return s != NULL && ow_share_join(s, handle) == 0;
}

/* Open one, unless another thread is quicker; false: no memory. */
static bool open_one(void *was)
{
	struct ow_bundle *b;

	if (ow_bundle_new(OW_PART_BIT(OW_PART_ATMI), false, &b) != 0)
		return false;
	ow_share_open(&b->share, b->handle, NULL, true);
	if (atomic_compare_exchange_strong(&single, &was, b->handle))
		return true;
	ow_share_open(&b->share, NULL, NULL, false);
	ow_bundle_free(b);
	return true;
}

static bool join(void)
{
	OW_UNCANCELLED;
	struct ow_held *h;
	void *was;

	if (ow_ctx_peek() != NULL || !ow_compat_tuxedo() || ow_runtime_is() ||
	    ow_ctx_is_multi() || atomic_load(&forgone))
		return false;
	h = ow_held_need(); /* the end of the thread is noticed */
	if (h == NULL || h->part[OW_PART_ATMI] != NULL)
		return false;
	do { /* another thread may have ended it, or opened the next one */
		was = atomic_load(&single);
		if (join_open(was))
			return true;
	} while (open_one(was));
	return false;
}

const struct ow_single ow_single = { .join = join };

void ow_single_forgo(void)
{
	if (!atomic_load(&forgone))
		atomic_store(&forgone, true);
}

int ow_single_own(void)
{
	OW_SHARED;
	struct ow_share *s = ow_sharing;
	struct ow_ctx *c;

	if (!ow_share_is_single())
		return 0;
	c = ow_ctx_peek();
	if (c != NULL && ow_share_alone(s) != 0)
		return -EBUSY;
	if (c != NULL) {
		c = ow_ctx_detach();
		c->share = NULL;
		ow_bundle_free(ow_bundle_of_share(s));
		ow_share_close(s);
	}
	ow_shared_quit();
	ow_share_decline();
	ow_ctx_attach(c);
	return 0;
}

int ow_single_put_on(void)
{
	struct ow_held *h = ow_held_need();

	if (ow_share_is_single())
		return 0;
	return h != NULL ? ow_context_share(h, atomic_load(&single)) : -ENOENT;
}
