// What stands beside the drawing. Text goes in as text, never as markup, so that no move and no name can do harm.

const MOST_ROWS = 60;
const COUNTERS = [
  ["nodes", "nodes visited"], ["leaves", "leaves"], ["evaluations", "evaluations"], ["cutoffs", "cuts"],
  ["purged", "purged"], ["duplicates", "known already"], ["expanded", "expanded"], ["pops", "popped"],
  ["peak_open", "peak size"], ["depth", "depth"], ["passes", "passes"],
];

function html(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") for (const [event, action] of Object.entries(value)) element.addEventListener(event, action);
    else if (value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

class Panels {
  constructor(walkthrough, point, visit) {
    this.walkthrough = walkthrough;
    this.point = point;
    this.visit = visit;
    this.sentence = html("p", { class: "sentence", "aria-live": "polite" });
    this.round = html("p", { class: "round" });
    this.value = html("output", { class: "result" });
    this.window = html("section", { class: "panel window" });
    this.open = html("section", { class: "panel open" });
    this.counters = html("dl", { class: "counters" });
    this.position = html("pre", { class: "position" });
    const { data } = walkthrough;
    this.hasWindow = data.steps.some(([, , , changes]) => changes.some(([field]) => FIELDS[field] === "window"));
    this.hasOpen = data.order !== "";
    this.aside = html("aside", {},
      ...(this.hasOpen ? [this.open] : []),
      ...(this.hasWindow ? [this.window] : []),
      ...(Object.keys(data.positions).length ? [html("section", { class: "panel" }, html("h2", {}, "Position"), this.position)] : []),
      html("section", { class: "panel" }, html("h2", {}, "Counted so far"), this.counters),
      legend(data),
      ...data.notes.map((note) => html("p", { class: "note" }, note)));
  }

  render() {
    this.say();
    this.round.textContent = this.walkthrough.now.get("round") ?? "";
    const value = this.walkthrough.value.get(0);
    const known = this.walkthrough.data.shape === "tree" && value !== undefined;
    const final = this.walkthrough.finished ? this.walkthrough.data.value : null;
    this.value.textContent = final !== null ? "value " + final : known ? "root " + value[1] + value[0] : "";
    if (this.hasWindow) this.showWindow();
    if (this.hasOpen) this.showOpen();
    this.count();
    this.showPosition(this.walkthrough.focus);
  }

  showPosition(number) { this.position.textContent = this.walkthrough.data.positions[number] ?? "not kept here"; }

  say() {
    const parts = this.walkthrough.sentence.map((part, index, all) => {
      if (typeof part === "string") return part;
      const before = index ? all[index - 1] : ". ";
      let name = this.walkthrough.call(part);
      if (typeof before === "string" && before.endsWith("leaf ")) name = name.replace(/^node /, "");
      if (typeof before === "string" && before.endsWith(". ")) name = capital(name);
      return this.reference(part, name);
    });
    if (typeof parts[0] === "string") parts[0] = capital(parts[0]);
    this.sentence.replaceChildren(...parts);
  }

  reference(number, name) {
    return html("button", {
      class: "ref", type: "button", title: "show this node",
      on: {
        mouseenter: () => this.hint(number),
        mouseleave: () => this.hint(null),
        focus: () => this.hint(number),
        blur: () => this.hint(null),
        click: () => this.visit(number),
      },
    }, name);
  }

  // shows a node that is spoken of, in the drawing and as a position
  hint(number) {
    this.point(number);
    this.showPosition(number ?? this.walkthrough.focus);
  }

  showWindow() {
    const { walkthrough } = this;
    const path = (walkthrough.focus === null ? [] : walkthrough.path(walkthrough.focus)).filter((node) => walkthrough.window.has(node));
    const rows = path.map((node) => {
      const [alpha, beta] = walkthrough.window.get(node);
      const player = walkthrough.nodes[node].moves ? walkthrough.nodes[node].player.toUpperCase() : "leaf";
      return html("tr", node === walkthrough.focus ? { class: "here" } : {},
        html("td", {}, this.reference(node, shortName(walkthrough, node))), html("td", {}, player),
        html("td", { class: "figure" }, alpha), html("td", { class: "figure" }, beta));
    });
    const last = path.length ? walkthrough.window.get(path[path.length - 1]) : null;
    this.window.replaceChildren(
      html("h2", {}, "Window on the path", html("small", {}, last && plain(last[0]) >= plain(last[1]) ? " closed" : "")),
      ...(last ? [this.numberLine(last)] : []),
      rows.length
        ? html("table", {}, html("thead", {}, html("tr", {}, ...["node", "player"].map((name) => html("th", {}, name)), ...["α", "β"].map((name) => html("th", { class: "figure" }, name)))),
          html("tbody", {}, ...rows))
        : html("p", { class: "quiet" }, "No window here."));
  }

  // the values that could still matter, on a line from the least leaf to the greatest
  numberLine([alpha, beta]) {
    const [low, high] = this.walkthrough.data.range;
    const [from, to] = [plain(alpha), plain(beta)];
    const spot = (value) => 30 + 200 * Math.max(0, Math.min(1, high > low ? (value - low) / (high - low) : 0.5));
    const ends = [[from, from === -Infinity ? 8 : spot(from), "α " + alpha], [to, to === Infinity ? 252 : spot(to), "β " + beta]];
    const closed = from >= to;
    if (ends[0][1] > ends[1][1]) ends.reverse();
    const [left, right] = [ends[0][1], ends[1][1]];
    const parts = [shape("line", { class: "axis", x1: 8, y1: 17, x2: 252, y2: 17 }),
      shape("rect", { class: closed ? "band closed" : "band", x: left, y: 10, width: Math.max(1.5, right - left), height: 14, rx: 3 })];
    ends.forEach(([value, x, name], second) => {
      if (!Number.isFinite(value)) return;
      parts.push(shape("line", { class: "bound", x1: x, y1: 5, x2: x, y2: 29 }));
      const close = right - left < 50;
      const text = shape("text", { x: close ? x + (second ? 3 : -3) : x, y: 42, class: close ? (second ? "start" : "end") : "" });
      text.textContent = name;
      parts.push(text);
    });
    const words = closed ? `the window is closed: alpha ${alpha}, beta ${beta}` : `window from ${alpha} to ${beta}`;
    return shape("svg", { class: "number-line", viewBox: "0 0 260 48", role: "img", "aria-label": words }, ...parts);
  }

  showOpen() {
    const { walkthrough } = this;
    const all = walkthrough.openList();
    const fresh = walkthrough.fresh();
    const clusters = walkthrough.data.shape === "tree";
    const sized = all.some((entry) => entry.size !== null);
    const sides = all.some((entry) => entry.side === "backward");
    const heads = clusters
      ? [["", ""], ["node", ""], ["status", ""], ["h", "figure"], ...(sized ? [["strategies", "figure"]] : [])]
      : [["state", ""], ...(sides ? [["from", ""]] : []), [walkthrough.data.priority, "figure"]];
    const rows = all.slice(0, MOST_ROWS).map((entry) => {
      const name = html("td", { class: "name" }, this.reference(entry.node, shortName(walkthrough, entry.node)));
      const key = html("td", { class: "figure" }, entry.text);
      const side = html("td", {}, entry.side === "backward" ? "goal" : "start");
      const chip = html("td", {}, html("span", { class: "chip c" + (entry.cluster % 6), title: "cluster " + entry.cluster }, String(entry.cluster)));
      const status = html("td", { class: entry.status }, entry.status);
      const size = html("td", { class: "figure" }, entry.size ?? "");
      const cells = clusters ? [chip, name, status, key, ...(sized ? [size] : [])] : [name, ...(sides ? [side] : []), key];
      return html("tr", fresh.has(entry.arrival) ? { class: "fresh" } : {}, ...cells);
    });
    const title = clusters ? "OPEN" : "Fringe";
    const rest = all.length - MOST_ROWS;
    this.open.replaceChildren(
      html("h2", {}, title, html("small", {}, all.length ? " " + all.length.toLocaleString("en") + (all.length === 1 ? " record" : " records") + ", the next one first" : " is empty")),
      html("div", { class: "scroll" }, html("table", {},
        html("thead", {}, html("tr", {}, ...heads.map(([name, style]) => html("th", { class: style }, name)))), html("tbody", {}, ...rows))),
      ...(rest > 0 ? [html("p", { class: "quiet" }, "… and " + rest.toLocaleString("en") + " more")] : []),
      ...(clusters ? [] : [html("p", { class: "quiet" }, this.explored())]));
  }

  explored() {
    const waiting = new Set();
    for (const [, entry] of this.walkthrough.open) waiting.add(entry[0]);
    const seen = this.walkthrough.status.size;
    return seen.toLocaleString("en") + (seen === 1 ? " state seen, " : " states seen, ") + (seen - waiting.size).toLocaleString("en") + " of them explored";
  }

  count() {
    const found = [];
    for (const [name, words] of COUNTERS) {
      const value = this.walkthrough.counter.get(name);
      if (value === undefined) continue;
      found.push(html("div", {}, html("dt", {}, words), html("dd", { "data-counter": name }, value.toLocaleString("en"))));
    }
    this.counters.replaceChildren(...found);
  }
}

function legend(data) {
  const row = (kind, status, words) => html("li", {}, shape("svg", { viewBox: "-24 -21 48 42", class: "sample" },
    shape("g", { class: "node s-" + status + " k-" + kind }, ...outline(kind, 0, false))), words);
  const edge = (style, words) => html("li", {}, shape("svg", { viewBox: "-24 -21 48 42", class: "sample" },
    shape("g", { class: "edge " + style }, shape("path", { class: "line", d: "M-20 0L20 0" }))), words);
  const statuses = new Set(["unseen"]);
  for (const [, , , changes] of data.steps) for (const [field, , value] of changes) if (field === 0) statuses.add(value);
  const tree = data.shape === "tree";
  const kinds = tree ? ["max", "min", "chance"].filter((player) => data.nodes.some((node) => node[2] === player && node[3])) : [];
  const words = tree
    ? { leaf: "leaf, evaluated", unseen: "not visited", live: data.order ? "LIVE" : "made, not expanded", solved: "SOLVED", purged: "purged", cut: "cut", known: "visited in an earlier round" }
    : { live: "in the fringe", visited: "explored", known: "visited in an earlier round", leaf: "terminal", goal: "a goal" };
  const rows = [
    ...kinds.map((player) => row(player, "visited", player === "chance" ? player : player.toUpperCase())),
    ...Object.entries(words).filter(([status]) => statuses.has(status)).map(([status, text]) => row(tree ? "leaf" : "state", status, text)),
    ...(data.strategy.length ? [edge("strategy", "strategy found"), edge("line-of-play", "best play")] : []),
    ...(!tree && data.line.length ? [edge("line-of-play", "solution")] : []),
  ];
  return html("details", { class: "panel legend" }, html("summary", {}, "Signs and keys"),
    html("ul", {}, ...rows),
    html("p", { class: "quiet" }, "Click a node to fold or unfold what is below it; drag to move, turn the wheel to zoom. "
      + "Keys: ← → step, space play, c next cut, shift+c last one, Home, End, + − zoom, f whole tree, u fold as at first."));
}

function shortName(walkthrough, number) {
  return walkthrough.call(number).replace(/^node |^the |^state /, "");
}

function capital(text) { return text.charAt(0).toUpperCase() + text.slice(1); }

// a figure as a number: 12− and 12+ are next to 12
function plain(text) {
  const value = text.replace(/−/g, "-").replace(/[-+]$/, "");
  if (value.startsWith("∞")) return Infinity;
  if (value.startsWith("-∞")) return -Infinity;
  return parseFloat(value);
}
