/* SPDX-License-Identifier: Apache-2.0 */
/*
 * families.h - the figures of a domain as families of OpenMetrics
 *
 * One table says what there is: name, type, unit, help, and where the value
 * comes from. doc/metrics.md lists the same for people.
 */
#ifndef OW_FAMILIES_H
#define OW_FAMILIES_H

struct ow_figures;
struct ow_text;

/* Everything, up to and with "# EOF". */
void ow_families_write(const struct ow_figures *f, struct ow_text *t);

#endif
