/* SPDX-License-Identifier: Apache-2.0 */
/*
 * player.h - reads the black box, second by second
 *
 * Gives the samples that were recorded; the model (libndrx/model/model.h) makes
 * figures of them as of those of now. What is damaged is never shown: after a
 * bad record there is nothing until the next whole one, and it is counted.
 */
#ifndef OW_BB_PLAYER_H
#define OW_BB_PLAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ow_bb_file;
struct ow_bb_player;
struct ow_event;
struct ow_sample;

struct ow_bb_listener {
	/* A sample was recorded. Valid during the call. 0, or a negative errno
	 * that ends it. */
	int (*sample)(void *arg, const struct ow_sample *s);
	void (*event)(void *arg, const struct ow_event *e); /* or NULL */
	void *arg;
};

/* `f` becomes the player's. NULL: no memory, and f is closed. */
struct ow_bb_player *ow_bb_player_new(struct ow_bb_file *f);
struct ow_bb_player *ow_bb_player_free(struct ow_bb_player *p);

/* Begin at the last whole record before `real_ns`, and play to there. */
int ow_bb_play_from(struct ow_bb_player *p, uint64_t real_ns);
/* Go on with all records until `real_ns`, that time included. 0 or -errno. */
int ow_bb_play(struct ow_bb_player *p, uint64_t real_ns,
	       const struct ow_bb_listener *l);
/* The time of the next record; 0: there is none. */
uint64_t ow_bb_play_next(struct ow_bb_player *p);
/* Records that were left out since ow_bb_play_from(): damaged ones, and those
 * that build on them. */
uint64_t ow_bb_play_lost(const struct ow_bb_player *p);

/* Was the wall clock set back before the record that was played last? */
bool ow_bb_play_is_back(const struct ow_bb_player *p);

/* From when to when it has records: false, it has none. */
bool ow_bb_player_span(struct ow_bb_player *p, uint64_t *ret_first,
		       uint64_t *ret_last);
/* What an operator should know of the file: "" or a line. */
void ow_bb_player_say(struct ow_bb_player *p, char *buf, size_t size);
struct ow_bb_file *ow_bb_player_file(struct ow_bb_player *p);

#endif
