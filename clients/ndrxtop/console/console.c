/* SPDX-License-Identifier: Apache-2.0 */
/*
 * console.c - the state behind the terminal
 */
#include "clients/ndrxtop/console/console.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libndrx/blackbox/past.h"
#include "libatmi/base/clock.h"

#define PERIOD_MIN 100u
#define PERIOD_MAX 60000u

/* The spans of windows to choose from; a window is one to two spans long. */
static const struct {
	uint64_t span_ns;
	const char *name;
} windows[] = {
	{ 2 * OW_NS_PER_SEC, "2s" },
	{ 10 * OW_NS_PER_SEC, "10s" },
	{ 60 * OW_NS_PER_SEC, "60s" },
	{ 0, "all" },
};

#define N_WINDOWS (sizeof(windows) / sizeof(*windows))

static int begin(struct ow_console *c, char *why, size_t size)
{
	int i;

	memset(c, 0, sizeof(*c));
	ow_order_init(&c->order);
	for (i = 0; i < OW_SCREEN_END; i++)
		ow_grid_start(&c->grid[i], (enum ow_screen_id)i);
	c->span_ns = windows[0].span_ns;
	c->period_ms = 500;
	c->page = 1;
	c->model = ow_model_new();
	c->log = ow_eventlog_new();
	if (c->model != NULL && c->log != NULL)
		return 0;
	snprintf(why, size, "no memory");
	return -ENOMEM;
}

int ow_console_open(struct ow_console *c, char *why, size_t size)
{
	int r = begin(c, why, size);

	return r == 0 ? ow_sampler_open(&c->sampler, why, size) : r;
}

int ow_console_open_past(struct ow_console *c, struct ow_past *past, char *why,
			 size_t size)
{
	int r = begin(c, why, size);

	c->past = past;
	return r;
}

void ow_console_close(struct ow_console *c)
{
	int i;

	ow_order_drop(&c->order);
	for (i = 0; i < OW_SCREEN_END; i++)
		ow_grid_clear(&c->grid[i]);
	c->log = ow_eventlog_free(c->log);
	c->model = ow_model_free(c->model);
	c->sampler = ow_sampler_close(c->sampler);
	c->past = ow_past_close(c->past);
}

static int look_back(struct ow_console *c)
{
	int r = ow_past_look(c->past, c->span_ns, &c->model, &c->log);

	if (r != 0)
		return r;
	c->n_alarms = ow_alarms_find(c->model, c->alarms);
	if (ow_past_remark(c->past)[0] != '\0')
		ow_console_say(c, "%s", ow_past_remark(c->past));
	return 0;
}

int ow_console_look(struct ow_console *c)
{
	/* Only the wake-ups screen reads context switches, which cost time. */
	bool switches = c->now == OW_SCREEN_WAKEUPS;
	int r;

	if (c->past != NULL)
		return look_back(c);
	if (c->frozen)
		return 0;
	ow_sampler_see_calls(c->sampler, c->now == OW_SCREEN_CALLS);
	r = ow_sampler_look(c->sampler, switches, &c->sample);
	if (r == 0)
		r = ow_model_take(c->model, c->sample);
	if (r != 0)
		return r;
	ow_eventlog_look(c->log, ow_sampler_domain(c->sampler),
			 c->sample->now_ns);
	c->n_alarms = ow_alarms_find(c->model, c->alarms);
	return 0;
}

void ow_console_fill(struct ow_console *c)
{
	static size_t (*const rows_of[])(const struct ow_model *m,
					 const struct ow_row *const **ret) = {
		[OW_FROM_SERVICES] = ow_model_services,
		[OW_FROM_SERVERS] = ow_model_servers,
		[OW_FROM_OFFERS] = ow_model_offers,
		[OW_FROM_CLIENTS] = ow_model_clients,
		[OW_FROM_TRANS] = ow_model_trans,
		[OW_FROM_DURABLE] = ow_model_durable,
		[OW_FROM_LINKS] = ow_model_links,
		[OW_FROM_CALLS] = ow_model_calls,
		[OW_FROM_ROUTES] = ow_model_routes,
	};
	struct ow_grid *g = &c->grid[c->now];
	const struct ow_row *const *rows = NULL;
	uint64_t now_ns = ow_model_overview(c->model)->now_ns;
	size_t n;

	if (g->screen->source == OW_FROM_EVENTS)
		n = ow_eventlog_rows(c->log, now_ns, &rows);
	else
		n = rows_of[g->screen->source](c->model, &rows);
	if (ow_grid_fill(g, rows, n) != 0)
		ow_console_say(c, "no memory for %zu rows", n);
}

