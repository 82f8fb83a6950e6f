// Which nodes are drawn, and where. Small trees are drawn whole. Large ones are open near the root and along
// the way to the node in focus; the rest is folded, and what is folded costs nothing.

const WHOLE = 170; // so many nodes are drawn without folding any
const NEAR = 60; // of a larger tree: so many near the root
const BROTHERS = 40; // children of one node that are drawn beside each other
const CUT_TOGETHER = 7; // so many cut children in a row are drawn as one
const ROW = 74; // from one level to the next, at least and at most
const TALL_ROW = 130;
const MARGIN = 30;

class Folding {
  constructor(walkthrough) {
    this.walkthrough = walkthrough;
    this.chosen = new Map(); // what the reader has folded or unfolded
    const perDepth = [];
    for (const node of walkthrough.nodes) perDepth[node.depth] = (perDepth[node.depth] ?? 0) + 1;
    let sum = 0;
    this.near = 0;
    while (this.near < perDepth.length && sum + perDepth[this.near] <= NEAR) sum += perDepth[this.near++];
    this.whole = walkthrough.nodes.length <= WHOLE;
  }

  toggle(number, open) { this.chosen.set(number, !open); }

  forget() { this.chosen.clear(); }

  isOpen(number, onPath) {
    const chosen = this.chosen.get(number);
    if (chosen !== undefined) return chosen;
    if (this.whole || onPath.has(number)) return true;
    return this.walkthrough.nodes[number].depth < this.near - 1;
  }
}

// node -> {number, x, y, open, hidden} in the order of drawing, and the size of the whole; *hidden* counts what is
// folded away below a node. An entry with *more* stands for that many brothers. *room* is what there is on the screen:
// levels are set further apart where a wide tree would otherwise leave it empty.
function arrange(walkthrough, folding, room) {
  const onPath = new Set(walkthrough.focus === null ? [] : walkthrough.path(walkthrough.focus));
  if (walkthrough.finished) for (const number of walkthrough.data.line) onPath.add(number);
  const places = new Map();
  let x = MARGIN;
  let deepest = 0;
  const waiting = walkthrough.roots.filter((root) => walkthrough.isDrawn(root)).reverse().map((root) => [root, 0, null]);
  while (waiting.length) {
    const [item, depth, children] = waiting.pop();
    deepest = Math.max(deepest, depth);
    if (typeof item !== "number") { // several brothers in one
      x += 22;
      places.set(item.key, { number: item.key, more: item.count, cut: item.cut, parent: item.parent, x, level: depth });
      x += 22;
      continue;
    }
    if (children !== null) { // all below it stand: now it can stand above their middle
      const first = places.get(key(children[0]));
      const last = places.get(key(children[children.length - 1]));
      places.set(item, { number: item, x: (first.x + last.x) / 2, level: depth, open: true, hidden: 0 });
      continue;
    }
    const below = walkthrough.nodes[item].children.filter((child) => walkthrough.isDrawn(child));
    if (below.length && folding.isOpen(item, onPath)) {
      const shown = gather(walkthrough, item, below, onPath, folding);
      waiting.push([item, depth, shown]);
      for (let i = shown.length - 1; i >= 0; i--) waiting.push([shown[i], depth + 1, null]);
    } else {
      const wide = width(walkthrough, item);
      const hidden = below.length ? size(walkthrough, item) : 0;
      places.set(item, { number: item, x: x + wide / 2, level: depth, open: false, hidden });
      x += wide;
    }
  }
  const whole = x + MARGIN;
  const row = Math.max(ROW, Math.min(TALL_ROW, deepest ? (whole * room - 2 * MARGIN - 20) / deepest : 0));
  for (const place of places.values()) place.y = MARGIN + place.level * row;
  return { places, width: whole, height: 2 * MARGIN + deepest * row + 14 };
}

// where a node has very many children, those far from the way to the focus are drawn as one, and so are the many that
// were cut
function gather(walkthrough, parent, below, onPath, folding) {
  if (folding.chosen.get("all " + parent)) return below;
  below = bundle(walkthrough, parent, below);
  if (below.length <= BROTHERS) return below;
  const at = Math.max(0, below.findIndex((child) => onPath.has(child)));
  const from = Math.max(0, Math.min(at - BROTHERS / 2, below.length - BROTHERS));
  const shown = below.slice(from, from + BROTHERS);
  if (from > 0) shown.unshift({ key: "before " + parent, count: from, parent });
  const rest = below.length - from - BROTHERS;
  if (rest > 0) shown.push({ key: "after " + parent, count: rest, parent });
  return shown;
}

function bundle(walkthrough, parent, below) {
  const cut = below.filter((child) => walkthrough.status.get(child) === "cut");
  if (cut.length < CUT_TOGETHER) return below;
  const shown = [];
  for (const child of below) {
    if (child === cut[0]) shown.push({ key: "cut " + parent, count: cut.length, cut: true, parent });
    else if (walkthrough.status.get(child) !== "cut") shown.push(child);
  }
  return shown;
}

function key(item) { return typeof item === "number" ? item : item.key; }

function width(walkthrough, number) {
  const text = walkthrough.label(number).length * 8.5 + 20;
  const move = edgeLabel(walkthrough.nodes[number]).length * 6.2 + 8;
  return Math.max(38, text, move);
}

function size(walkthrough, number) {
  let count = 0;
  const waiting = [...walkthrough.nodes[number].children];
  while (waiting.length) {
    const node = waiting.pop();
    if (!walkthrough.isDrawn(node)) continue;
    count++;
    waiting.push(...walkthrough.nodes[node].children);
  }
  return count;
}

function edgeLabel(node) { return node.odds ?? shortMove(node.move); }

function shortMove(move) {
  const text = move.startsWith("(") && move.endsWith(")") ? move.slice(1, -1) : move;
  return text.length <= 14 ? text : text.slice(0, 13) + "…";
}
