// A curve with handles that are dragged up and down, by finger, mouse or arrow keys; between handles it is straight.
//
// Python is told the levels of all handles while they move, not more often than it can answer, and sends back what it
// made of them. What comes back is believed only when nothing newer is on its way.

const PAUSE = 60; // milliseconds between two messages to Python
const SVG = "http://www.w3.org/2000/svg";

class Panel {
  constructor(root) {
    this.plane = root.querySelector(".plane");
    this.lines = root.querySelector("svg");
    this.handles = [];
  }

  show(data, send) {
    this.data = data;
    this.send = send;
    if (this.sent === JSON.stringify(data.levels)) this.sent = undefined;
    if (this.sent === undefined && this.dragged === undefined) this.levels = [...data.levels];
    this.plane.setAttribute("aria-label", data.label);
    if (this.handles.length !== data.handles.length) this.build();
    this.draw();
  }

  build() {
    for (const old of this.plane.querySelectorAll(".handle, .tick, .title")) old.remove();
    this.add("title across", this.data.xTitle);
    this.add("title up", this.data.yTitle);
    for (const { level, text } of this.data.ticks) this.add("tick level", text).style.top = this.height(level);
    this.data.handles.forEach(({ x, text }, index) => {
      this.add(index % 2 ? "tick place other" : "tick place", text).style.left = `${100 * x}%`;
    });
    this.handles = this.data.handles.map(({ x, name }, index) => {
      const handle = this.add("handle");
      handle.style.left = `${100 * x}%`;
      const fixed = { role: "slider", tabindex: 0, "aria-orientation": "vertical", "aria-label": name,
        "aria-valuemin": this.data.low, "aria-valuemax": this.data.high };
      for (const [attribute, value] of Object.entries(fixed)) handle.setAttribute(attribute, value);
      handle.onpointerdown = (event) => { this.dragged = index; handle.setPointerCapture(event.pointerId); handle.focus(); event.preventDefault(); };
      handle.onpointermove = (event) => { if (this.dragged === index) this.move(index, this.levelAt(event.clientY)); };
      handle.onpointerup = handle.onpointercancel = () => { this.dragged = undefined; };
      handle.onkeydown = (event) => this.press(index, event);
      return handle;
    });
  }

  add(kind, text = "") {
    const element = document.createElement("div");
    element.className = kind;
    element.textContent = text;
    if (text) element.setAttribute("aria-hidden", "true");
    return this.plane.appendChild(element);
  }

  press(index, event) {
    const { low, high, step } = this.data;
    const by = { ArrowUp: step, ArrowRight: step, ArrowDown: -step, ArrowLeft: -step, PageUp: 10 * step, PageDown: -10 * step,
      Home: low - this.levels[index], End: high - this.levels[index] }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    this.move(index, this.levels[index] + by);
  }

  move(index, level) {
    const { low, high, step } = this.data;
    const rounded = Number((Math.round(Math.min(high, Math.max(low, level)) / step) * step).toFixed(4));
    if (rounded === this.levels[index]) return;
    this.levels[index] = rounded;
    this.draw();
    this.tell();
  }

  tell() {
    this.sent = JSON.stringify(this.levels);
    if (this.resting) return;
    this.resting = setTimeout(() => { this.resting = undefined; if (this.sent && this.sent !== this.told) this.tell(); }, PAUSE);
    this.told = this.sent;
    this.send("levels", [...this.levels]);
  }

  draw() {
    const own = this.data.handles.map(({ x }, index) => [x, this.levels[index]]);
    const curves = [...this.data.curves, { kind: "own", points: [[0, own[0][1]], ...own] }];
    this.lines.replaceChildren(...curves.map(({ kind, points }) => {
      const line = document.createElementNS(SVG, "polyline");
      line.setAttribute("class", kind);
      line.setAttribute("points", points.map(([x, level]) => `${100 * x},${100 * this.share(level)}`).join(" "));
      return line;
    }));
    this.handles.forEach((handle, index) => {
      handle.style.top = this.height(this.levels[index]);
      handle.setAttribute("aria-valuenow", this.levels[index]);
      handle.setAttribute("aria-valuetext", `10 to the power ${this.levels[index]}`);
    });
  }

  share(level) { return (this.data.high - level) / (this.data.high - this.data.low); }

  height(level) { return `${100 * this.share(level)}%`; }

  levelAt(clientY) {
    const { top, height } = this.plane.getBoundingClientRect();
    return this.data.high - (this.data.high - this.data.low) * (clientY - top) / height;
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".handles");
  root.panel ??= new Panel(root);
  root.panel.show(data, setStateValue);
}
