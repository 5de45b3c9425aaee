/* SPDX-License-Identifier: Apache-2.0 */
/*
 * def.h - the definition of a view: its members and their places
 *
 * Built column by column, in the order of the view file. Each member is placed
 * by the rules of C on this machine, so no compiler has to be asked. A finished
 * definition does not change, except for two words of a column that are read
 * and written atomically: the id of its field, looked up at the first use, and
 * its mapping, which Bvopt() sets.
 *
 * A column NAME with the flags C and L has the members
 *	short C_NAME;			elements in use
 *	unsigned short L_NAME[count];	lengths of the values
 *	type NAME[count][size];
 */
#ifndef OW_UBF_VIEW_DEF_H
#define OW_UBF_VIEW_DEF_H

#include <stdint.h>
#include <ubf.h>

#define OW_VIEW_COUNT_MAX 65535
#define OW_VIEW_COUNT_C_MAX 32767	/* with a count member, a short */
#define OW_VIEW_LENGTH_MAX 65535	/* the length members are short, too */
#define OW_VIEW_SIZE_MAX (64u << 20)	/* bytes of a structure */
#define OW_VIEW_NOWHERE UINT32_MAX	/* offset of an absent member */

/* Flags of a column, as the letters of a view file. */
enum ow_view_flag {
	OW_VIEW_F = 1,	/* mapped from structure to buffer only */
	OW_VIEW_S = 2,	/* mapped from buffer to structure only */
	OW_VIEW_N = 4,	/* not mapped, even with F or S */
	OW_VIEW_C = 8,	/* has a count member */
	OW_VIEW_L = 16, /* has length members */
	OW_VIEW_P = 32, /* the null value is padded with its last byte */
};

enum ow_view_null {
	OW_VIEW_NULL_DEFAULT,	/* zero, or empty */
	OW_VIEW_NULL_VALUE,
	OW_VIEW_NULL_NONE,	/* no value is null */
};

struct ow_view_col {
	char *cname;
	char *fbname;		/* name of the field, NULL: none */
	char *null_text;	/* as in the file */
	char *null;		/* the null value, at least 8 bytes */
	uint32_t null_len;
	unsigned int line;	/* in the view file */
	uint8_t type, flags, null_kind;
	uint8_t null_cut;	/* the value of the file was longer */
	uint32_t count;
	uint32_t size;		/* bytes of an element */
	uint32_t offset;
	uint32_t count_at, len_at;
	int id;			/* atomic; 0: not looked up yet */
	int mapping;		/* atomic; OW_VIEW_F, OW_VIEW_S, both or 0 */
};

struct ow_view {
	char name[NDRX_VIEW_NAME_LEN + 1];
	uint32_t no;		/* number among the loaded views */
	uint32_t ncols, cap;
	struct ow_view_col *cols;
	struct ow_view_member *members;	/* hash table by name */
	uint64_t end;		/* bytes of the members placed so far */
	uint32_t size;		/* of the structure */
	uint32_t align;
	uint32_t cksum;		/* over names, types, sizes and offsets */
};

/* `name` has at most NDRX_VIEW_NAME_LEN bytes. 0 or -ENOMEM. */
int ow_view_new(const char *name, struct ow_view **ret_view);
void ow_view_freep(struct ow_view **vp);
/* Place a column behind the others. On success the view owns its strings, on
 * failure the caller still does. 0, -EEXIST (a member has that name),
 * -EFBIG (structure too large), -ENOMEM. */
int ow_view_add(struct ow_view *v, const struct ow_view_col *col);
/* Call when all columns are placed: sets size and checksum. */
void ow_view_finish(struct ow_view *v);
/* The column with this cname, or NULL. */
struct ow_view_col *ow_view_column(const struct ow_view *v, const char *cname);
void ow_view_col_free(struct ow_view_col *col);

#endif
