// A Plotly chart that is updated in place, and that follows sliders of the page while they are being dragged.
//
// Streamlit calls the default export once when the chart appears and again whenever its data or the theme changes; what
// it returns is called when the chart leaves the page. The node and the viewer's zoom live as long as the chart does.

let plotly;

function loadPlotly(url) {
  plotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = url;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => { plotly = undefined; reject(new Error(`Could not load ${url}`)); };
    document.head.append(script);
  });
  return plotly;
}

// One paint a frame, first come first served: the first chart of a page is seen before the last one is drawn.
const waiting = new Set();

function schedule(chart) {
  if (!waiting.size) requestAnimationFrame(paintNext);
  waiting.add(chart);
}

function paintNext() {
  const [chart] = waiting;
  waiting.delete(chart);
  if (waiting.size) requestAnimationFrame(paintNext);
  chart?.paint();
}

class LiveChart {
  constructor(node) {
    this.node = node;
    this.resizing = new ResizeObserver(() => { if (this.painted && this.size() !== this.painted) schedule(this); });
    this.resizing.observe(node);
    // While a slider is dragged nothing reaches Python; only its spoken value changes, on every notch.
    this.watching = new MutationObserver((changes) => this.follow(changes));
    this.watching.observe(document.body, { subtree: true, attributeFilter: ["aria-valuetext"] });
  }

  show(data, Plotly) {
    this.Plotly = Plotly;
    this.drag = JSON.parse(data.drag);
    this.figure = JSON.parse(data.figure);
    this.followed = {};
    // A slider that Python moved was followed with the words of the old figures; only one that has moved on since is heard.
    for (const [selector, text] of Object.entries(data.words)) write(selector, text);
    this.speak(Object.keys(this.drag).filter((key) => spoken(key) !== this.drag[key].value));
    schedule(this);
  }

  follow(changes) {
    const sliders = Object.keys(this.drag ?? {}).filter((key) => changes.some(({ target }) => target.closest(`.st-key-${key}`)));
    this.speak(sliders);
    if (sliders.length) schedule(this);
  }

  speak(sliders) {
    for (const key of sliders) {
      const frame = this.drag[key].frames[spoken(key)];
      for (const [selector, text] of Object.entries(frame?.text ?? {})) write(selector, text);
    }
  }

  size() {
    return `${this.node.clientWidth} x ${this.node.clientHeight}`;
  }

  paint() {
    this.painted = this.size();
    if (!this.node.clientWidth) return; // in a closed tab; opening it resizes the node
    const figure = themed(this.composed(), getComputedStyle(this.node));
    this.Plotly.react(this.node, figure.data, figure.layout, this.figure.config);
    this.node.dataset.paints = Number(this.node.dataset.paints ?? 0) + 1;
    this.node.dataset.ready = "true";
  }

  // The figure as Python sent it, changed by the frame of each slider that no longer shows the value it was sent for.
  composed() {
    const data = this.figure.data.map((trace) => ({ ...trace }));
    const layout = structuredClone(this.figure.layout); // plotly.js writes a viewer's zoom into what it is given
    for (const [key, { value, frames }] of Object.entries(this.drag ?? {})) {
      const now = spoken(key);
      if (now === value || now in frames) this.followed[key] = now; // between two frames the last one stays
      const frame = this.followed[key] === value ? undefined : frames[this.followed[key]];
      for (const [index, changes] of Object.entries(frame?.data ?? {})) Object.assign(data[index], changes);
      Object.assign(layout, frame?.layout);
    }
    return { data, layout };
  }

  stop() {
    waiting.delete(this);
    this.resizing.disconnect();
    this.watching.disconnect();
    this.Plotly?.purge(this.node);
  }
}

// What a slider says aloud now; undefined while it is not on the page.
function spoken(key) {
  return document.querySelector(`.st-key-${key} [aria-valuetext]`)?.getAttribute("aria-valuetext");
}

// React owns these elements: only the value of their one text node is changed, so that it finds everything in its place.
function write(selector, text) {
  for (const element of document.querySelectorAll(selector)) {
    const only = element.firstChild;
    if (element.childNodes.length === 1 && only.nodeType === Node.TEXT_NODE) only.nodeValue = text;
  }
}

function themed({ data, layout }, style) {
  const ink = style.getPropertyValue("--st-text-color").trim();
  const ground = style.getPropertyValue("--st-background-color").trim();
  const family = style.getPropertyValue("--st-font").trim();
  const size = Math.round(0.8 * parseFloat(style.fontSize));
  const axis = (name) => ({ ...layout[name], linecolor: ink, tickcolor: ink });
  return {
    data,
    layout: {
      ...layout,
      xaxis: axis("xaxis"),
      yaxis: axis("yaxis"),
      font: { color: ink, family, size },
      hoverlabel: { bgcolor: ground, font: { color: ink, family, size } },
      // A finger on the chart must scroll the page, not draw a zoom box.
      dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
    },
  };
}

export default function ({ data, parentElement }) {
  const node = parentElement.querySelector(".live-chart");
  node.style.height = `${data.height}px`; // before plotly.js is here, so that nothing below jumps when it comes
  node.setAttribute("aria-label", data.label);
  const chart = (node.chart ??= new LiveChart(node));
  const call = (chart.latest = {});
  loadPlotly(data.plotly).then(
    (Plotly) => { if (chart.latest === call) chart.show(data, Plotly); },
    (error) => { node.textContent = error.message; },
  );
  return () => {
    if (chart.latest !== call) return; // Streamlit also ends calls that were overtaken, while the chart lives on with the next one
    chart.latest = undefined;
    chart.stop();
    node.chart = undefined;
  };
}
