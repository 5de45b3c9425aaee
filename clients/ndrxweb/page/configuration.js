// SPDX-License-Identifier: Apache-2.0
// configuration.js - the values in force, where each is from, what a reload would change
"use strict";

(() => {
  const WORDS = { "": "", change: "changes", add: "is added", remove: "is removed" };
  let values = [];

  function say(text, cls) {
    $("configuration-outcome").textContent = text;
    $("configuration-outcome").className = cls || "";
    $("configuration-outcome").hidden = text === "";
  }

  async function load() {
    const r = await give_order({ verb: "configuration" });
    if (!r.ok) return say(`${r.word} ${r.text.trim()}`, "bad-text");
    // what would change is first; the variables are those of ndrxweb
    values = JSON.parse(r.text).map((v) => ({ ...v, section: v.section === "environment" ? "variables here" : v.section }))
      .sort((a, b) => (b.pending !== "") - (a.pending !== ""));
    draw_list();
  }

  function draw_list() {
    const words = $("configuration-filter").value.toLowerCase().split(/\s+/).filter((w) => w);
    const only = $("configuration-only").checked, pending = values.filter((v) => v.pending !== "").length;
    const shown = values.filter((v) => (!only || v.pending !== "") && words.every((w) =>
      `${v.section} ${v.srvid || ""} ${v.name} ${v.value} ${v.file_value} ${v.origin}`.toLowerCase().includes(w)));
    $("configuration-rows").replaceChildren(...shown.map((v) => {
      const tr = make("tr", undefined, v.pending ? "look" : "");
      const now = v.pending === "add" ? "–" : v.has_value ? v.value : "–";
      const then = v.pending === "add" ? v.value : v.file_value;
      tr.append(make("td", `${v.section}${v.srvid ? ` ${v.srvid}` : ""}`, "text"), make("td", v.name, "text"),
        make("td", now, "text value"), make("td", WORDS[v.pending] + (then ? `: ${then}` : ""), "text value"),
        make("td", v.origin, "text"));
      return tr;
    }));
    $("configuration-count").textContent = `${shown.length} values, ${pending} of them would change`;
    $("configuration-empty").hidden = shown.length > 0;
    $("configuration-reload").hidden = !may("admin");
    $("configuration-check").hidden = !may("operate");
  }

  async function check() {
    say("Checking ...");
    const r = await give_order({ verb: "check" });
    say(r.text.trim() || (r.ok ? "No server would be started, stopped or restarted." : r.word), r.ok ? "" : "bad-text");
    load();
  }

  async function reload() {
    say("Reloading ...");
    const r = await give_order({ verb: "reload" });
    say(`${r.word} ${r.text.trim()}`, r.ok ? "good-text" : "bad-text");
    load();
  }

  const button = make_sure("Reload", () => "the configuration", reload);
  button.id = "configuration-reload";
  $("configuration-reload-place").replaceWith(button);
  $("configuration-check").addEventListener("click", check);
  $("configuration-again").addEventListener("click", load);
  $("configuration-filter").addEventListener("input", draw_list);
  $("configuration-only").addEventListener("change", draw_list);

  tools.configuration = {
    title: "Configuration", key: "g", role: "look",
    open() {
      say("");
      load();
      $("configuration-filter").focus();
    },
  };
})();