void ow_console_say(struct ow_console *c, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	vsnprintf(c->message, sizeof(c->message), fmt, ap);
	va_end(ap);
	for (p = c->message; *p != '\0'; p++)
		if (*p < ' ' || *p > '~')
			*p = ' ';
	c->message_ns = ow_clock_mono_ns();
}

const char *ow_console_window(const struct ow_console *c)
{
	size_t i;

	for (i = 0; i < N_WINDOWS; i++)
		if (windows[i].span_ns == c->span_ns)
			return windows[i].name;
	return "?";
}

/* ---- screens ---- */

void ow_console_show(struct ow_console *c, enum ow_screen_id id)
{
	static const struct ow_scope all;

	c->depth = 0;
	c->grid[OW_SCREEN_EVENTS].scope = all;
	c->grid[OW_SCREEN_OFFERS].scope = all;
	c->now = id;
	ow_console_fill(c);
}

/* Show the rows of one service or server; Esc goes back. */
static void go_down(struct ow_console *c, enum ow_screen_id to,
		    struct ow_scope scope)
{
	struct ow_grid *g = &c->grid[to];

	if (c->depth == OW_TRAIL) {
		memmove(c->trail, c->trail + 1,
			sizeof(c->trail) - sizeof(*c->trail));
		c->depth--;
	}
	c->trail[c->depth].screen = c->now;
	c->trail[c->depth].scope = c->grid[c->now].scope;
	c->depth++;
	c->now = to;
	g->scope = scope;
	g->filter[0] = '\0';
	g->at = g->top = 0;
	g->moved = false;
	ow_console_fill(c);
}

static void look_closer(struct ow_console *c, int arg)
{
	struct ow_grid *g = &c->grid[c->now];
	const struct ow_row *row = ow_grid_selected(g);
	struct ow_scope scope = { 0 };

	if (row == NULL)
		return;
	if (g->screen->source == OW_FROM_SERVICES ||
	    (c->now == OW_SCREEN_OFFERS && g->scope.srvid != 0))
		scope.svc = row->svc;
	else if (g->screen->down == OW_SCREEN_OFFERS)
		scope.srvid = row->srvid;
	if (scope.svc != 0 || scope.srvid != 0) {
		go_down(c, OW_SCREEN_OFFERS, scope);
		return;
	}
	c->mode = OW_MODE_CARD;
	c->popup_top = 0;
}

static void show_events_of_server(struct ow_console *c, int arg)
{
	const struct ow_row *row = ow_grid_selected(&c->grid[c->now]);

	if (row == NULL || row->srvid == 0 || c->now == OW_SCREEN_EVENTS) {
		ow_console_say(c, "select a server (screen 2) first");
		return;
	}
	go_down(c, OW_SCREEN_EVENTS, (struct ow_scope){ .srvid = row->srvid });
}

static void go_back(struct ow_console *c, int arg)
{
	struct ow_grid *g = &c->grid[c->now];

	if (g->filter[0] != '\0') {
		g->filter[0] = '\0';
	} else if (c->depth > 0) {
		c->depth--;
		g->scope = (struct ow_scope){ 0 };
		c->now = c->trail[c->depth].screen;
		c->grid[c->now].scope = c->trail[c->depth].scope;
	}
	ow_console_fill(c);
}

static const char *service_name(const struct ow_console *c, uint32_t svc)
{
	const struct ow_row *const *rows;
	size_t i, n = ow_model_services(c->model, &rows);

	for (i = 0; i < n; i++)
		if (rows[i]->svc == svc)
			return ((const struct ow_service_row *)rows[i])->name;
	return "?";
}

static const struct ow_server_row *find_server(const struct ow_console *c,
					       uint32_t srvid)
{
	const struct ow_row *const *rows;
	size_t i, n = ow_model_servers(c->model, &rows);

	for (i = 0; i < n; i++)
		if (rows[i]->srvid == srvid)
			return (const struct ow_server_row *)rows[i];
	return NULL;
}

