/* SPDX-License-Identifier: Apache-2.0 */
/*
 * families.h - the figures of a domain as families of OpenMetrics
 *
 * A table lists all families: name, type, unit, help, source of the value.
 * doc/metrics.md lists the same for people.
 */
#ifndef OW_FAMILIES_H
#define OW_FAMILIES_H

struct ow_figures;
struct ow_text;

/* Write all families, "# EOF" included. */
void ow_families_write(const struct ow_figures *f, struct ow_text *t);

#endif
