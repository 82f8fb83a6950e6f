// A walkthrough and a place in it. Every step lists what it sets; what was there before is noted when it is
// first gone through, so that going back is as quick as going on.

const FIELDS = ["status", "value", "window", "best", "proof", "open", "link", "counter", "now"];

class Walkthrough {
  constructor(data) {
    this.data = data;
    this.nodes = data.nodes.map(([parent, move, player, moves, printed, name, side, odds], number) =>
      ({ number, parent, move, player, moves, printed, name, side, odds, children: [], depth: 0 }));
    this.roots = [];
    for (const node of this.nodes) {
      if (node.parent < 0) this.roots.push(node.number);
      else this.nodes[node.parent].children.push(node.number);
    }
    for (const [parent, children] of data.children) this.nodes[parent].children = children;
    const waiting = [...this.roots];
    while (waiting.length) {
      const node = this.nodes[waiting.pop()];
      for (const child of node.children) {
        this.nodes[child].depth = node.depth + 1;
        waiting.push(child);
      }
    }
    for (const name of FIELDS) this[name] = new Map();
    this.at = -1;
    this.undo = [];
    this.length = data.steps.length;
    this.strategy = new Set(data.strategy);
    this.line = new Set();
    for (let i = 1; i < data.line.length; i++) this.line.add(pair(data.line[i - 1], data.line[i]));
    this.cuts = [];
    data.steps.forEach(([kind], number) => {
      if (kind === "cut" || kind === "purge" || kind === "goal" || kind === "meet") this.cuts.push(number);
    });
    this.seek(0);
  }

  seek(number) {
    number = Math.max(0, Math.min(number, this.length - 1));
    while (this.at < number) this.forward();
    while (this.at > number) this.back();
  }

  forward() {
    const changes = this.data.steps[++this.at][3];
    const first = this.undo.length === this.at;
    const before = [];
    for (const [field, key, value] of changes) {
      const entries = this[FIELDS[field]];
      if (first) before.push([field, key, entries.has(key) ? entries.get(key) : null]);
      put(entries, key, value);
    }
    if (first) this.undo.push(before);
  }

  back() {
    const before = this.undo[this.at--];
    for (let i = before.length - 1; i >= 0; i--) put(this[FIELDS[before[i][0]]], before[i][1], before[i][2]);
  }

  get kind() { return this.data.steps[this.at][0]; }
  get focus() { return this.data.steps[this.at][1]; }
  get sentence() { return this.data.steps[this.at][2]; }
  get finished() { return this.now.has("finished"); }

  nextCut(direction) {
    if (direction > 0) return this.cuts.find((number) => number > this.at) ?? this.length - 1;
    return this.cuts.findLast((number) => number < this.at) ?? 0;
  }

  path(number) {
    const found = [];
    for (let node = number; node !== null && node >= 0; node = this.nodes[node].parent) found.push(node);
    return found.reverse();
  }

  call(number) { return this.data.names[number]; }

  // the status of a node as it is drawn: below a cut everything is cut
  shownStatus(number) {
    const status = this.status.get(number);
    if (status !== undefined) return status;
    for (let node = this.nodes[number].parent; node >= 0; node = this.nodes[node].parent) {
      const above = this.status.get(node);
      if (above !== undefined) return above === "cut" ? "cut" : "unseen";
    }
    return "unseen";
  }

  // the root is there before the search looks at it, so that no picture is empty
  isDrawn(number) { return this.data.outlined || this.status.has(number) || number === this.roots[0]; }

  label(number) {
    const node = this.nodes[number];
    if (this.data.shape === "graph") return String(node.name);
    const value = this.value.get(number);
    if (value !== undefined) return value[1] + value[0];
    const proof = this.proof.get(number);
    if (proof !== undefined) return proof.join("/");
    return node.printed ?? "";
  }

  // OPEN or the fringe as it would be taken out, best first
  openList() {
    const entries = [...this.open.entries()].map(([arrival, [node, key, text, status, cluster, size, side]]) =>
      ({ arrival, node, key: number(key), text, status, cluster, size, side }));
    const order = this.data.order;
    const compare = {
      greatest: (a, b) => b.key - a.key || a.node - b.node,
      least: (a, b) => a.key - b.key || a.node - b.node,
      cheapest: (a, b) => a.key - b.key || a.arrival - b.arrival,
      last: (a, b) => b.arrival - a.arrival,
    }[order] ?? ((a, b) => a.arrival - b.arrival);
    // two infinities differ by NaN, which counts as equal here
    return entries.sort(compare);
  }

  // the arrivals that came with this step
  fresh() {
    const found = new Set();
    for (const [field, key, value] of this.data.steps[this.at][3])
      if (FIELDS[field] === "open" && value !== null) found.add(key);
    return found;
  }
}

function put(entries, key, value) {
  if (value === null) entries.delete(key);
  else entries.set(key, value);
}

function pair(a, b) { return a < b ? a + " " + b : b + " " + a; }

function number(value) { return value === "inf" ? Infinity : value === "-inf" ? -Infinity : value; }
