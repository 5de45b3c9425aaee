/* SPDX-License-Identifier: Apache-2.0 */
/*
 * masks.h - fields whose values are not shown
 *
 * <mask> of the configuration in force names them; a name that looks like a
 * secret's is one of them, too.
 */
#ifndef OW_XADMIN_MASKS_H
#define OW_XADMIN_MASKS_H

struct ow_args;
struct ow_config;
struct ow_domain;

struct ow_masks {
	struct ow_config *config;
	const char *names; /* in it; NULL: none */
};

/* 0; an exit code, with a message: nobody can say what is masked. */
int ow_masks_read(struct ow_args *a, const struct ow_domain *d,
		  struct ow_masks *ret);
void ow_masks_end(struct ow_masks *m);

/* The JSON text with "***" for each member of such a name, at any depth:
 * malloc'ed; NULL: no memory, or it is no JSON. */
char *ow_masks_json(const struct ow_masks *m, const char *json);

#endif
