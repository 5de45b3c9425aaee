/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder.h - writes the black box: one record a second
 *
 * Looks as ndrxtop does (libndrx/model/sample.h): it maps the tables read-only,
 * and is on no call's path. Without room on the disk a record is lost, and the
 * next one is whole.
 */
#ifndef OW_BB_RECORDER_H
#define OW_BB_RECORDER_H

#include <stddef.h>
#include <stdint.h>

struct ow_bb_recorder;
struct ow_sample;

/* Open for the domain of the environment. 0; -errno with `why`. */
int ow_bb_recorder_open(const char *path, uint32_t mib,
			struct ow_bb_recorder **ret, char *why, size_t size);
struct ow_bb_recorder *ow_bb_recorder_close(struct ow_bb_recorder *r);
/* Write a record of now: 0 or -errno, a record is missing. */
int ow_bb_record(struct ow_bb_recorder *r);
/* Write a record of a sample. */
int ow_bb_record_sample(struct ow_bb_recorder *r, const struct ow_sample *s);

/* Its file, unless another is named: $NDRX_APPHOME/log/blackbox. "" without
 * NDRX_APPHOME. */
void ow_bb_path(char *buf, size_t size);

#endif
