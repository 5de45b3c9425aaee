// SPDX-License-Identifier: Apache-2.0
// page.js - the console in a browser: logs in, gets a message a second, shows it
//
// All texts of the domain become text nodes, never HTML: names are of others.
"use strict";

const $ = (id) => document.getElementById(id);
const KEYED = ["overview", "services", "servers", "queues", "clients", "events", "wake-ups",
  "transactions", "durable", "nodes", "calls", "http"];
const KEYS = "0123456789ch"; // of these, as in ndrxtop
const TILES = [["calls", "Calls a second", Format.rate], ["errors", "Errors a second", Format.rate],
  ["waiting", "Requests waiting", Format.scaled], ["busy", "Servers busy", Format.scaled],
  ["cpu", "CPU %", Format.rate], ["transactions", "Transactions a second", Format.rate]];
const FIRST = 4; // a row: key, grade, service, server, then its fields

// Screens that are no table: name -> { title, key, role, open() }. Each has a
// section of its name; its file adds it.
const tools = {};
const ROLES = ["look", "operate", "admin"];
const may = (role) => ROLES.indexOf(state.me.role) >= ROLES.indexOf(role);
const is_screen = (name) => KEYED.includes(name) || (name in tools && may(tools[name].role));

const state = {
  me: null, screens: {}, now: "overview", scope: {}, trail: [], source: null,
  sort: {}, selected: null, frozen: false, last: null, silent: 0,
  at: null, span: null, wanted: 0, // at: a time of the black box, null: now
  pressed: 0, // since when the pointer is down on a row, which stays where it is meanwhile
};

function make(tag, text, cls) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (cls) e.className = cls;
  return e;
}

// ---- logging in ----
//
// The token against forged requests comes with the login only. The session
// storage keeps it for this tab and this origin (with its port); another tab
// asks the tabs that have it.

const tabs = new BroadcastChannel("token");
tabs.onmessage = ({ data }) => {
  const token = sessionStorage.getItem("token");
  if (data === "?" && token) tabs.postMessage(token);
  if (data === "?" || data === token) return;
  sessionStorage.setItem("token", data);
  if (state.me) location.reload(); // somebody has logged in there
};

function keep_token(token) {
  sessionStorage.setItem("token", token);
  tabs.postMessage(token);
}

// Whether this tab has a token now.
async function find_token() {
  if (sessionStorage.getItem("token")) return true;
  tabs.postMessage("?");
  for (let i = 0; i < 10 && !sessionStorage.getItem("token"); i++)
    await new Promise((done) => setTimeout(done, 30));
  return sessionStorage.getItem("token") !== null;
}

function send(path, body) {
  return ask(path, { method: "POST", body, headers: { "X-Token": sessionStorage.getItem("token") } });
}

async function ask(path, options) {
  const r = await fetch(path, { credentials: "same-origin", ...options });
  return { ok: r.ok, status: r.status, text: await r.text() };
}

function show_login(message) {
  stop_stream();
  state.me = null;
  $("console").hidden = true;
  $("login").hidden = false;
  $("login-error").textContent = message || "";
  $("user").focus();
}

async function log_in(event) {
  event.preventDefault();
  const form = new URLSearchParams(new FormData($("login-form")));
  $("login-error").textContent = "";
  const r = await ask("/api/login", { method: "POST", body: form });
  $("password").value = "";
  if (!r.ok) {
    $("login-error").textContent = r.text.trim() || `The server said ${r.status}.`;
    $("password").focus();
    return;
  }
  state.me = JSON.parse(r.text);
  const other = take_over(state.me.user);
  keep_token(state.me.token);
  if (other) location.reload();
  else await begin();
}

// What one user has called and seen in this tab is not for the next one: true,
// there was another one, and the page is to be loaded again.
function take_over(user) {
  const before = sessionStorage.getItem("user") ?? user;
  if (before !== user) sessionStorage.clear();
  sessionStorage.setItem("user", user);
  return before !== user;
}

async function log_out() {
  stop_stream(); // its end would say that the session has ended
  await send("/api/logout");
  sessionStorage.clear();
  sessionStorage.setItem("out", "You are logged out.");
  location.reload();
}

async function begin() {
  const r = await ask("/api/screens");
  if (!r.ok) return show_login();
  for (const s of JSON.parse(r.text)) state.screens[s.name] = s;
  $("login").hidden = true;
  $("console").hidden = false;
  $("who").textContent = `${state.me.user} (${state.me.role})`;
  make_tabs();
  show(from_address());
  look_for_past();
}

