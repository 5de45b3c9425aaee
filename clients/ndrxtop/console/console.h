/* SPDX-License-Identifier: Apache-2.0 */
/*
 * console.h - the state behind the terminal
 *
 * The screen shown, its rows, the order in progress. keys.h turns keys into
 * actions, paint.h draws this state. The help is made from the table of
 * actions.
 */
#ifndef OW_CONSOLE_H
#define OW_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "libndrx/model/alarms.h"
#include "libndrx/model/eventlog.h"
#include "clients/ndrxtop/console/grid.h"
#include "libndrx/model/model.h"
#include "clients/ndrxtop/console/order.h"
#include "libndrx/model/sample.h"

/* X(name, keys, text of the help) */
#define OW_ACTIONS(X)                                                      \
	X(SERVICES, "1", "services")                                       \
	X(SERVERS, "2", "servers")                                         \
	X(QUEUES, "3", "queues")                                           \
	X(CLIENTS, "4", "clients")                                         \
	X(EVENTS, "5", "events: what ndrxd did and why")                   \
	X(WAKEUPS, "6", "wake-ups")                                        \
	X(TRANS, "7", "transactions")                                      \
	X(DURABLE, "8", "durable queues")                                  \
	X(NODES, "9", "nodes: links to other machines")                    \
	X(CALLS, "0", "calls: requests in flight, why they wait")          \
	X(HTTP, "H", "http: routes of the gates for HTTP")                 \
	X(NEXT, "Tab", "next screen")                                      \
	X(PREVIOUS, "Shift-Tab", "previous screen")                        \
	X(UP, "Up k", "select the row above")                              \
	X(DOWN, "Down j", "select the row below")                          \
	X(PAGE_UP, "PgUp", "a page up")                                    \
	X(PAGE_DOWN, "PgDn", "a page down")                                \
	X(FIRST, "Home g", "the first row")                                \
	X(LAST, "End G", "the last row")                                   \
	X(ENTER, "Enter", "open details: the servers of a service, ...")   \
	X(BACK, "Esc", "go back; remove the filter")                       \
	X(CARD, "i", "all columns of the selected row")                    \
	X(SERVER_EVENTS, "e", "events of the selected server")             \
	X(FILTER, "/", "show only rows with these words")                  \
	X(SORT_LEFT, "<", "sort by the column to the left")                \
	X(SORT_RIGHT, ">", "sort by the column to the right")              \
	X(REVERSE, "R", "reverse the order")                               \
	X(EARLIER, "Left", "black box (--at): a second back")              \
	X(LATER, "Right", "black box: a second on")                        \
	X(MINUTE_BACK, "[", "black box: a minute back")                    \
	X(MINUTE_ON, "]", "black box: a minute on")                        \
	X(FREEZE, "Space", "freeze the screen; again: continue")           \
	X(WINDOW, "w", "figures over 2 s, 10 s, 60 s, or all time")        \
	X(FASTER, "+", "refresh more often")                               \
	X(SLOWER, "-", "refresh less often")                               \
	X(ALARMS, "!", "all problems")                                     \
	X(START, "s", "start the selected server")                         \
	X(STOP, "x", "stop it")                                            \
	X(RESTART, "r", "restart it")                                      \
	X(OUTPUT, "o", "output of the last command")                       \
	X(ASCII, "a", "ASCII characters")                                  \
	X(REDRAW, "Ctrl-L", "redraw")                                      \
	X(HELP, "? h", "this help")                                        \
	X(QUIT, "q", "leave")

enum ow_action {
	OW_ACT_NONE,
#define X(name, keys, text) OW_ACT_##name,
	OW_ACTIONS(X)
#undef X
	OW_ACT_END
};

/* The popup over the screen, or the input that takes the keys. */
enum ow_mode {
	OW_MODE_PLAIN,
	OW_MODE_FILTER,	 /* words are typed */
	OW_MODE_CONFIRM, /* a question: y carries out the order */
	OW_MODE_HELP,
	OW_MODE_CARD,
	OW_MODE_ALARMS,
	OW_MODE_OUTPUT,
};

#define OW_TRAIL 8

struct ow_past;

struct ow_console {
	struct ow_past *past; /* shows the black box; NULL: shows now */
	struct ow_sampler *sampler; /* NULL with `past` */
	struct ow_model *model;
	struct ow_eventlog *log;
	const struct ow_sample *sample; /* the last one, NULL: none yet */
	struct ow_grid grid[OW_SCREEN_END];
	enum ow_screen_id now;
	/* the screens to go back to */
	struct {
		enum ow_screen_id screen;
		struct ow_scope scope; /* of the offers left, events left */
	} trail[OW_TRAIL];
	int depth;
	enum ow_mode mode;
	int popup_top; /* first visible line of the popup */
	bool frozen, utf8, quit, redraw;
	bool guest; /* it shows a guest what there is, and takes no orders */
	uint64_t span_ns;
	uint32_t period_ms;
	size_t page; /* rows on the screen, as last drawn */
	struct ow_alarm alarms[OW_ALARMS_MAX];
	size_t n_alarms;
	struct ow_order order;
	enum ow_ctl_verb ask; /* CONFIRM: what */
	uint32_t ask_srvid;
	char ask_text[256];
	char message[256]; /* in the last line */
	uint64_t message_ns; /* when it was set */
	char typed[64];	     /* FILTER: the filter before it was edited */
};

/* Attach to the domain of the environment: 0, or -errno with `why`. */
int ow_console_open(struct ow_console *c, char *why, size_t size);
/* The same for the black box; `past` becomes the console's. */
int ow_console_open_past(struct ow_console *c, struct ow_past *past, char *why,
			 size_t size);
void ow_console_close(struct ow_console *c);

/* Take a sample of the domain, unless frozen: 0 or -errno. */
int ow_console_look(struct ow_console *c);
/* Fill the current grid from the last sample. */
void ow_console_fill(struct ow_console *c);

void ow_console_act(struct ow_console *c, enum ow_action a);
/* A character of the filter; '\b' removes one, '\n' ends, 27 cancels. */
void ow_console_type(struct ow_console *c, int ch);
/* The answer to the question of CONFIRM. */
void ow_console_answer(struct ow_console *c, bool yes);
/* Read the output of the child that carries out an order. */
void ow_console_order_input(struct ow_console *c);

void ow_console_show(struct ow_console *c, enum ow_screen_id id);
__attribute__((format(printf, 2, 3)))
void ow_console_say(struct ow_console *c, const char *fmt, ...);

/* "Services", "DEPOSIT: servers", "server 12 banksv: services". */
void ow_console_title(const struct ow_console *c, char *buf, size_t size);
/* "2s", "10s", "60s", "all" */
const char *ow_console_window(const struct ow_console *c);

#endif
