/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.h - browsers that get a message a second (server-sent events)
 *
 * A stream that has sent its message is suspended until the next look, so that
 * it costs nothing between. It ends with its session.
 */
#ifndef OW_WEB_STREAM_H
#define OW_WEB_STREAM_H

#include <stdbool.h>

struct MHD_Connection;
struct MHD_Response;
struct ow_feed;
struct ow_feed_view;
struct ow_session;
struct ow_streams;

struct ow_streams *ow_streams_new(struct ow_feed *feed);
/* All have ended. */
struct ow_streams *ow_streams_free(struct ow_streams *s);

/* Is there room for one more? */
bool ow_streams_room(const struct ow_streams *s);
/* The endless response for a browser. With too many of its session the oldest
 * one ends: that a browser has closed one is seen at its next message only.
 * NULL: no memory. */
struct MHD_Response *ow_stream_response(struct ow_streams *s,
					struct MHD_Connection *c,
					struct ow_session *v,
					const struct ow_feed_view *view);
bool ow_streams_any(const struct ow_streams *s);
/* There is a new look: all go on. */
void ow_streams_wake(struct ow_streams *s);
/* All go on, and end. */
void ow_streams_end(struct ow_streams *s);

#endif
