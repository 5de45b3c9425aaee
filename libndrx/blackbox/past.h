/* SPDX-License-Identifier: Apache-2.0 */
/*
 * past.h - a console shows what the black box has recorded
 *
 * The model is made of the samples before the time that is shown, so that rates
 * and quantiles are those of then. Steps forward go on from there; a step back
 * begins again some records before.
 */
#ifndef OW_PAST_H
#define OW_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ow_eventlog;
struct ow_model;
struct ow_bb_file;
struct ow_past;

/* Open the black box of the domain that the environment names: 0; -ENOENT: there
 * is none; -EXDEV: it is of another domain; -errno. `why` says it. */
int ow_bb_open_own(struct ow_bb_file **ret, char *why, size_t size);

/* Open the black box of the domain of the environment, or the one in a report
 * (`report` not NULL); *text is the time (when.h), NULL: its end. 0 or -1 with
 * `why`. */
int ow_past_open(const char *report, const char *text, struct ow_past **ret,
		 char *why, size_t size);
struct ow_past *ow_past_close(struct ow_past *p);

/* From when to when there are records (wall clock). */
void ow_past_span(const struct ow_past *p, uint64_t *ret_first,
		  uint64_t *ret_last);
/* Go to a time. */
void ow_past_go(struct ow_past *p, uint64_t real_ns);

/* Go so many seconds on, or back. */
void ow_past_step(struct ow_past *p, int64_t seconds);
/* Bring model and events, of which new ones may be made, to the time: 0 or
 * -errno. */
int ow_past_look(struct ow_past *p, uint64_t span_ns, struct ow_model **model,
		 struct ow_eventlog **log);
/* What is to be said about the time that is shown; "" nothing. */
const char *ow_past_remark(const struct ow_past *p);

#endif
