// SPDX-License-Identifier: Apache-2.0
// card.js - all of one row, and what one may do with it
"use strict";

// Give an order; its outcome in words, and whether that is known.
async function give_order(words, body) {
  const r = await send("/api/order?" + new URLSearchParams(words), body)
    .catch(() => ({ ok: false, status: 504, text: "ndrxweb does not answer. " +
      "It is not known whether the order was carried out." }));
  if (r.status === 401) show_login("The session has ended: log in again.");
  return { ...r, word: r.ok ? "Done." : r.status === 504 ? "Not known." : "Failed." };
}

// What changes something is asked for twice: the first press changes the button. The second
// one counts if it is still the same that is asked for.
function make_sure(text, what, act) {
  const b = make("button", text);
  b.type = "button";
  b.addEventListener("click", () => {
    const asked = `${text} ${what()}: sure?`, sure = b.textContent === asked;
    not_sure(b.parentElement);
    if (sure) return act();
    b.classList.add("sure");
    b.textContent = asked;
  });
  b.dataset.text = text;
  return b;
}

// Nothing of `where` has been asked for.
function not_sure(where) {
  for (const b of where.querySelectorAll(".sure")) {
    b.classList.remove("sure");
    b.textContent = b.dataset.text;
  }
}

// `of`: the words of the order, or what makes them.
function make_order(of, text) {
  const words = () => typeof of === "function" ? of() : of;
  const what = () => Object.values(words()).slice(1).join(", ");
  return make_sure(text, what, async () => {
    const out = $("outcome");
    out.hidden = false;
    out.textContent = `${text} ${what()} ...`;
    const r = await give_order(words());
    out.textContent = `${r.word} ${r.text.trim()}`;
  });
}

function make_way(text, go) {
  const b = make("button", text);
  b.type = "button";
  b.addEventListener("click", () => {
    $("card").close();
    go();
  });
  return b;
}

// What one may do with a row: ways to tools, and orders.
function orders_of(row) {
  if (state.at !== null) return [];
  return [...ways_of(row), ...(may("admin") ? changes_of(row) : [])];
}

function ways_of(row) {
  if (state.now === "services" && is_screen("call") && /^\w/.test(row[FIRST]))
    return [make_way("Call it", () => go_down("call", { service: row[FIRST] }))];
  if (state.now === "calls" && field(row, "TRACE"))
    return [make_way("Logs of its trace", () => go_down("logs", { trace: field(row, "TRACE") }))];
  if (state.now === "durable")
    return [make_way("Messages", () => go_down("messages", { queue: row[FIRST], space: row[FIRST + 1] }))];
  return [];
}

// What a row of the screen has in a column; undefined: it has no such column.
function field(row, title) {
  const at = state.screens[state.now].columns.findIndex((c) => c.title === title);
  return at < 0 ? undefined : row[FIRST + at];
}

// The log level of a process, until it ends or the orders are withdrawn.
function levels_of(row) {
  const pid = field(row, "PID");
  if (!pid) return [];
  const label = make("label", "Log level of this process "), select = make("select");
  select.append(...["0 none", "1 fatal", "2 error", "3 warn", "4 info", "5 debug", "6 dump"]
    .map((text, i) => new Option(text, String(i), i === 4, i === 4)));
  select.id = "level";
  label.append(select);
  return [label, make_order(() => ({ verb: "log_process", pid: String(pid), level: select.value }), "Set level"),
    make_order({ verb: "log_off" }, "Levels of all as configured")];
}

function changes_of(row) {
  if (state.now === "servers" || state.now === "offers") {
    const server = String(row[3]);
    return [["start", "Start"], ["stop", "Stop"], ["restart", "Restart"], ["sreload", "Reload"]]
      .map(([verb, text]) => make_order({ verb, server }, text)).concat(levels_of(row));
  }
  if (state.now === "services" || state.now === "queues") {
    const service = row[FIRST];
    return [["suspend", "Suspend"], ["resume", "Resume"]]
      .map(([verb, text]) => make_order({ verb, service }, text));
  }
  return [];
}

function open_card(row) {
  const s = state.screens[state.now], list = [];
  s.columns.forEach((c, i) => {
    if (c.format === "spark") return;
    const dt = make("dt", c.title);
    dt.title = c.about;
    list.push(dt, make("dd", Format.cell(c.format, row[FIRST + i])));
  });
  $("card-title").textContent = s.columns.slice(0, 2).map((c, i) => c.format === "text"
    ? row[FIRST + i] : "").filter((t) => t)[0] || s.title;
  $("card-list").replaceChildren(...list);
  $("orders").replaceChildren(...orders_of(row));
  $("orders").hidden = $("orders").children.length === 0;
  $("outcome").hidden = true;
  const down = s.down === "offers" && (row[2] !== 0 || row[3] !== 0);
  $("card-down").hidden = !down;
  $("card-down").onclick = () => {
    $("card").close();
    const by_service = state.now !== "servers" && row[2] !== 0;
    go_down("offers", by_service ? { svc: row[2] } : { srvid: row[3] },
      `${$("card-title").textContent}, ${by_service ? "by server" : "its services"}`);
  };
  $("card").showModal();
}
