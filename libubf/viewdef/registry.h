/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.h - the views of this process
 *
 * The first thread that asks loads them from VIEWDIR and VIEWFILES. They never
 * change and are never freed, so readers need no lock. A file of the list that
 * is in no folder is left out. A load that failed is tried again at the next
 * call. A VIEW buffer is sent as the name and the checksum of its view and the
 * bytes of the structure.
 *
 * Partly exported for libatmi; not part of the public interface. Berror is
 * left alone.
 */
#ifndef OW_VIEW_REGISTRY_H
#define OW_VIEW_REGISTRY_H

#include <stddef.h>
#include <stdint.h>

struct ow_view;

/* The view of that name: 0; -ENXIO (there is none), or the view files cannot
 * be loaded: -ENOENT (the variables are not set), -EBADMSG, -EIO, -ENOMEM. */
int ow_view_find(const char *name, const struct ow_view **ret_view);
/* Why the last ow_view_find() of this thread failed. */
const char *ow_view_error(void);
const char *ow_view_name(const struct ow_view *v);
size_t ow_view_size(const struct ow_view *v);
uint32_t ow_view_cksum(const struct ow_view *v);
/* Make all members of a structure null. */
void ow_view_init(const struct ow_view *v, char *cstruct);

/* View number n, or NULL. Bvnext() keeps numbers, which it can check, instead
 * of pointers. */
const struct ow_view *ow_view_by_number(uintptr_t n);

#endif