// ---- the black box ----

async function look_for_past() {
  const r = await ask("/api/span").catch(() => ({ ok: false }));
  state.span = r.ok ? JSON.parse(r.text) : null;
  $("time").hidden = !state.span;
  if (!state.span) return;
  $("slider").min = state.span.first;
  $("slider").max = state.span.last;
  if (state.at === null) $("slider").value = state.span.last;
}

// Only the last of several wishes is asked for.
async function go_to(at) {
  if (!state.span) return;
  at = Math.min(state.span.last, Math.max(state.span.first, at));
  state.at = at;
  stop_stream();
  $("slider").value = at;
  $("slider").setAttribute("aria-valuetext", Format.date(at));
  $("then").textContent = Format.date(at);
  $("time").classList.add("past");
  $("live").setAttribute("aria-pressed", "false");
  const mine = ++state.wanted;
  await new Promise((done) => setTimeout(done, 120));
  if (mine !== state.wanted) return;
  const q = new URLSearchParams({ at, screen: state.now, ...state.scope, ...order_of() });
  const r = await ask("/api/past?" + q);
  if (r.status === 401) return show_login("The session has ended: log in again.");
  if (mine !== state.wanted) return;
  if (!r.ok) {
    $("then").textContent = r.text.trim();
    return;
  }
  state.last = JSON.parse(r.text);
  if (state.last.remark) $("then").textContent += ` – ${state.last.remark}`;
  draw();
}

function go_now() {
  state.at = null;
  state.wanted++;
  $("then").textContent = "";
  $("time").classList.remove("past");
  $("live").setAttribute("aria-pressed", "true");
  look_for_past();
  start_stream();
}

function step_time(seconds) {
  if (state.span) go_to((state.at ?? state.span.last) + seconds * 1000);
}

// ---- screens ----

function from_address() {
  const name = decodeURIComponent(location.hash.slice(1));
  return is_screen(name) ? name : "overview";
}

function title_of(name) {
  return name === "overview" ? "Overview" : (tools[name] || state.screens[name]).title;
}

function make_tabs() {
  const names = [...KEYED, ...Object.keys(tools).filter((name) => tools[name].key && is_screen(name))];
  $("tabs").replaceChildren(...names.map((name, i) => {
    const li = make("li"), b = make("button", title_of(name));
    b.type = "button";
    b.dataset.screen = name;
    b.setAttribute("aria-keyshortcuts", name in tools ? tools[name].key : KEYS[i]);
    b.addEventListener("click", () => show(name));
    li.append(b);
    return li;
  }));
}

function show(name, scope = {}, keep = false) {
  if (!keep) state.trail = [];
  state.now = name;
  state.scope = scope;
  state.selected = null;
  state.last = null;
  not_sure(document);
  $("filter").value = "";
  $("selection").textContent = "";
  for (const b of $("tabs").querySelectorAll("button")) {
    if (b.dataset.screen === name) b.setAttribute("aria-current", "page");
    else b.removeAttribute("aria-current");
  }
  show_tab();
  if (is_screen(name)) history.replaceState(null, "", "#" + encodeURIComponent(name));
  const table = name !== "overview" && !(name in tools);
  $("overview").hidden = name !== "overview";
  $("problems").hidden = name !== "overview";
  for (const tool of Object.keys(tools)) $(tool).hidden = tool !== name;
  $("screen").hidden = !table;
  $("back").hidden = state.trail.length === 0;
  $("rows").replaceChildren();
  if (table) make_heads();
  if (name in tools) {
    if (state.at !== null) go_now(); // tools are about now
    else start_stream();
    tools[name].open(scope);
  } else if (state.at === null) start_stream();
  else go_to(state.at);
}

