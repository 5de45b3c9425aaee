/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feed.h - the screens as JSON, made once a second for all who look
 *
 * Looks at the domain as ndrxtop does, and only while somebody looks at it. A
 * text is made once for each screen that is shown, however many browsers show
 * it. One thread.
 */
#ifndef OW_WEB_FEED_H
#define OW_WEB_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/ndrxweb/rows.h"

struct ow_feed;

/* What a browser shows. */
struct ow_feed_view {
	int screen; /* enum ow_screen_id; -1: the overview */
	uint32_t svc, srvid; /* offers and events of these only; 0: all */
	struct ow_web_order order; /* where there are many rows */
};

/* A text that is shared; `refs` are counted by hand. */
struct ow_feed_text {
	unsigned int refs;
	size_t n;
	char *bytes;
};

int ow_feed_open(struct ow_feed **ret, char *why, size_t size);
struct ow_feed *ow_feed_close(struct ow_feed *f);

/* Look again: 0 or -errno. Texts of the look before stay with who has them. */
int ow_feed_look(struct ow_feed *f);
/* Is the last look of now? Nobody has looked for a while, else. */
bool ow_feed_fresh(const struct ow_feed *f);
/* The number of the last look. */
uint64_t ow_feed_number(const struct ow_feed *f);
/* The message for a view, as a server-sent event; to be released. NULL: no
 * memory, or no look yet. */
struct ow_feed_text *ow_feed_get(struct ow_feed *f,
				 const struct ow_feed_view *v);
void ow_feed_release(struct ow_feed_text *t);

/* From when to when the black box has records (wall clock): false, with `why`. */
bool ow_feed_span(struct ow_feed *f, uint64_t *ret_first, uint64_t *ret_last,
		  char *why, size_t size);
/* The message for a view as it was then, as JSON; to be released. NULL with
 * `why`. */
struct ow_feed_text *ow_feed_past(struct ow_feed *f, uint64_t real_ns,
				  const struct ow_feed_view *v, char *why,
				  size_t size);

/* "services" and so on, "overview": false, there is no such screen. */
bool ow_feed_screen(const char *name, int *ret);
/* The screens with their columns, as JSON; to be released. */
struct ow_feed_text *ow_feed_screens(void);

#endif
