// The drawing: one group of shapes for each node in sight, kept from step to step and moved where it belongs.

const SVG = document.createRange().createContextualFragment("<svg></svg>").firstChild.namespaceURI;
const HALF = 16;
const GLIDE = 220; // milliseconds

function shape(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

class Drawing {
  constructor(walkthrough, folding, onFold) {
    this.walkthrough = walkthrough;
    this.folding = folding;
    this.onFold = onFold;
    this.groups = new Map(); // node -> {edge, group, ...}
    this.links = shape("g", { class: "links" });
    this.edges = shape("g", { class: "edges" });
    this.bodies = shape("g", { class: "nodes" });
    this.stage = shape("g", {}, this.links, this.edges, this.bodies);
    this.svg = shape("svg", { class: "tree", role: "img", "aria-label": "the search tree", tabindex: "-1" }, this.stage);
    this.camera = new Camera(this.svg, this.stage);
    this.pointed = null;
  }

  render(glide) {
    this.plan = arrange(this.walkthrough, this.folding, this.camera.shape());
    const focus = this.walkthrough.focus === null ? null : this.walkthrough.focus;
    this.path = new Set(focus === null ? [] : this.walkthrough.path(focus));
    this.inOpen = new Map();
    for (const [, entry] of this.walkthrough.open) this.inOpen.set(entry[0], entry);
    for (const [number, parts] of this.groups) {
      if (!this.plan.places.has(number)) {
        parts.group.remove();
        parts.edge.remove();
        this.groups.delete(number);
      }
    }
    const moves = [];
    for (const [number, place] of this.plan.places) {
      let parts = this.groups.get(number);
      const born = parts === undefined;
      if (born) parts = this.create(number);
      const from = born ? this.birthplace(place) : parts.at;
      this.dress(parts, place);
      moves.push([parts, from, place]);
    }
    this.camera.follow(this.plan, this.plan.places.get(focus));
    this.glide(moves, glide);
  }

  // the numbers of the nodes that are drawn
  get drawn() { return [...this.plan.places.keys()].filter((key) => typeof key === "number"); }

  // a new node comes out of its parent
  birthplace(place) {
    const parent = this.groups.get(this.parentOf(place));
    return parent?.at ?? { x: place.x, y: place.y };
  }

  parentOf(place) { return place.more ? place.parent : this.walkthrough.nodes[place.number].parent; }

  glide(moves, wanted) {
    cancelAnimationFrame(this.frame);
    const still = !wanted || moves.length > 400 || matchMedia("(prefers-reduced-motion: reduce)").matches;
    const start = performance.now();
    const tick = (now) => {
      const t = still ? 1 : Math.min(1, (now - start) / GLIDE);
      const eased = t * (2 - t);
      for (const [parts, from, place] of moves)
        parts.at = { x: from.x + (place.x - from.x) * eased, y: from.y + (place.y - from.y) * eased };
      for (const [parts, , place] of moves) this.place(parts, place);
      this.drawLinks();
      if (t < 1) this.frame = requestAnimationFrame(tick);
    };
    tick(start);
  }

  place(parts, place) {
    const { x, y } = parts.at;
    parts.group.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    const parent = this.groups.get(this.parentOf(place));
    if (!parent) return;
    const x1 = parent.at.x, y1 = parent.at.y + HALF, y2 = y - HALF + 2;
    parts.line.setAttribute("d", `M${x1.toFixed(1)} ${y1.toFixed(1)}L${x.toFixed(1)} ${y2.toFixed(1)}`);
    // long labels stand over the child, where there is room for them
    const part = place.more || edgeLabel(this.walkthrough.nodes[place.number]).length > 2 ? 1 : 0.6;
    parts.move.setAttribute("x", (x1 + (x - x1) * part).toFixed(1));
    parts.move.setAttribute("y", (part === 1 ? y2 - 6 : y1 + (y2 - y1) * part + 3).toFixed(1));
    parts.strokes.setAttribute("d", strokes(x1, y1, x, y2, part === 1 ? 0.45 : 0.3));
  }

  create(number) {
    const body = shape("g", { class: "body" });
    const text = shape("text", { class: "value", y: 5 });
    const extra = shape("g");
    const title = shape("title");
    const group = shape("g", {}, title, body, text, extra);
    const line = shape("path", { class: "line" });
    const crossing = shape("path", { class: "strokes" });
    const move = shape("text", { class: "move" });
    const edge = shape("g", { class: "edge" }, line, crossing, move);
    this.edges.append(edge);
    this.bodies.append(group);
    const parts = { number, group, body, text, extra, title, edge, line, strokes: crossing, move, at: { x: 0, y: 0 } };
    group.addEventListener("click", () => this.onFold(number, this.plan.places.get(number)));
    this.groups.set(number, parts);
    return parts;
  }

  dress(parts, place) {
    const { walkthrough } = this;
    if (place.more) {
      parts.group.setAttribute("class", "node more");
      parts.text.textContent = place.cut ? place.more + " cut" : "+" + place.more;
      parts.title.textContent = place.more + (place.cut ? " moves were cut" : " more moves") + ": click to show them";
      parts.edge.setAttribute("class", place.cut ? "edge s-cut cut-here" : "edge s-unseen");
      return;
    }
    const node = walkthrough.nodes[place.number];
    const status = walkthrough.shownStatus(place.number);
    const label = walkthrough.label(place.number);
    const kind = walkthrough.data.shape === "graph" ? "state" : node.moves ? node.player || "leaf" : "leaf";
    const finished = walkthrough.finished;
    const inStrategy = finished && walkthrough.strategy.has(place.number);
    const names = ["node", "s-" + status, "k-" + kind];
    if (place.number === walkthrough.focus) names.push("focus");
    if (this.path.has(place.number)) names.push("onpath");
    if (place.number === this.pointed) names.push("pointed");
    if (place.hidden) names.push("folded");
    if (node.children.length) names.push("foldable");
    parts.group.setAttribute("class", names.join(" "));
    parts.group.dataset.node = place.number;
    const looks = kind + "|" + label.length + "|" + (place.number === walkthrough.focus || place.number === this.pointed);
    if (parts.looks !== looks) {
      parts.looks = looks;
      parts.body.replaceChildren(...outline(kind, label.length * 8.5 + 10, looks.endsWith("true")));
    }
    parts.text.textContent = label;
    parts.title.textContent = this.hint(place, node, status);
    parts.move.textContent = edgeLabel(node);
    parts.extra.replaceChildren(...this.extras(place, status));
    const edge = ["edge", "s-" + status];
    const parent = node.parent;
    if (finished && parent >= 0 && walkthrough.line.has(pair(parent, place.number))) edge.push("line-of-play");
    else if (inStrategy && walkthrough.strategy.has(parent)) edge.push("strategy");
    if (this.path.has(place.number)) edge.push("onpath");
    else if (walkthrough.best.get(parent) === place.number) edge.push("best");
    if (status === "cut" && walkthrough.shownStatus(parent) !== "cut") edge.push("cut-here");
    if (node.side === "backward") edge.push("backward");
    parts.edge.setAttribute("class", edge.join(" "));
  }

  extras(place, status) {
    const found = [];
    const entry = this.inOpen.get(place.number);
    if (entry && entry[4] !== null) {
      found.push(shape("circle", { class: "chip c" + (entry[4] % 6), cx: 13, cy: 18, r: 8.5 }));
      const text = shape("text", { class: "chip-text", x: 13, y: 21.5 });
      text.textContent = entry[4];
      found.push(text);
    }
    if (status === "purged") found.push(shape("path", { class: "cross", d: "M-11-11L11 11M11-11L-11 11" }));
    if (place.hidden) {
      found.push(shape("path", { class: "fan", d: "M0 16L-12 30L12 30Z" }));
      const text = shape("text", { class: "count", y: 41 });
      text.textContent = place.hidden;
      found.push(text);
    }
    return found;
  }

  hint(place, node, status) {
    const lines = [this.walkthrough.call(place.number)];
    if (node.player && node.moves) lines.push(node.player.toUpperCase() + " decides, " + node.moves + " moves");
    if (status !== "unseen") lines.push(status);
    const window = this.walkthrough.window.get(place.number);
    if (window) lines.push("window (" + window[0] + ", " + window[1] + ")");
    if (place.hidden) lines.push(place.hidden + " nodes folded below: click to unfold");
    return lines.join("\n");
  }

  drawLinks() {
    const found = [];
    for (const [number, status] of this.walkthrough.link) {
      const [parent, node, move] = this.walkthrough.data.links[number];
      const from = this.groups.get(parent), to = this.groups.get(node);
      if (!from || !to || this.walkthrough.nodes[parent].parent === node) continue; // the way back is not worth a line
      const solved = this.walkthrough.finished && this.walkthrough.line.has(pair(parent, node));
      const bend = to.at.x >= from.at.x ? 28 : -28;
      const x = (from.at.x + to.at.x) / 2, y = (from.at.y + to.at.y) / 2 + bend;
      const d = `M${from.at.x} ${from.at.y}Q${x} ${y} ${to.at.x} ${to.at.y}`;
      const title = shape("title");
      title.textContent = move;
      found.push(shape("path", { class: "link " + status + (solved ? " line-of-play" : ""), d }, title));
    }
    this.links.replaceChildren(...found);
  }

  point(number) {
    this.pointed = number;
    for (const place of this.plan.places.values()) if (!place.more) this.dress(this.groups.get(place.number), place);
  }
}

function outline(kind, room, haloed) {
  const wide = Math.max(HALF, room / 2);
  const found = [];
  if (haloed) found.push(shape("ellipse", { class: "halo", rx: wide + 11, ry: HALF + 11 }));
  if (kind === "max") found.push(shape("rect", { x: -wide, y: -HALF, width: 2 * wide, height: 2 * HALF, rx: 1 }));
  else if (kind === "min") found.push(shape("ellipse", { rx: wide + 1, ry: HALF + 1 }));
  else if (kind === "chance") {
    const w = wide + 6, h = HALF + 5;
    found.push(shape("polygon", { points: `0,${-h} ${w},0 0,${h} ${-w},0` }));
  } else if (kind === "state") found.push(shape("rect", { x: -wide, y: -14, width: 2 * wide, height: 28, rx: 14 }));
  else found.push(shape("rect", { x: -wide, y: -13, width: 2 * wide, height: 26, rx: 7 }));
  return found;
}

function strokes(x1, y1, x2, y2, part) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const dx = (x2 - x1) / length, dy = (y2 - y1) / length;
  let d = "";
  for (const at of [part * length, part * length + 6]) {
    const x = x1 + dx * at, y = y1 + dy * at;
    d += `M${(x - dy * 8).toFixed(1)} ${(y + dx * 8).toFixed(1)}L${(x + dy * 8).toFixed(1)} ${(y - dx * 8).toFixed(1)}`;
  }
  return d;
}