// That of the screen, where not all have room.
function show_tab() {
  const tab = $("tabs").querySelector("[aria-current]");
  if (tab) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function go_down(name, scope, title) {
  state.trail.push([state.now, state.scope, state.title]);
  state.title = title;
  show(name, scope, true);
}

function go_back() {
  if (state.trail.length === 0) return;
  const [name, scope, title] = state.trail.pop();
  state.title = title;
  show(name, scope, true);
}

function sort_of(name) {
  const s = state.screens[name];
  if (!state.sort[name]) state.sort[name] = { column: s.sort, rising: s.rising };
  return state.sort[name];
}

// On a narrow page the columns that ndrxtop drops first are left out. Those of
// 255 are for one row alone (OW_DROP_ROW).
function shown_columns() {
  const s = state.screens[state.now];
  const most = window.innerWidth < 360 ? 5 : window.innerWidth < 420 ? 6 : window.innerWidth < 600 ? 7
    : window.innerWidth < 900 ? 10 : 99;
  const all = s.columns.map((c, i) => i).filter((i) => s.columns[i].drop < 255);
  const by_drop = all.filter((i) => i > 0).sort((a, b) =>
    (s.columns[a].drop - s.columns[b].drop) || (a - b));
  const keep = new Set([0, ...by_drop.slice(0, most - 1)]);
  return all.filter((i) => keep.has(i));
}

// What the stream is to bring, where a screen has more rows than are shown.
function order_of() {
  if (state.now === "overview" || state.now in tools) return {};
  const sort = sort_of(state.now), words = $("filter").value.trim();
  return { sort: sort.column + 1, rising: sort.rising ? 1 : 0, ...(words && { words }) };
}

// Another order, other words: of a part of the rows others are to be shown.
function ask_anew() {
  if (!state.last || !state.last.many || state.frozen) return;
  clearTimeout(state.anew);
  state.anew = setTimeout(() => {
    if (state.at !== null) go_to(state.at);
    else if (state.source) start_stream();
  }, 200);
}

function make_heads() {
  const s = state.screens[state.now], sort = sort_of(state.now);
  $("screen-title").textContent = state.trail.length > 0 && state.title || s.about;
  $("heads").replaceChildren(...shown_columns().map((i) => {
    const c = s.columns[i], th = make("th", undefined, c.format === "text" ? "text" : "");
    const b = make("button", c.title);
    b.type = "button";
    b.title = c.about;
    th.scope = "col";
    if (sort.column === i) th.setAttribute("aria-sort", sort.rising ? "ascending" : "descending");
    b.addEventListener("click", () => {
      if (sort.column === i) sort.rising = !sort.rising;
      else Object.assign(sort, { column: i, rising: c.format === "text" });
      make_heads();
      draw();
      ask_anew();
      $("heads").children[shown_columns().indexOf(i)].querySelector("button").focus();
    });
    th.append(b);
    return th;
  }));
}

// ---- the stream ----

function stop_stream() {
  if (state.source) state.source.close();
  state.source = null;
}

function start_stream() {
  stop_stream();
  // a tool has the head of the page from the overview
  const q = new URLSearchParams(state.now in tools ? { screen: "overview" }
    : { screen: state.now, ...state.scope, ...order_of() });
  const source = new EventSource("/api/stream?" + q);
  source.onmessage = (e) => {
    state.silent = 0;
    if (state.frozen && state.last) return;
    state.last = JSON.parse(e.data);
    draw();
  };
  source.onerror = async () => {
    if (state.source !== source) return;
    const r = await ask("/api/me").catch(() => null);
    if (r && r.status === 401) show_login("The session has ended: log in again.");
    else if (r && state.source === source && source.readyState === EventSource.CLOSED)
      setTimeout(() => state.source === source && start_stream(), 2000);
  };
  state.source = source;
}

// A page that gets nothing says so.
setInterval(() => {
  if (state.me && state.at === null && ++state.silent === 5) {
    $("state").textContent = "ndrxweb does not answer: what is shown is old";
    $("state").className = "bad";
  }
}, 1000);

// ---- drawing ----

function curve(values, what) {
  const ns = "http://www.w3.org/2000/svg", n = values.length;
  const svg = document.createElementNS(ns, "svg"), path = document.createElementNS(ns, "path");
  const top = Math.max(1e-9, ...values.map((v) => v || 0));
  const points = values.map((v, i) =>
    `${(i * 100 / Math.max(1, n - 1)).toFixed(1)} ${(29 - 28 * (v || 0) / top).toFixed(1)}`);
  svg.setAttribute("class", "curve");
  svg.setAttribute("viewBox", "0 0 100 30");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", what);
  path.setAttribute("d", n > 0 ? "M" + points.join(" L") : "M0 29");
  svg.append(path);
  return svg;
}

function draw_head(m) {
  const s = $("state");
  $("domain").textContent = m.prefix || "Onewake";
  document.title = `${m.problems.length ? `(${m.problems.length}) ` : ""}${m.prefix} – Onewake`;
  s.className = "";
  if (!m.domain) {
    s.textContent = "there is no domain";
    s.className = "bad";
  } else if (m.ndrxd === 0) {
    s.textContent = `node ${m.node}, ndrxd does not run, ${m.alive} servers`;
    s.className = "bad";
  } else {
    s.textContent = `node ${m.node}, ndrxd ${m.ndrxd}${m.stopped ? " (stopped)" : ""}, ` +
      `${m.alive} servers, ${m.clients} clients`;
  }
  if (state.at !== null) s.className += " past";
  if (state.frozen) s.textContent = "frozen: Space goes on";
  $("clock").textContent = Format.clock(m.time);
}

// Only what is new is put into the list, so that it is read aloud once.
function draw_problems(m) {
  const list = m.problems.length > 0
    ? m.problems.map(([grade, text]) => [grade > 1 ? "bad" : "look", text])
    : [["good", "Nothing is wrong."]];
  const old = [...$("problem-list").children];
  if (old.length === list.length && old.every((li, i) => li.textContent === list[i][1])) return;
  $("problem-list").replaceChildren(...list.map(([cls, text]) => make("li", text, cls)));
}

function draw_tiles(m) {
  $("tiles").replaceChildren(...TILES.map(([name, title, format]) => {
    const values = m.curves[name], last = values.length ? values[values.length - 1] : null;
    const box = make("div"), dd = make("dd", last === null ? "–" : format(last));
    dd.append(curve(values, `${title}, the last minute`));
    box.append(make("dt", title), dd);
    return box;
  }));
}

function matches(row, columns, words) {
  if (words.length === 0) return true;
  const text = columns.map((c, i) => c.format === "text" || c.format === "id"
    ? String(row[FIRST + i] ?? "") : "").join(" ").toLowerCase();
  return words.every((w) => text.includes(w));
}

// Rows in trouble come first, whatever the column. Events stay in the order of time.
function compare(a, b, sort, format) {
  if (a[1] !== b[1] && state.now !== "events") return b[1] - a[1];
  return (sort.rising ? 1 : -1) * compare_cells(a, b, sort.column, format);
}

function compare_cells(a, b, column, format) {
  let x = a[FIRST + column], y = b[FIRST + column];
  if (format === "spark") [x, y] = [Math.max(...x), Math.max(...y)];
  if (format === "text") return x < y ? -1 : x > y ? 1 : 0;
  return (x ?? -1) - (y ?? -1);
}

function cell(c, value) {
  const td = make("td", undefined, c.format === "text" ? "text" : "");
  if (c.format === "spark") {
    td.append(curve(value, `deepest ${Math.max(0, ...value)}`));
    return td;
  }
  td.textContent = Format.cell(c.format, value);
  if (c.format === "text") td.title = td.textContent;
  else if (value === 0 || value === null) td.classList.add("zero");
  if (c.bad > 0 && value >= c.bad) td.classList.add("bad");
  else if (c.look > 0 && value >= c.look) td.classList.add("look");
  return td;
}

function draw_rows(m) {
  if (Date.now() - state.pressed < 5000) return; // its end may be seen by nobody
  const s = state.screens[state.now], sort = sort_of(state.now), shown = shown_columns();
  const words = $("filter").value.toLowerCase().split(/\s+/).filter((w) => w);
  const format = s.columns[sort.column].format;
  const rows = m.rows.filter((r) => matches(r, s.columns, words));
  rows.sort((a, b) => compare(a, b, sort, format));
  state.rows = rows;
  WorldMap.draw(m, s);
  const most = 500, top = $("frame").scrollTop;
  const all = m.many ? Math.max(m.all, rows.length) : rows.length;
  $("rows").replaceChildren(...rows.slice(0, most).map((r) => {
    const tr = make("tr", undefined, r[1] > 1 ? "bad" : r[1] > 0 ? "look" : "");
    tr.dataset.key = r[0];
    tr.setAttribute("aria-selected", String(r[0] === state.selected));
    for (const i of shown) tr.append(cell(s.columns[i], r[FIRST + i]));
    return tr;
  }));
  $("frame").scrollTop = top;
  $("count").textContent = all > most ? `${rows.length} of ${all} rows`
    : `${rows.length} row${rows.length === 1 ? "" : "s"}`;
  $("empty").hidden = rows.length > 0;
  $("empty").textContent = words.length > 0 ? "No row has these words." : s.empty;
}

function draw() {
  const m = state.last;
  if (!m) return;
  draw_head(m);
  if (state.now === "overview") {
    draw_problems(m);
    draw_tiles(m);
  } else if (m.rows) {
    draw_rows(m);
  }
}

// ---- rows ----

function row_of(key) {
  return (state.rows || []).find((r) => r[0] === key);
}

function select(key) {
  state.selected = key;
  for (const tr of $("rows").children) {
    const on = tr.dataset.key === key;
    tr.setAttribute("aria-selected", String(on));
    if (on) tr.scrollIntoView({ block: "nearest" });
  }
  $("selection").textContent = said(row_of(key));
}

// A row for those who hear the page: its first columns.
function said(row) {
  const s = state.screens[state.now];
  if (!row || !s) return "";
  const words = shown_columns().slice(0, 5).filter((i) => s.columns[i].format !== "spark")
    .map((i) => `${s.columns[i].title} ${Format.cell(s.columns[i].format, row[FIRST + i])}`);
  return `${words.join(", ")}. Enter: all of it.`;
}

function step(by) {
  const keys = [...$("rows").children].map((tr) => tr.dataset.key);
  if (keys.length === 0) return;
  const at = keys.indexOf(state.selected);
  select(keys[at < 0 ? 0 : Math.min(keys.length - 1, Math.max(0, at + by))]);
}

// ---- keys ----

const tool_of = (key) => Object.keys(tools).find((name) => tools[name].key === key && is_screen(name));

function on_key(e) {
  if (!state.me || e.ctrlKey || e.altKey || e.metaKey) return;
  if (document.querySelector("dialog[open]")) return;
  const typing = e.target.matches("input:not([type=range]), textarea, select");
  if (e.target.type === "range" && e.key.startsWith("Arrow")) return;
  const pressing = e.target instanceof HTMLButtonElement;
  if (e.key === "Escape") {
    if (typing) e.target.blur();
    if ($("filter").value !== "") {
      $("filter").value = "";
      draw();
      ask_anew();
    } else if (!typing) {
      go_back();
    }
    return;
  }
  if (typing) return;
  const acts = {
    "/": () => !$("screen").hidden && $("filter").focus(),
    "j": () => step(1), "ArrowDown": () => step(1),
    "k": () => step(-1), "ArrowUp": () => step(-1),
    "?": () => $("help").showModal(),
    "[": () => step_time(-1), "]": () => step_time(1),
    "{": () => step_time(-60), "}": () => step_time(60),
    "n": () => go_now(),
  };
  if (!pressing) {
    acts.Enter = () => row_of(state.selected) && open_card(row_of(state.selected));
    acts[" "] = () => {
      state.frozen = !state.frozen;
      draw();
      ask_anew();
    };
  }
  const at = KEYS.indexOf(e.key);
  if (at >= 0) show(KEYED[at]);
  else if (acts[e.key]) acts[e.key]();
  else if (tool_of(e.key)) show(tool_of(e.key));
  else return;
  e.preventDefault();
}

function switch_theme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("theme", next);
}

