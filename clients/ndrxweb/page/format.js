// SPDX-License-Identifier: Apache-2.0
// format.js - numbers as people read them, the same as in ndrxtop
"use strict";

const Format = (() => {
  function scaled(n, base, units) {
    let i = 0;
    while (n >= 999.5 && i + 1 < units.length) {
      n /= base;
      i++;
    }
    return i === 0 ? n.toFixed(0) : n.toFixed(n < 99.95 ? 1 : 0) + units[i];
  }

  const UNITS = ["", "K", "M", "G", "T", "P"];
  const two = (n) => String(n).padStart(2, "0");

  function time(us) {
    if (us < 0) return "-" + time(-us);
    const s = Math.floor(us / 1e6);
    if (us < 999.5) return us.toFixed(0) + " µs";
    if (us < 99.95e3) return (us / 1e3).toFixed(1) + " ms";
    if (us < 999.5e3) return (us / 1e3).toFixed(0) + " ms";
    if (us < 59.95e6) return (us / 1e6).toFixed(1) + " s";
    if (s < 3600) return `${Math.floor(s / 60)}m${two(s % 60)}s`;
    if (s < 86400) return `${Math.floor(s / 3600)}h${two(Math.floor(s / 60) % 60)}m`;
    return `${Math.floor(s / 86400)}d${two(Math.floor(s / 3600) % 24)}h`;
  }

  // Of the clock, in ms: as logs and xadmin write it, whatever the browser's language.
  function clock(ms) {
    const d = new Date(ms);
    return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
  }

  function date(ms) {
    const d = new Date(ms);
    return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${clock(ms)}`;
  }

  const rate = (n) => n === 0 ? "0" : n < 0.05 ? "<0.1" : n < 9.95 ? n.toFixed(1)
    : scaled(n, 1000, UNITS);

  const formats = {
    text: (v) => v,
    rate,
    count: (n) => scaled(n, 1000, UNITS),
    id: (n) => n.toFixed(0),
    time,
    bytes: (n) => scaled(n, 1024, UNITS),
    percent: (n) => n > 0 && n < 0.05 ? "<0.1" : n.toFixed(n > 0 && n < 9.95 ? 1 : 0),
    spark: (v) => String(Math.max(0, ...v)),
  };

  return {
    cell: (format, value) => value === null || value === undefined ? "–"
      : formats[format](value),
    time,
    clock,
    date,
    rate,
    scaled: (n) => scaled(n, 1000, UNITS),
  };
})();

// Indent JSON without reading its numbers.
function pretty_json(json) {
  let depth = 0, out = "";
  for (const [word] of json.matchAll(/"(?:\\.|[^"\\])*"|[[\]{},:]|[^\s[\]{},:"]+/g)) {
    const line = () => "\n" + "  ".repeat(depth);
    if (word === "{" || word === "[") out += (depth++, word + line());
    else if (word === "}" || word === "]") out = (depth--, out.trimEnd() + (/[[{]$/.test(out.trimEnd()) ? "" : line()) + word);
    else out += word === "," ? "," + line() : word === ":" ? ": " : word;
  }
  return out;
}
