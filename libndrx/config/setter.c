/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setter.c - the value of a field read into its member
 */
#include "libndrx/config/setter.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "libndrx/config/cmdline.h"
#include "libndrx/config/expand.h"
#include "libndrx/config/say.h"
#include "libndrx/config/value.h"

/* Everything that a parser of one kind needs. */
struct value {
	const struct ow_field *field;
	const char *text;
	uint64_t unit_ms;
	char why[OW_VALUE_WHY];
};

/* Where a value goes that is only checked. */
union scratch {
	int number, signals[3];
	bool yes;
	uint64_t ms;
	int64_t bytes;
	const char *text;
	struct ow_config_scale scale;
};

static int set_int(struct value *v, void *member)
{
	struct ow_value_range range = { v->field->lo, v->field->hi };
	int64_t n = 0;
	int r = ow_value_int(v->text, &range, v->why, &n);

	if (r == 0)
		*(int *)member = (int)n;
	return r;
}

static int set_bool(struct value *v, void *member)
{
	return ow_value_bool(v->text, v->why, member);
}

static int set_time(struct value *v, void *member)
{
	uint64_t ms = 0;
	int r = ow_value_time(v->text, v->unit_ms, v->why, &ms);

	if (r != 0)
		return r;
	if (ms == 0 && (v->field->flags & OW_FIELD_POSITIVE) != 0) {
		snprintf(v->why, sizeof(v->why),
			 "0 is too short; give a time greater than 0");
		return OW_VALUE_BAD;
	}
	*(uint64_t *)member = ms;
	return 0;
}

static int set_size(struct value *v, void *member)
{
	return ow_value_size(v->text, v->why, member);
}

static int set_killseq(struct value *v, void *member)
{
	return ow_value_killseq(v->text, v->why, member);
}

static int set_text(struct value *v, void *member)
{
	const struct ow_field *f = v->field;
	char shown[48];

	ow_value_quote(v->text, shown, sizeof(shown));
	if (f->words != NULL && !ow_config_word_in(f->words, v->text)) {
		snprintf(v->why, sizeof(v->why),
			 "%s is not known; give one of: %s", shown, f->words);
		return OW_VALUE_BAD;
	}
	if (f->hi > 0 && strlen(v->text) > (size_t)f->hi) {
		snprintf(v->why, sizeof(v->why),
			 "%s is too long; give at most %d bytes", shown,
			 (int)f->hi);
		return OW_VALUE_BAD;
	}
	*(const char **)member = *v->text == '\0' ? NULL : v->text;
	return 0;
}

static int set_command(struct value *v, void *member)
{
	struct ow_cmdline cmd = { 0 };
	char shown[48];
	int r = ow_cmdline_split(&cmd, v->text);

	ow_cmdline_clear(&cmd);
	if (r < 0)
		return r;
	if (r > 0) {
		snprintf(v->why, sizeof(v->why), "%s %s",
			 ow_value_quote(v->text, shown, sizeof(shown)),
			 ow_cmdline_strresult(r));
		return OW_VALUE_BAD;
	}
	*(const char **)member = *v->text == '\0' ? NULL : v->text;
	return 0;
}

static int set_scale(struct value *v, void *member)
{
	struct ow_config_scale scale = { 0 };
	int r = ow_value_scale(v->text, v->why, &scale);

	if (r == 0)
		*(struct ow_config_scale *)member = scale;
	return r;
}

static int set_share(struct value *v, void *member)
{
	return ow_value_share(v->text, v->why, member);
}

static int (*const setters[OW_FIELD_KINDS])(struct value *, void *) = {
	[OW_FIELD_INT] = set_int,
	[OW_FIELD_BOOL] = set_bool,
	[OW_FIELD_CYCLES] = set_time,
	[OW_FIELD_SECONDS] = set_time,
	[OW_FIELD_SIZE] = set_size,
	[OW_FIELD_KILLSEQ] = set_killseq,
	[OW_FIELD_TEXT] = set_text,
	[OW_FIELD_COMMAND] = set_command,
	[OW_FIELD_SCALE] = set_scale,
	[OW_FIELD_SHARE] = set_share,
};

static uint64_t unit_of(const struct ow_config_check *check,
			const struct ow_field *field)
{
	return field->kind == OW_FIELD_CYCLES ? check->config->app.sanity_ms
					      : 1000;
}

/* `text`: of the element, or of its attribute. */
static int set_value(struct ow_config_check *check,
		     const struct ow_field *field,
		     const struct ow_config_node *node, const char *text,
		     void *base)
{
	struct value v = { .field = field, .unit_ms = unit_of(check, field) };
	bool late = field->kind == OW_FIELD_COMMAND;
	bool kept = (field->flags & OW_FIELD_CHECKED) == 0;
	union scratch scratch;
	int r = ow_config_expand(check, node, text, late, &v.text);

	if (r != 0)
		return r;
	r = setters[field->kind](&v, kept ? (char *)base + field->offset
					  : (void *)&scratch);
	if (r > 0 && text != node->text)
		return ow_config_fail(check, node, "attribute %s: %s",
				      field->name, v.why);
	if (r > 0)
		return ow_config_fail(check, node, "%s", v.why);
	return r < 0 ? ow_config_no_memory(check) : 0;
}

int ow_config_field_set(struct ow_config_check *check,
			const struct ow_field *field,
			const struct ow_config_node *node, void *base)
{
	return set_value(check, field, node, node->text, base);
}

int ow_config_attr_set(struct ow_config_check *check,
		       const struct ow_field *field,
		       const struct ow_config_node *node, void *base)
{
	const char *text = ow_config_node_attr(node, field->name);

	return text == NULL ? 0 : set_value(check, field, node, text, base);
}

int ow_config_attrs_set(struct ow_config_check *check,
			const struct ow_field_table *table,
			const struct ow_config_node *node, void *base)
{
	int r = 0;

	for (size_t i = 0; i < table->n && r == 0; i++)
		r = ow_config_attr_set(check, &table->fields[i], node, base);
	return r;
}

void ow_config_set_initial(struct ow_config_check *check,
			   const struct ow_field_table *table,
			   bool cycles_only, void *base)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct ow_field *f = &table->fields[i];
		struct value v = { .field = f, .text = f->initial,
				   .unit_ms = unit_of(check, f) };
		int r;

		if (f->initial == NULL ||
		    (cycles_only && f->kind != OW_FIELD_CYCLES))
			continue;
		/* The table is right, and these kinds need no memory. */
		r = setters[f->kind](&v, (char *)base + f->offset);
		assert(r == 0);
	}
}

int ow_config_note_inert(struct ow_config_check *check,
			 const struct ow_field_table *table, int i,
			 const struct ow_config_node *node, uint64_t *noted)
{
	if ((table->fields[i].flags & OW_FIELD_INERT) == 0 ||
	    (*noted >> i & 1) != 0)
		return 0;
	*noted |= UINT64_C(1) << i;
	return ow_config_notice(check, node, "accepted, no effect yet");
}
