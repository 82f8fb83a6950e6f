// Zoom and pan. Left alone it shows the whole tree, or, where that would be too small to read, follows the node
// in focus; once the reader has moved it, it stays where it was put.

const SMALLEST = 0.72; // the scale below which following is better than fitting; on a phone a little more

class Camera {
  constructor(svg, stage) {
    this.svg = svg;
    this.stage = stage;
    this.free = false;
    this.view = { x: 0, y: 0, scale: 1 };
    this.fingers = new Map();
    svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    svg.addEventListener("pointerdown", (event) => this.down(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel", "pointerleave"])
      svg.addEventListener(name, (event) => this.fingers.delete(event.pointerId));
    svg.addEventListener("click", (event) => { if (this.dragged) event.stopPropagation(); }, { capture: true });
  }

  follow(plan, focus) {
    this.plan = plan;
    this.focus = focus ?? this.focus;
    if (!this.free) this.fit();
    else this.apply();
  }

  // how tall the screen is for its width
  shape() { return this.svg.clientWidth ? this.svg.clientHeight / this.svg.clientWidth : 0.6; }

  // the whole tree, however small; asked for again, back to following
  whole() {
    if (this.free) return this.fit();
    const { clientWidth: width, clientHeight: height } = this.svg;
    const scale = Math.min(1.3, width / this.plan.width, height / this.plan.height);
    this.view = { x: (width - this.plan.width * scale) / 2, y: (height - this.plan.height * scale) / 2, scale };
    this.free = true;
    this.apply();
  }

  fit() {
    this.free = false;
    const { clientWidth: width, clientHeight: height } = this.svg;
    if (!this.plan || !width || !height) return;
    const whole = Math.min(1.3, width / this.plan.width, height / this.plan.height);
    const scale = Math.max(whole, width < 600 ? SMALLEST + 0.13 : SMALLEST);
    const x = this.along(width, this.plan.width * scale, (this.focus?.x ?? this.plan.width / 2) * scale);
    const y = this.along(height, this.plan.height * scale, (this.focus?.y ?? 0) * scale);
    this.view = { x, y, scale };
    this.apply();
  }

  // where the whole begins, so that *spot* is in sight and no room is wasted
  along(room, whole, spot) {
    if (whole <= room) return (room - whole) / 2;
    return Math.min(0, Math.max(room - whole, room / 2 - spot));
  }

  apply() {
    if (this.printing) return;
    const { x, y, scale } = this.view;
    this.stage.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${scale.toFixed(3)})`);
    this.svg.classList.toggle("far", scale < 0.5);
  }

  // on paper the whole tree is fitted by the browser, whose paper we cannot measure
  print(on) {
    this.printing = on;
    if (on) {
      this.svg.setAttribute("viewBox", `0 0 ${this.plan.width.toFixed(0)} ${this.plan.height.toFixed(0)}`);
      this.stage.removeAttribute("transform");
    } else {
      this.svg.removeAttribute("viewBox");
      this.apply();
    }
  }

  zoom(factor, at) {
    const box = this.svg.getBoundingClientRect();
    const px = at ? at.x - box.left : box.width / 2;
    const py = at ? at.y - box.top : box.height / 2;
    const scale = Math.max(0.05, Math.min(4, this.view.scale * factor));
    const ratio = scale / this.view.scale;
    this.view = { x: px - (px - this.view.x) * ratio, y: py - (py - this.view.y) * ratio, scale };
    this.free = true;
    this.apply();
  }

  wheel(event) {
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), { x: event.clientX, y: event.clientY });
  }

  down(event) {
    this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.dragged = false;
    this.travelled = 0;
  }

  move(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    if (this.fingers.size === 1) {
      this.travelled += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
      if (this.travelled > 6) {
        this.dragged = true;
        this.free = true;
        this.view.x += now.x - before.x;
        this.view.y += now.y - before.y;
        this.apply();
      }
    } else {
      const other = [...this.fingers.entries()].find(([id]) => id !== event.pointerId)[1];
      const ratio = distance(now, other) / (distance(before, other) || 1);
      this.dragged = true;
      this.zoom(ratio, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    }
    this.fingers.set(event.pointerId, now);
  }
}

function distance(a, b) { return Math.hypot(a.x - b.x, a.y - b.y); }
