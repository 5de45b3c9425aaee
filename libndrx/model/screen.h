/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen.h - the screens as data
 *
 * A screen is a table of columns over one kind of row (rows.h). A column has
 * the offset of its field, its format, the limits from which it asks for
 * attention, and when to leave it out on a narrow terminal.
 */
#ifndef OW_SCREEN_H
#define OW_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libndrx/model/rows.h"

/* How a field is written. TEXT is a char array, SPARK the depths of a struct
 * ow_service_row, the others are doubles. */
enum ow_format {
	OW_FMT_TEXT,
	OW_FMT_RATE,	/* 0.3, 12.5, 1.2K: per second, per call */
	OW_FMT_COUNT,	/* 12, 1.2K */
	OW_FMT_ID,	/* in full */
	OW_FMT_TIME,	/* microseconds: 812us, 12.3ms, 4m05s */
	OW_FMT_BYTES,
	OW_FMT_PERCENT,
	OW_FMT_SPARK,
};

/* `drop` of a column that is shown only where one row is, with all of it. */
#define OW_DROP_ROW 255

struct ow_column {
	const char *title;
	const char *about; /* for the help */
	enum ow_format format;
	uint16_t at;	/* offset of the field in the row */
	uint8_t width;
	uint8_t drop;	/* left out on a narrow terminal, the highest first;
			 * 0: never; OW_DROP_ROW */
	bool grows;	/* takes the width that is left */
	double look, bad; /* from here on it asks for attention; 0: never */
};

enum ow_screen_id {
	OW_SCREEN_SERVICES,
	OW_SCREEN_SERVERS,
	OW_SCREEN_QUEUES,
	OW_SCREEN_CLIENTS,
	OW_SCREEN_EVENTS,
	OW_SCREEN_WAKEUPS,
	OW_SCREEN_TRANS,
	OW_SCREEN_DURABLE,
	OW_SCREEN_NODES,
	OW_SCREEN_CALLS,
	OW_SCREEN_HTTP,
	OW_SCREEN_OFFERS, /* only by drilling down */
	OW_SCREEN_END
};

/* Where the rows come from. */
enum ow_source {
	OW_FROM_SERVICES,
	OW_FROM_SERVERS,
	OW_FROM_CLIENTS,
	OW_FROM_OFFERS,
	OW_FROM_EVENTS,
	OW_FROM_TRANS,
	OW_FROM_DURABLE,
	OW_FROM_LINKS,
	OW_FROM_CALLS,
	OW_FROM_ROUTES,
};

struct ow_screen {
	const char *name; /* of -s */
	const char *title;
	const char *about;
	const char *empty; /* text shown when there are no rows */
	enum ow_source source;
	const struct ow_column *columns;
	uint8_t n_columns;
	uint8_t sort;	  /* column at the start */
	bool rising;	  /* smallest first at the start */
	enum ow_screen_id down; /* what Enter shows; itself: a popup */
};

const struct ow_screen *ow_screen(enum ow_screen_id id);
/* By its name or the beginning of it: OW_SCREEN_END if there is none. */
enum ow_screen_id ow_screen_find(const char *name);
/* Column by title, ignoring case: -1 if there is none. */
int ow_screen_column(const struct ow_screen *s, const char *title);

/* The number in a field, NAN for texts and unknown ones. */
double ow_column_number(const struct ow_column *c, const struct ow_row *row);
/* The text in a field, "" for numbers. */
const char *ow_column_text(const struct ow_column *c,
			   const struct ow_row *row);
/* How much the field asks for attention. */
enum ow_grade ow_column_grade(const struct ow_column *c,
			      const struct ow_row *row);

/* Has the row all of these words, in any case, each in one of its texts or in a
 * number that is shown in full (an id)? The page of ndrxweb has the same rule for
 * the rows that it shows: matches() in page.js. */
bool ow_row_has_words(const struct ow_screen *s, const struct ow_row *row,
		      const char *words);

#endif