/* Servers and callers that look before they sleep: is it worth its CPU? */
static void title_wakeups(const struct ow_console *c, char *buf, size_t size)
{
	const struct ow_overview *t = ow_model_overview(c->model);

	if (!(t->spins > 0))
		return;
	snprintf(buf, size, "; looks %.0f/s, %.0f%% found one, %.1f%% of a CPU",
		 t->spins, 100 * t->spin_hits / t->spins, 100 * t->spin_cpu);
}

void ow_console_title(const struct ow_console *c, char *buf, size_t size)
{
	const struct ow_grid *g = &c->grid[c->now];
	const struct ow_server_row *s = find_server(c, g->scope.srvid);

	if (g->scope.svc != 0)
		snprintf(buf, size, "%s, by server",
			 service_name(c, g->scope.svc));
	else if (g->scope.srvid != 0)
		snprintf(buf, size, "%s of server %u %s",
			 c->now == OW_SCREEN_EVENTS ? "events" : "services",
			 g->scope.srvid, s != NULL ? s->name : "");
	else
		snprintf(buf, size, "%s", g->screen->about);
	if (c->now == OW_SCREEN_WAKEUPS && g->scope.svc == 0)
		title_wakeups(c, buf + strlen(buf), size - strlen(buf));
}

/* ---- orders ---- */

static void ask(struct ow_console *c, int verb)
{
	const struct ow_row *row = ow_grid_selected(&c->grid[c->now]);
	const struct ow_server_row *s = NULL;

	if (c->past != NULL) {
		ow_console_say(c, "this is the past: nothing can be ordered");
		return;
	}
	if (c->guest) {
		ow_console_say(c, "for guests `xadmin` takes orders: it says "
			       "who gives them");
		return;
	}
	if (row != NULL && row->srvid != 0)
		s = find_server(c, row->srvid);
	if (s == NULL) {
		ow_console_say(c, "select a server first: screen 2, or Enter on a "
			       "service");
		return;
	}
	c->ask = (enum ow_ctl_verb)verb;
	c->ask_srvid = s->row.srvid;
	snprintf(c->ask_text, sizeof(c->ask_text), "%s server %u, %s?%s%s%s",
		 verb == OW_VERB_START	? "Start"
		 : verb == OW_VERB_STOP ? "Stop"
					: "Restart",
		 s->row.srvid, s->name,
		 s->request[0] ? " It is serving a request of " : "",
		 s->request, s->request[0] ? "." : "");
	c->mode = OW_MODE_CONFIRM;
}

void ow_console_answer(struct ow_console *c, bool yes)
{
	int r;

	c->mode = OW_MODE_PLAIN;
	if (!yes) {
		ow_console_say(c, "nothing was done");
		return;
	}
	r = ow_order_start(&c->order, ow_sampler_domain(c->sampler), c->ask,
			   c->ask_srvid);
	if (r == -EBUSY)
		ow_console_say(c, "another command is still in progress");
	else if (r < 0)
		ow_console_say(c, "the command failed: %s", strerror(-r));
	else
		ow_console_say(c, "%s of server %u: in progress",
			       ow_ctl_verb_word(c->ask), c->ask_srvid);
}

void ow_console_order_input(struct ow_console *c)
{
	char *line = c->order.text, *end;

	if (!ow_order_input(&c->order))
		return;
	/* The last line is the result. */
	while ((end = strchr(line, '\n')) != NULL && end[1] != '\0')
		line = end + 1;
	line += strspn(line, "\t ");
	ow_console_say(c, "%s of server %u: %s%s%.*s (o: whole output)",
		       ow_ctl_verb_word(c->order.verb), c->order.srvid,
		       c->order.failed ? "failed" : "done",
		       *line != '\0' ? ": " : "", (int)strcspn(line, "\n"),
		       line);
	if (!c->order.failed)
		return;
	c->mode = OW_MODE_OUTPUT;
	c->popup_top = 0;
}

/* ---- actions: each with the argument of its row in the table ---- */

static void show_screen(struct ow_console *c, int id)
{
	ow_console_show(c, (enum ow_screen_id)id);
}

