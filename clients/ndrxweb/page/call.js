// SPDX-License-Identifier: Apache-2.0
// call.js - call a service from the page
//
// What was called and with what stays in this tab (session storage), until its
// user logs out. Replies are shown as they came: numbers keep their digits.
"use strict";

(() => {
  const MOST = 20; // calls of the history
  const WORDS = {
    "done": ["Done", "good-text"],
    "refused": ["The service refused it", "look-text"],
    "not done": ["Not done", "bad-text"],
    "unknown": ["Not known: it may have been done, or be done later", "bad-text"],
  };
  let types = {}; // of fields

  // ---- the form ----

  function add_field(name = "", value = "") {
    const row = make("div", undefined, "field"), remove = make("button", "Remove");
    row.role = "group";
    for (const [what, text] of [["name", name], ["value", value]]) {
      const input = make("input");
      input.value = text;
      input.placeholder = what;
      input.spellcheck = false;
      input.autocomplete = "off";
      if (what === "name") input.setAttribute("list", "call-names");
      row.append(input);
    }
    remove.type = "button";
    remove.addEventListener("click", () => {
      const next = row.nextElementSibling || row.previousElementSibling;
      row.remove();
      number_fields();
      (next ? next.querySelector("input") : $("call-add")).focus();
    });
    row.append(remove);
    $("call-fields").append(row);
    number_fields();
    return row;
  }

  function number_fields() {
    [...$("call-fields").children].forEach((row, i) => {
      const [name, value, remove] = row.children;
      row.setAttribute("aria-label", `Field ${i + 1}`);
      name.setAttribute("aria-label", `Name of field ${i + 1}`);
      value.setAttribute("aria-label", `Value of field ${i + 1}`);
      remove.setAttribute("aria-label", `Remove field ${i + 1}`);
    });
  }

  const as_json = () => $("call-json").getAttribute("aria-pressed") === "true";

  function show_form() {
    const type = $("call-type").value, fields = type === "UBF" && !as_json();
    $("call-fields").hidden = $("call-add").hidden = !fields;
    $("call-json").hidden = type !== "UBF";
    $("call-text").hidden = $("call-text-label").hidden = fields || type === "";
    $("call-text-label").textContent = { UBF: "Request: {\"FIELD\": value, ...}", JSON: "Request: JSON" }[type]
      || "Request: text";
  }

  // ---- fields and JSON ----

  function json_of_fields() {
    const all = {};
    for (const row of $("call-fields").children) {
      const [name, value] = [...row.querySelectorAll("input")].map((i) => i.value);
      if (name.trim() === "") continue;
      const list = all[name.trim()] ||= [];
      list.push(types[name.trim()] === "ubf" || types[name.trim()] === "view" ? JSON.parse(value) : value);
    }
    return JSON.stringify(Object.fromEntries(Object.entries(all).map(([name, list]) =>
      [name, list.length === 1 ? list[0] : list])), null, 2);
  }

  // Numbers that JavaScript would change are not taken into the form.
  function fields_of_json(text) {
    if (/(^|[^"\w.])-?[\d.eE+]{16,}/.test(text.replace(/"(\\.|[^"\\])*"/g, "\"\"")))
      throw new Error("a number is too long for the form: it would lose digits");
    const all = JSON.parse(text || "{}");
    $("call-fields").replaceChildren();
    for (const [name, value] of Object.entries(all))
      for (const v of Array.isArray(value) ? value : [value])
        add_field(name, typeof v === "object" ? JSON.stringify(v) : String(v));
    if ($("call-fields").children.length === 0) add_field();
  }

  function switch_form() {
    try {
      if (as_json()) fields_of_json($("call-text").value);
      else $("call-text").value = json_of_fields();
    } catch (e) {
      return say(`The request is not right: ${e.message}`, "bad-text");
    }
    $("call-json").setAttribute("aria-pressed", String(!as_json()));
    show_form();
    say("");
  }

  function request() {
    const type = $("call-type").value, text = $("call-text").value;
    if (type === "" || (as_json() && type === "UBF" && text.trim() === "")) return "";
    if (type === "UBF") return as_json() ? (JSON.parse(text), text) : json_of_fields();
    if (type === "JSON") return JSON.parse(text), text;
    return JSON.stringify(text);
  }

  // ---- the call ----

  function say(text, cls) {
    $("call-outcome").textContent = text;
    $("call-outcome").className = cls || "";
  }

  function show_reply(text) {
    const at = text.indexOf("\n\"reply\":"), reply = at < 0 ? "null" : text.slice(at + 9, text.lastIndexOf("}")).trim();
    const all = reply === "null" ? null : JSON.parse(reply);
    $("call-reply").hidden = all === null;
    if (all === null) return;
    const data = /^\{"buftype":"\w+",(?:"subtype":"[^"]*",)?"version":\d+,"data":(.*)\}$/s.exec(reply);
    $("call-reply").textContent = typeof all.data === "string" ? all.data : pretty_json(data ? data[1] : reply);
    $("call-reply").setAttribute("aria-label", `Reply, ${all.buftype}`);
  }

  async function call(e) {
    e.preventDefault();
    if ($("call-go").disabled) return;
    const words = { verb: "call", called: $("call-service").value.trim(), type: $("call-type").value || "UBF",
      seconds: $("call-seconds").value };
    let body;
    try {
      body = request();
    } catch (error) {
      return say(`The request is not right: ${error.message}`, "bad-text");
    }
    $("call-go").disabled = true;
    $("call-reply").hidden = true;
    say(`Calling ${words.called} ...`);
    const r = await give_order(words, body);
    $("call-go").disabled = false;
    let answer = null;
    try {
      answer = JSON.parse(r.text);
    } catch {
      say(`${r.status === 504 ? "Not known." : "Not done."} ${r.text.trim()}`, "bad-text");
    }
    if (answer) {
      const [text, cls] = WORDS[answer.work];
      say(`${text}${answer.error ? `, ${answer.error}` : ""} in ${Format.time(answer.us)}` +
        `${answer.urcode ? `, code ${answer.urcode}` : ""}. ${answer.why}`, cls);
      show_reply(r.text);
    }
    remember({ service: words.called, type: $("call-type").value, seconds: words.seconds,
      json: as_json(), body: $("call-type").value === "UBF" || $("call-type").value === "" ? body : $("call-text").value,
      at: Date.now(), outcome: $("call-outcome").textContent, cls: $("call-outcome").className });
  }

  // ---- history ----

  const past = () => JSON.parse(sessionStorage.getItem("calls") || "[]");

  function remember(c) {
    try {
      sessionStorage.setItem("calls", JSON.stringify([c, ...past()].slice(0, MOST)));
    } catch { // no room: a large request
      sessionStorage.setItem("calls", "[]");
    }
    show_past();
  }

  function take(c) {
    $("call-service").value = c.service;
    $("call-type").value = c.type;
    $("call-seconds").value = c.seconds;
    $("call-text").value = c.body;
    $("call-json").setAttribute("aria-pressed", String(c.json));
    if (c.type === "UBF" && !c.json) fields_of_json(c.body);
    show_form();
    $("call-service").focus();
  }

  function show_past() {
    const list = past();
    $("call-past").hidden = list.length === 0;
    $("call-history").replaceChildren(...list.map((c) => {
      const li = make("li"), b = make("button", undefined, c.cls);
      b.type = "button";
      b.textContent = `${Format.clock(c.at)} ${c.service}: ${c.outcome}`;
      b.title = "Fill in the form with this call";
      b.addEventListener("click", () => take(c));
      li.append(b);
      return li;
    }));
  }

  // ---- names ----

  function fill_names(list, names) {
    list.replaceChildren(...[...new Set(names)].sort().map((name) => {
      const o = make("option");
      o.value = name;
      return o;
    }));
  }

  async function look_up() {
    const [services, fields] = await Promise.all([give_order({ verb: "services" }), give_order({ verb: "fields" })]);
    if (services.ok) fill_names($("call-services"), JSON.parse(services.text).map((r) => r.service)
      .filter((name) => /^\w/.test(name)));
    if (!fields.ok) return;
    types = Object.fromEntries(JSON.parse(fields.text).map((f) => [f.field, f.type]));
    fill_names($("call-names"), Object.keys(types));
  }

  $("call-back").addEventListener("click", go_back);
  $("call-form").addEventListener("submit", call);
  $("call-form").addEventListener("keydown", (e) => {
    if (e.key === "Enter" && e.ctrlKey) $("call-form").requestSubmit();
  });
  $("call-add").addEventListener("click", () => add_field().querySelector("input").focus());
  $("call-json").addEventListener("click", switch_form);
  $("call-type").addEventListener("change", show_form);

  tools.call = {
    title: "Call a service", key: "s", role: "operate",
    open(scope) {
      if ($("call-fields").children.length === 0) add_field();
      if (scope.service) $("call-service").value = scope.service;
      $("call-back").hidden = state.trail.length === 0;
      show_form();
      show_past();
      look_up();
      $("call-service").focus();
    },
  };
})();
