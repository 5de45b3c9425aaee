/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.h - what the message layer needs of a view
 *
 * A VIEW buffer is sent as the name and the checksum of its view and the bytes
 * of the structure. Exported for libatmi; not part of the public interface.
 * Berror is left alone. Loaded views live as long as the process.
 */
#ifndef OW_UBF_VIEW_WIRE_H
#define OW_UBF_VIEW_WIRE_H

#include <stddef.h>
#include <stdint.h>

struct ow_view;

#pragma GCC visibility push(default)

/* The view of that name: 0; -ENXIO (there is none), or the view files cannot
 * be loaded: -ENOENT (not set, or not found), -EBADMSG, -EIO, -ENOMEM. */
int ow_view_find(const char *name, const struct ow_view **ret_view);
/* What went wrong when this thread's last ow_view_find() failed. */
const char *ow_view_error(void);
const char *ow_view_name(const struct ow_view *v);
size_t ow_view_size(const struct ow_view *v);
uint32_t ow_view_cksum(const struct ow_view *v);
/* Make all members of a structure null. */
void ow_view_init(const struct ow_view *v, char *cstruct);

#pragma GCC visibility pop

#endif