static void step_screen(struct ow_console *c, int by)
{
	int n = OW_SCREEN_OFFERS; /* screens with a number */
	int now = (int)c->now < n ? (int)c->now : 0;

	ow_console_show(c, (enum ow_screen_id)((now + by + n) % n));
}

static void step_sort(struct ow_console *c, int by)
{
	struct ow_grid *g = &c->grid[c->now];
	int n = g->screen->n_columns;

	ow_grid_sort(g, (g->sort + by + n) % n);
}

static void step_window(struct ow_console *c, int arg)
{
	size_t i = 0;

	while (i < N_WINDOWS && windows[i].span_ns != c->span_ns)
		i++;
	c->span_ns = windows[(i + 1) % N_WINDOWS].span_ns;
	ow_model_set_span(c->model, c->span_ns);
	ow_console_say(c, "figures over %s", ow_console_window(c));
}

static void step_period(struct ow_console *c, int faster)
{
	uint32_t ms = faster ? c->period_ms / 2 : c->period_ms * 2;

	c->period_ms = ms < PERIOD_MIN	 ? PERIOD_MIN
		       : ms > PERIOD_MAX ? PERIOD_MAX
					 : ms;
	ow_console_say(c, "refresh every %g s", c->period_ms / 1000.0);
}

/* A step in the black box; where there is none, the arrows open and close. */
static void step_time(struct ow_console *c, int seconds)
{
	if (c->past == NULL && (seconds == 60 || seconds == -60)) {
		ow_console_say(c, "`ndrxtop --at 03:12` shows the black box");
	} else if (c->past == NULL && seconds < 0) {
		go_back(c, 0);
	} else if (c->past == NULL) {
		look_closer(c, 0);
	} else {
		ow_past_step(c->past, seconds);
		c->message[0] = '\0';
		if (ow_console_look(c) == 0)
			ow_console_fill(c);
	}
}

static void pop_up(struct ow_console *c, int mode)
{
	c->mode = (int)c->mode == mode ? OW_MODE_PLAIN : (enum ow_mode)mode;
	c->popup_top = 0;
}

static void start_filter(struct ow_console *c, int arg)
{
	struct ow_grid *g = &c->grid[c->now];

	memcpy(c->typed, g->filter, sizeof(c->typed));
	c->mode = OW_MODE_FILTER;
}

void ow_console_type(struct ow_console *c, int ch)
{
	struct ow_grid *g = &c->grid[c->now];
	size_t len = strlen(g->filter);

	if (ch == 27)
		memcpy(g->filter, c->typed, sizeof(g->filter));
	else if (ch == '\b' && len > 0)
		g->filter[len - 1] = '\0';
	else if (ch >= ' ' && ch < 127 && len + 1 < sizeof(g->filter))
		g->filter[len] = (char)ch;
	if (ch == 27 || ch == '\n')
		c->mode = OW_MODE_PLAIN;
	ow_console_fill(c);
}

static void freeze(struct ow_console *c, int arg)
{
	c->frozen = !c->frozen;
	ow_console_say(c, c->frozen ? "frozen; Space continues" : "continued");
}

static void move(struct ow_console *c, int by)
{
	ow_grid_move(&c->grid[c->now], by);
}

static void move_page(struct ow_console *c, int by)
{
	ow_grid_move(&c->grid[c->now], by * (long)c->page);
}

static void move_to_end(struct ow_console *c, int last)
{
	ow_grid_select(&c->grid[c->now], last ? c->grid[c->now].n : 0);
}

static void reverse(struct ow_console *c, int arg)
{
	ow_grid_sort(&c->grid[c->now], c->grid[c->now].sort);
}

static void toggle_utf8(struct ow_console *c, int arg)
{
	c->utf8 = !c->utf8;
}

static void redraw(struct ow_console *c, int arg)
{
	c->redraw = true;
}

static void quit(struct ow_console *c, int arg)
{
	c->quit = true;
}

