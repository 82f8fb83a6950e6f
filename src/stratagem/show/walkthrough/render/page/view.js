// Puts the parts together. `Stratagem.explain(element, data, options)` may be called for several elements of one
// page; it returns what another script needs to step two of them together and to draw the same picture: {seek, at,
// length, drawn, onstep, element}.

const SPEEDS = [0.5, 1, 2, 4, 8, 16, 40];

function explain(root, data, options = {}) {
  const walkthrough = new Walkthrough(data);
  const folding = new Folding(walkthrough);
  const listeners = [];
  let timer = null;
  let speed = 1;

  const drawing = new Drawing(walkthrough, folding, fold);
  const panels = new Panels(walkthrough, (number) => drawing.point(number), visit);
  const play = button("▶", "play or pause (space)", toggle, "play");
  const slider = html("input", { type: "range", min: 0, max: walkthrough.length - 1, value: 0, "aria-label": "step", class: "slider",
    on: { input: () => { pause(); seek(Number(slider.value), false); } } });
  const counter = html("output", { class: "step" });
  const rate = html("select", { title: "speed", "aria-label": "speed", on: { change: () => { speed = Number(rate.value); } } },
    ...SPEEDS.map((each) => html("option", { value: each, ...(each === 1 ? { selected: "" } : {}) }, each + "×")));
  const controls = html("nav", { class: "controls", "aria-label": "steps" },
    html("div", { class: "buttons" },
      button("◀◀", "to the beginning (Home)", () => stop(0), "first"),
      button("◀", "one step back (←)", () => stop(walkthrough.at - 1), "back"),
      play,
      button("▶|", "one step on (→)", () => stop(walkthrough.at + 1), "next"),
      ...(walkthrough.cuts.length === 0 ? [] : [button(data.shape === "graph" ? "goal" : data.order ? "next purge" : "next cut", "to the next cut, purge or goal (c)", () => stop(walkthrough.nextCut(1)), "cut")]),
      button("▶▶", "to the end (End)", () => stop(walkthrough.length - 1), "last"),
      rate, counter),
    html("div", { class: "track" }, slider, ticks(walkthrough)));
  const tools = html("div", { class: "tools" },
    button("+", "larger", () => drawing.camera.zoom(1.25), "in"),
    button("−", "smaller", () => drawing.camera.zoom(0.8), "out"),
    button("⤢", "the whole tree, or follow the search (f)", () => drawing.camera.whole(), "fit"));
  const head = html("header", {}, html("h1", {}, data.title),
    html("span", { class: "subtitle" }, data.label), panels.value,
    options.theme === false ? "" : button("◐", "dark or light", () => turn(root), "theme"));
  root.classList.add("stratagem");
  root.replaceChildren(head,
    html("div", { class: "main" },
      html("div", { class: "stage" },
        html("div", { class: "words" }, panels.round, panels.sentence),
        html("div", { class: "canvas" }, drawing.svg, tools), controls),
      panels.aside));

  function seek(number, glide = true) {
    walkthrough.seek(number);
    render(glide);
    for (const listener of listeners) listener(walkthrough.at);
  }

  function render(glide) {
    panels.render();
    drawing.render(glide);
    slider.value = walkthrough.at;
    counter.textContent = "step " + (walkthrough.at + 1) + " of " + walkthrough.length;
    root.dataset.step = walkthrough.at;
    root.dataset.kind = walkthrough.kind;
  }

  function stop(number) { pause(); seek(number); }

  function toggle() {
    if (timer !== null) return pause();
    if (walkthrough.at === walkthrough.length - 1) seek(0, false);
    play.textContent = "||";
    tick();
  }

  function tick() {
    timer = setTimeout(() => {
      seek(walkthrough.at + 1, speed <= 2);
      if (walkthrough.at === walkthrough.length - 1) pause();
      else tick();
    }, Math.max(25, 900 / speed));
  }

  function pause() {
    clearTimeout(timer);
    timer = null;
    play.textContent = "▶";
  }

  function fold(number, place) {
    if (place.more) folding.chosen.set("all " + place.parent, true);
    else if (walkthrough.nodes[number].children.length) folding.toggle(number, place.open);
    else return;
    render(true);
  }

  // unfolds the way to a node and points at it
  function visit(number) {
    for (const node of walkthrough.path(number).slice(0, -1)) folding.chosen.set(node, true);
    render(true);
    drawing.point(number);
    drawing.camera.focus = drawing.plan.places.get(number) ?? drawing.camera.focus;
    drawing.camera.fit();
  }

  const keys = {
    ArrowRight: () => stop(walkthrough.at + 1), ArrowLeft: () => stop(walkthrough.at - 1), " ": toggle,
    c: () => stop(walkthrough.nextCut(1)), C: () => stop(walkthrough.nextCut(-1)),
    Home: () => stop(0), End: () => stop(walkthrough.length - 1),
    f: () => drawing.camera.whole(), u: () => { folding.forget(); render(true); },
    "+": () => drawing.camera.zoom(1.25), "-": () => drawing.camera.zoom(0.8),
  };
  if (options.keys !== false) {
    document.addEventListener("keydown", (event) => {
      const action = keys[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target;
      if (target.tagName === "SELECT" || target.tagName === "TEXTAREA") return;
      if (target.tagName === "INPUT" && target.type !== "range") return;
      if (event.key === " " && target.tagName === "BUTTON") return; // it presses the button
      event.preventDefault();
      action();
    });
  }
  new ResizeObserver(() => { if (!drawing.camera.free) drawing.render(false); }).observe(drawing.svg);
  matchMedia("print").addEventListener("change", (event) => drawing.camera.print(event.matches));
  seek(options.step ?? 0, false);
  return { seek, onstep: (listener) => listeners.push(listener), get at() { return walkthrough.at; }, get drawn() { return drawing.drawn; }, length: walkthrough.length, element: root };
}

function button(sign, title, action, role) {
  return html("button", { type: "button", title, "aria-label": title, "data-do": role, on: { click: action } }, sign);
}

// where the cuts are, under the slider
function ticks(walkthrough) {
  const svg = shape("svg", { class: "ticks", viewBox: "0 0 1000 6", preserveAspectRatio: "none", "aria-hidden": "true" });
  const last = Math.max(1, walkthrough.length - 1);
  const spots = new Set(walkthrough.cuts.map((number) => Math.round((number / last) * 1000)));
  for (const x of spots) svg.append(shape("line", { x1: x, x2: x, y1: 0, y2: 6 }));
  return svg;
}

function turn(root) {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

globalThis.Stratagem = { ...globalThis.Stratagem, explain };
