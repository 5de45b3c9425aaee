// SPDX-License-Identifier: Apache-2.0
// logs.js - the lines of all logs that are of one trace
"use strict";

(() => {
  const GRADES = { error: "bad", warn: "look" };

  function say(text, cls) {
    $("logs-count").textContent = text;
    $("logs-count").className = cls || "";
  }

  async function load() {
    const trace = $("logs-trace").value.trim();
    say("Looking ...");
    $("logs-rows").replaceChildren();
    const r = await give_order({ verb: "logs", trace });
    if (!r.ok) return say(`${r.word} ${r.text.trim()}`, "bad-text");
    const lines = JSON.parse(r.text);
    $("logs-rows").replaceChildren(...lines.map((l) => {
      const tr = make("tr", undefined, GRADES[l.level] || ""), log = make("td", l.log.split("/").pop(), "text");
      log.title = l.log;
      tr.append(make("td", l.time || "–", "text"), log, make("td", l.pid ? String(l.pid) : "–"),
        make("td", l.level || "–", "text"), make("td", l.request || "–", "text"), make("td", l.text, "text value"));
      return tr;
    }));
    say(`${lines.length} line${lines.length === 1 ? "" : "s"}`);
  }

  $("logs-back").addEventListener("click", go_back);
  $("logs-form").addEventListener("submit", (e) => {
    e.preventDefault();
    load();
  });

  tools.logs = {
    title: "Logs", key: "l", role: "look",
    open(scope) {
      say("");
      $("logs-rows").replaceChildren();
      $("logs-trace").value = scope.trace || "";
      $("logs-back").hidden = state.trail.length === 0;
      if (scope.trace) load();
      else $("logs-trace").focus();
    },
  };
})();