static const struct {
	void (*fn)(struct ow_console *c, int arg);
	int arg;
} acts[OW_ACT_END] = {
	[OW_ACT_SERVICES] = { show_screen, OW_SCREEN_SERVICES },
	[OW_ACT_SERVERS] = { show_screen, OW_SCREEN_SERVERS },
	[OW_ACT_QUEUES] = { show_screen, OW_SCREEN_QUEUES },
	[OW_ACT_CLIENTS] = { show_screen, OW_SCREEN_CLIENTS },
	[OW_ACT_EVENTS] = { show_screen, OW_SCREEN_EVENTS },
	[OW_ACT_WAKEUPS] = { show_screen, OW_SCREEN_WAKEUPS },
	[OW_ACT_TRANS] = { show_screen, OW_SCREEN_TRANS },
	[OW_ACT_DURABLE] = { show_screen, OW_SCREEN_DURABLE },
	[OW_ACT_NODES] = { show_screen, OW_SCREEN_NODES },
	[OW_ACT_CALLS] = { show_screen, OW_SCREEN_CALLS },
	[OW_ACT_HTTP] = { show_screen, OW_SCREEN_HTTP },
	[OW_ACT_NEXT] = { step_screen, 1 },
	[OW_ACT_PREVIOUS] = { step_screen, -1 },
	[OW_ACT_UP] = { move, -1 },
	[OW_ACT_DOWN] = { move, 1 },
	[OW_ACT_PAGE_UP] = { move_page, -1 },
	[OW_ACT_PAGE_DOWN] = { move_page, 1 },
	[OW_ACT_FIRST] = { move_to_end, false },
	[OW_ACT_LAST] = { move_to_end, true },
	[OW_ACT_ENTER] = { look_closer, 0 },
	[OW_ACT_BACK] = { go_back, 0 },
	[OW_ACT_CARD] = { pop_up, OW_MODE_CARD },
	[OW_ACT_SERVER_EVENTS] = { show_events_of_server, 0 },
	[OW_ACT_FILTER] = { start_filter, 0 },
	[OW_ACT_SORT_LEFT] = { step_sort, -1 },
	[OW_ACT_SORT_RIGHT] = { step_sort, 1 },
	[OW_ACT_REVERSE] = { reverse, 0 },
	[OW_ACT_EARLIER] = { step_time, -1 },
	[OW_ACT_LATER] = { step_time, 1 },
	[OW_ACT_MINUTE_BACK] = { step_time, -60 },
	[OW_ACT_MINUTE_ON] = { step_time, 60 },
	[OW_ACT_FREEZE] = { freeze, 0 },
	[OW_ACT_WINDOW] = { step_window, 0 },
	[OW_ACT_FASTER] = { step_period, true },
	[OW_ACT_SLOWER] = { step_period, false },
	[OW_ACT_ALARMS] = { pop_up, OW_MODE_ALARMS },
	[OW_ACT_START] = { ask, OW_VERB_START },
	[OW_ACT_STOP] = { ask, OW_VERB_STOP },
	[OW_ACT_RESTART] = { ask, OW_VERB_RESTART },
	[OW_ACT_OUTPUT] = { pop_up, OW_MODE_OUTPUT },
	[OW_ACT_ASCII] = { toggle_utf8, 0 },
	[OW_ACT_REDRAW] = { redraw, 0 },
	[OW_ACT_HELP] = { pop_up, OW_MODE_HELP },
	[OW_ACT_QUIT] = { quit, 0 },
};

/* Keys of a popup. False: the key is not one of them. */
static bool act_on_popup(struct ow_console *c, enum ow_action a)
{
	if (c->mode == OW_MODE_PLAIN)
		return false;
	switch (a) {
	case OW_ACT_UP:
		c->popup_top--;
		break;
	case OW_ACT_DOWN:
		c->popup_top++;
		break;
	case OW_ACT_PAGE_UP:
		c->popup_top -= (int)c->page;
		break;
	case OW_ACT_PAGE_DOWN:
		c->popup_top += (int)c->page;
		break;
	case OW_ACT_BACK:
	case OW_ACT_ENTER:
	case OW_ACT_QUIT:
		c->mode = OW_MODE_PLAIN;
		break;
	default:
		return false;
	}
	return true;
}

void ow_console_act(struct ow_console *c, enum ow_action a)
{
	if (a <= OW_ACT_NONE || a >= OW_ACT_END || act_on_popup(c, a))
		return;
	if (c->mode != OW_MODE_PLAIN && a <= OW_ACT_PREVIOUS)
		c->mode = OW_MODE_PLAIN;
	acts[a].fn(c, acts[a].arg);
}
