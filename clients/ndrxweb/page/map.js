// SPDX-License-Identifier: Apache-2.0
// map.js - the nodes of the cluster, as this one sees them: the screen "nodes"
//
// A picture of the rows below it, for the eye alone: who reads the page aloud
// gets its one sentence, and the table.
"use strict";

const WorldMap = {
  WIDE: 640, HIGH: 300, SVG: "http://www.w3.org/2000/svg",

  make(tag, attributes, text) {
    const e = document.createElementNS(this.SVG, tag);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    if (text !== undefined) e.textContent = text;
    return e;
  },

  // By node: a node may have several bridges, here and there.
  nodes(rows, columns) {
    const at = (title) => FIRST + columns.findIndex((c) => c.title === title);
    const found = new Map();
    for (const r of rows) {
      const n = found.get(r[at("NODE")]) ||
        { node: r[at("NODE")], key: r[0], state: "", out: 0, in: 0, held: 0, rtt: 0, services: 0, links: 0 };
      n.links += 1;
      if (n.state !== "up") n.state = r[at("STATE")];
      n.out += r[at("OUT/S")] || 0;
      n.in += r[at("IN/S")] || 0;
      n.held += r[at("BACKLOG")] || 0;
      n.rtt = Math.max(n.rtt, r[at("RTT")] || 0);
      n.services = Math.max(n.services, r[at("SVCS")] || 0);
      found.set(n.node, n);
    }
    return [...found.values()].sort((a, b) => a.node - b.node);
  },

  grade(n) {
    return n.state !== "up" ? "bad" : n.held > 0 ? "look" : "good";
  },

  // A line to it, the node, and what is known of both.
  one(n, i, all) {
    const turn = (i / all) * 2 * Math.PI - Math.PI / 2;
    const x = this.WIDE / 2 + Math.cos(turn) * (this.WIDE / 2 - 90);
    const y = this.HIGH / 2 + Math.sin(turn) * (this.HIGH / 2 - 42);
    const g = this.make("g", { class: this.grade(n), "data-key": n.key });
    const calls = n.out + n.in;
    g.append(
      this.make("line", { x1: this.WIDE / 2, y1: this.HIGH / 2, x2: x, y2: y,
        "stroke-width": 1.5 + Math.min(6, Math.log2(1 + calls) / 2) }),
      this.make("circle", { cx: x, cy: y, r: 19 }),
      this.make("text", { x, y: y + 5, class: "number" }, String(n.node)),
      this.make("text", { x, y: y < this.HIGH / 2 - 1 ? y - 27 : y + 36 }, n.state === "up"
        ? `${Format.cell("rate", calls)}/s, ${Format.cell("time", n.rtt)}` : n.state));
    g.addEventListener("click", () => select(n.key));
    return g;
  },

  draw(m, screen) {
    const nodes = state.now === "nodes" ? this.nodes(m.rows, screen.columns) : [];
    $("map").hidden = nodes.length === 0;
    if (nodes.length === 0) return;
    const down = nodes.filter((n) => n.state !== "up").map((n) => n.node);
    $("map-says").textContent = `Node ${m.node} here; ${nodes.length} other${nodes.length === 1 ? "" : "s"}` +
      (down.length > 0 ? `, not up: ${down.join(", ")}` : ", all up");
    $("map-picture").replaceChildren(...nodes.map((n, i) => this.one(n, i, nodes.length)),
      this.make("circle", { cx: this.WIDE / 2, cy: this.HIGH / 2, r: 24, class: "here" }),
      this.make("text", { x: this.WIDE / 2, y: this.HIGH / 2 + 5, class: "number here" }, String(m.node)));
  },
};