// ---- the beginning ----

async function main() {
  const theme = localStorage.getItem("theme");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  $("login-form").addEventListener("submit", log_in);
  $("logout").addEventListener("click", log_out);
  $("theme").addEventListener("click", switch_theme);
  $("live").addEventListener("click", go_now);
  $("slider").addEventListener("input", () => go_to(Number($("slider").value)));
  $("back").addEventListener("click", go_back);
  $("filter").addEventListener("input", () => {
    draw();
    ask_anew();
  });
  $("card-close").addEventListener("click", () => $("card").close());
  $("help-close").addEventListener("click", () => $("help").close());
  $("rows").addEventListener("pointerdown", () => state.pressed = Date.now());
  for (const end of ["pointerup", "pointercancel"])
    addEventListener(end, () => state.pressed = 0);
  $("rows").addEventListener("click", (e) => {
    const tr = e.target.closest("tr");
    if (!tr) return;
    select(tr.dataset.key);
    if (row_of(tr.dataset.key)) open_card(row_of(tr.dataset.key));
  });
  document.addEventListener("keydown", on_key);
  addEventListener("resize", () => {
    show_tab();
    if (state.me && state.screens[state.now]) {
      make_heads();
      draw();
    }
  });
  const r = await ask("/api/me").catch(() => ({ ok: false })), out = sessionStorage.getItem("out");
  sessionStorage.removeItem("out");
  if (!r.ok) return show_login(out);
  if (!await find_token()) return show_login("Log in in this tab, too.");
  state.me = JSON.parse(r.text);
  await begin();
}

addEventListener("DOMContentLoaded", main); // the other files have run by then
