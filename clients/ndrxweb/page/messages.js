// SPDX-License-Identifier: Apache-2.0
// messages.js - the messages of a durable queue: read, tried again, moved, deleted, exported
//
// Rows are fetched when they are wanted, not each second: a queue may be long.
// Several messages are one order each, and the first of which nobody knows the
// outcome ends it.
"use strict";

(() => {
  const MOST = 500; // rows that are shown
  let queues = [], rows = [], chosen = new Set();
  let shown = null, loads = 0; // the queue that the rows are of; how often they were asked for

  const name_of = (q) => `${q.space}/${q.queue}`;
  const queue_now = () => queues.find((q) => name_of(q) === $("messages-queue").value);
  const origin_of = (m) => (/, queue ([^,\s]+), /.exec(m.given_up) || [])[1];
  const chosen_rows = () => rows.filter((m) => chosen.has(m.msgid));

  function say(text, cls) {
    $("messages-outcome").textContent = text;
    $("messages-outcome").className = cls || "";
  }

  async function ask_for(words) {
    const r = await give_order(words);
    if (r.ok) return JSON.parse(r.text);
    say(`${r.word} ${r.text.trim()}`, "bad-text");
    return null;
  }

  // ---- the list ----

  async function load_queues(scope) {
    const list = await ask_for({ verb: "queues" });
    if (!list) return;
    const before = scope ? name_of(scope) : $("messages-queue").value;
    queues = list;
    $("messages-queue").replaceChildren(...queues.map((q) => new Option(`${name_of(q)} (${q.queued})`, name_of(q))));
    $("messages-to").replaceChildren(...queues.map((q) => new Option(name_of(q), name_of(q))));
    const first = queues.find((q) => name_of(q) === before) || queues.find((q) => q.queued > 0) || queues[0];
    if (first) $("messages-queue").value = name_of(first);
  }

  // What comes late, when another queue was chosen, is not shown as that one's.
  async function load(scope) {
    const mine = ++loads;
    await load_queues(scope);
    const q = queue_now();
    const list = q && await ask_for({ verb: "messages", space: q.space, queue: q.queue }) || [];
    if (mine !== loads) return;
    [rows, shown] = [list, q];
    chosen = new Set([...chosen].filter((id) => rows.some((m) => m.msgid === id)));
    $("message-text").hidden = true;
    draw_list();
  }

  function make_cell(text, cls) {
    const td = make("td", text, cls);
    if (cls === "text") td.title = text;
    return td;
  }

  function draw_list() {
    $("messages-rows").replaceChildren(...rows.slice(0, MOST).map((m) => {
      const tr = make("tr", undefined, m.given_up ? "look" : ""), box = make("input"), first = make("td");
      const look = make("button", Format.date(m.since * 1000).slice(5));
      box.type = "checkbox";
      box.checked = chosen.has(m.msgid);
      box.setAttribute("aria-label", `Choose message ${m.msgid}`);
      box.addEventListener("change", () => {
        if (box.checked) chosen.add(m.msgid);
        else chosen.delete(m.msgid);
        draw_chosen();
      });
      look.type = "button";
      look.title = `Show message ${m.msgid}`;
      look.addEventListener("click", () => show_message(m));
      first.append(box, " ", look);
      tr.append(first, make_cell(m.state, "text"), make_cell(String(m.tries)),
        make_cell(Format.cell("bytes", m.bytes)), make_cell(m.given_up || "–", "text"));
      return tr;
    }));
    $("messages-count").textContent = rows.length > MOST ? `${MOST} of ${rows.length} messages`
      : `${rows.length} message${rows.length === 1 ? "" : "s"}`;
    draw_chosen();
  }

  function forget() {
    chosen.clear();
    say("");
    draw_list();
  }

  function draw_chosen() {
    not_sure($("messages-orders"));
    $("messages-all").checked = rows.length > 0 && chosen.size === rows.length;
    $("messages-orders").hidden = !may("operate") || rows.length === 0;
    for (const b of $("messages-orders").querySelectorAll("button.some")) b.disabled = chosen.size === 0;
    $("messages-retry").disabled = !chosen_rows().some(origin_of);
  }

  async function show_message(m) {
    const q = shown, list = await ask_for({ verb: "message", node: q.node, server: q.srvid, msgid: m.msgid });
    if (!list) return load();
    const one = list[0], head = ["msgid", "corrid", "priority", "urcode", "appkey", "replyqueue", "failurequeue",
      "bytes", "given_up"].filter((k) => one[k] !== "").map((k) => `${k}: ${one[k]}`).join("\n");
    $("message-text").textContent = `${head}\n\n${one.message ? pretty_json(one.message) : "no data"}`;
    $("message-text").hidden = false;
    $("message-text").focus();
  }

  // ---- orders ----

  async function each(word, words_of) {
    const list = chosen_rows(), q = shown;
    let done = 0, failed = 0, why = "";
    for (const m of list) {
      const words = words_of(m, q);
      if (!words) continue;
      const r = await give_order({ node: q.node, server: q.srvid, msgid: m.msgid, ...words });
      if (r.ok) done++;
      else {
        failed++;
        why = `${r.word} ${r.text.trim()}`;
        if (r.status === 504 || r.status === 401) break;
      }
      say(`${word}: ${done + failed} of ${list.length} ...`);
    }
    await load();
    say(`${word}: ${done}.${failed ? ` ${failed} not: ${why}` : ""}`, failed ? "bad-text" : "good-text");
  }

  const count = () => `${chosen.size} message${chosen.size === 1 ? "" : "s"}`;

  function move_to(space, queue) {
    return { verb: "message_move", space, queue };
  }

  function retry() {
    return each("Put back", (m, { space }) => {
      const queue = origin_of(m);
      return queue && queues.some((q) => q.space === space && q.queue === queue) && move_to(space, queue);
    });
  }

  function move() {
    const to = queues.find((q) => name_of(q) === $("messages-to").value);
    return each(`Moved to ${name_of(to)}`, () => move_to(to.space, to.queue));
  }

  async function save() {
    const q = queue_now(), r = await give_order({ verb: "messages_export", space: q.space, queue: q.queue });
    if (!r.ok) return say(`${r.word} ${r.text.trim()}`, "bad-text");
    const a = make("a"), url = URL.createObjectURL(new Blob([r.text], { type: "application/json" }));
    a.href = url;
    a.download = `${q.space}-${q.queue}.json`;
    a.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
    say(`Exported: ${r.text.split("\n").length - 1} messages, without what is masked.`, "good-text");
  }

  function make_orders() {
    const some = (b, id) => (b.classList.add("some"), b.id = id, b);
    $("messages-retry-place").replaceWith(some(make_sure("Try again", count, retry), "messages-retry"));
    $("messages-move-place").replaceWith(some(make_sure("Move", () => `${count()} to ${$("messages-to").value}`, move),
      "messages-move"));
    $("messages-delete-place").replaceWith(some(make_sure("Delete", count,
      () => each("Deleted", () => ({ verb: "message_delete" }))), "messages-delete"));
  }

  make_orders();
  $("messages-export").addEventListener("click", save);
  $("messages-again").addEventListener("click", () => (say(""), load()));
  $("messages-back").addEventListener("click", go_back);
  $("messages-queue").addEventListener("change", () => (forget(), load()));
  $("messages-all").addEventListener("change", () => {
    chosen = new Set($("messages-all").checked ? rows.map((m) => m.msgid) : []);
    draw_list();
  });

  tools.messages = {
    title: "Messages", key: "m", role: "look",
    open(scope) {
      forget();
      $("messages-back").hidden = state.trail.length === 0;
      load(scope.queue ? scope : null);
      $("messages-queue").focus();
    },
  };
})();
