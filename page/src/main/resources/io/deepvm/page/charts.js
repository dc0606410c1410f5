// Charts by uPlot: values on hover, zoom by dragging, all of it by keys, too. The charts of an axis move together.
import {element} from './elements.js';
import {duration, number} from './figures.js';

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

const axes = [];

function rebuildAll() {
  axes.forEach(axis => axis.charts.forEach(chart => chart.rebuild()));
}

// Draws everything again in the colours of the day or of the night, and on paper in those of the day.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', rebuildAll);
matchMedia('print').addEventListener('change', rebuildAll);
for (const [event, paper] of [['beforeprint', true], ['afterprint', false]]) {
  addEventListener(event, () => {
    document.documentElement.toggleAttribute('data-paper', paper);
    document.querySelectorAll('details').forEach(details => {
      if (paper) details.dataset.was = String(details.open);
      details.open = paper || details.dataset.was === 'true';
    });
    rebuildAll();
  });
}

/*
 * A horizontal axis that charts share: what there is of it, and which part they show.
 * options: label (text, or of the unit of a span), print (a value), splits, log
 */
export class Axis {
  constructor(options) {
    this.options = options;
    this.charts = new Set();
    this.zoomed = null;
    this.from = options.log ? 1 : 0;
    this.end = this.from;
    this.key = 'axis' + axes.length;
    axes.push(this);
  }

  // Sets all that there is.
  reach(from, end) {
    this.from = from;
    this.end = end;
  }

  shown() {
    return this.zoomed || [this.from, Math.max(this.end, this.from + 1e-9)];
  }

  // Shows only this part in all charts of the axis; null shows all.
  zoom(range) {
    this.zoomed = null;
    if (range) {
      const from = Math.max(this.from, range[0]), to = Math.min(this.end, range[1]);
      if (to > from && to - from < (this.end - this.from) * 0.999) this.zoomed = [from, to];
    }
    this.charts.forEach(chart => chart.rescale());
    const any = axes.some(axis => axis.zoomed);
    document.querySelectorAll('[data-zoom]').forEach(button => { button.hidden = !any; });
  }

  // Shows a part that is this many times as wide around a point; the point stays where it is.
  scale(around, times) {
    const [from, to] = this.shown();
    const f = this.options.log ? Math.log : v => v, g = this.options.log ? Math.exp : v => v;
    this.zoom([g(f(around) - (f(around) - f(from)) * times), g(f(around) + (f(to) - f(around)) * times)]);
  }
}

export function showAll() {
  axes.forEach(axis => axis.zoom(null));
}

// The axis of time since a start, in seconds.
export function timeAxis() {
  return new Axis({label: span => 'Time since the start (' + unit(span).name + ')', print: duration, time: true});
}

// Dashes tell lines apart for people who do not see the colours.
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

// Splits of seconds at figures that people use.
const STEPS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400,
  172800, 432000, 864000];

function timeSplits(u, axis, min, max) {
  const wanted = Math.max(2, Math.floor(u.bbox.width / devicePixelRatio / 90));
  const step = STEPS.find(s => (max - min) / s <= wanted) || 864000;
  const splits = [];
  for (let at = Math.ceil(min / step) * step; at <= max; at += step) splits.push(at);
  return splits;
}

// Splits of a logarithmic axis of durations.
const LOG_STEPS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 18000, 36000, 86400, 172800, 432000, 864000];

function logSplits(u, axis, min, max) {
  const inside = LOG_STEPS.filter(s => s >= min && s <= max);
  const wanted = Math.max(2, Math.floor(u.bbox.width / devicePixelRatio / 70));
  const every = Math.ceil(inside.length / wanted);
  return inside.filter((s, i) => i % every === 0);
}

// The unit that suits a span of seconds, and how a time looks in it.
function unit(span) {
  if (span <= 100) return {name: 's', print: at => String(Number(at.toFixed(1)))};
  if (span <= 6000) return {name: 'min', print: at => String(Number((at / 60).toFixed(1)))};
  if (span <= 4 * 86400) {
    return {name: 'h:min', print: at => {
      const minutes = Math.round(at / 60);
      return Math.floor(minutes / 60) + ':' + String(minutes % 60).padStart(2, '0');
    }};
  }
  return {name: 'days', print: at => String(Number((at / 86400).toFixed(1)))};
}

function lines(axis, options) {
  const span = u => u.scales.x.max - u.scales.x.min;
  const base = () => ({
    stroke: colour('soft'),
    grid: {stroke: colour('grid'), width: 1},
    ticks: {show: false},
    font: '12px system-ui, sans-serif',
    labelFont: '12px system-ui, sans-serif',
    labelSize: 18, labelGap: 0,
  });
  const x = axis.options;
  return [
    x.time
      ? {...base(), label: u => x.label(span(u)), size: 30, splits: timeSplits,
        values: (u, splits) => splits.map(unit(span(u)).print)}
      : {...base(), label: x.label, size: 30, space: 70, ...(x.log ? {splits: logSplits, filter: (u, splits) => splits} : {}),
        values: (u, splits) => splits.map(v => (v === null ? '' : x.print(v)))},
    {...base(), label: options.yLabel, size: options.ySize === undefined ? 58 : options.ySize,
      ...(options.yBare ? {grid: {show: false}, splits: () => []} : {}),
      values: (u, splits) => splits.map(v => (v === null ? '' : options.yValue(v)))},
  ];
}

/*
 * A chart in an element.
 * options: title, yLabel, yValue, yBare (no figures on the y-axis), series (label, colour, fill, value, points, hide),
 *          height, axis, bands, range (of y), hooks, keyStep (of the arrows up and down, in pixels)
 */
export class Chart {
  constructor(host, options) {
    this.host = host;
    this.options = {yValue: number, height: 210, ...options};
    this.axis = options.axis;
    this.data = [[], ...this.options.series.map(() => [])];
    this.plot = null;
    host.classList.add('chart');
    host.tabIndex = 0;
    host.setAttribute('role', 'group');
    host.setAttribute('aria-label', this.options.title
      + '. Arrow keys move in it, plus and minus zoom, 0 shows all.');
    this.keys = event => this.key(event);
    host.addEventListener('keydown', this.keys);
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(host);
    this.spoken = element('p', {class: 'unseen', role: 'status'});
    this.axis.charts.add(this);
  }

  // Ends it, for another chart in the same element.
  remove() {
    if (this.plot) this.plot.destroy();
    this.sizes.disconnect();
    this.host.removeEventListener('keydown', this.keys);
    this.host.replaceChildren();
    this.axis.charts.delete(this);
  }

  rebuild() {
    if (this.plot) this.plot.destroy();
    this.plot = null;
    this.show(this.data);
  }

  // Shows other data; the zoom stays.
  show(data) {
    this.data = data;
    if (!this.host.clientWidth) return;
    if (!this.plot) {
      this.plot = new uPlot(this.build(), data, this.host);
      this.host.append(this.spoken);
    } else {
      this.plot.setData(data, false);
    }
    this.rescale();
    if (!(this.plot.cursor.left >= 0)) this.plot.setLegend({idx: null}, false);
  }

  build() {
    const o = this.options, axis = this.axis;
    return {
      width: this.host.clientWidth,
      height: o.height,
      padding: [8, 16, 0, 0],
      axes: lines(axis, o),
      scales: {
        x: {time: false, range: () => axis.shown(), ...(axis.options.log ? {distr: 3} : {})},
        y: {range: o.range || fromZero},
      },
      series: [
        {label: 'at', value: (u, v, i, index) => (index === null ? (axis.options.time ? 'the end' : '–') : axis.options.print(v))},
        ...o.series.map((s, i) => ({
          label: s.label,
          stroke: s.colour ? colour(s.colour) : undefined,
          width: s.width === undefined ? 2 : s.width,
          dash: s.dash === undefined ? DASHES[i % DASHES.length] : s.dash,
          fill: s.fill ? colour(s.fill) : undefined,
          points: {show: Boolean(s.points), size: 5},
          paths: s.stepped ? uPlot.paths.stepped({align: 1}) : undefined,
          spanGaps: Boolean(s.spanGaps),
          // The newest value, while the pointer is elsewhere.
          value: (u, v, index, at) => {
            const column = this.shownColumn(index);
            const shown = at === null ? column.findLast(known => known !== null && known !== undefined) : column[at];
            return shown === null || shown === undefined ? '–' : (s.value || o.yValue)(shown);
          },
        })),
      ],
      bands: (o.bands || []).map(band => ({series: band.series || band, fill: band.fill ? colour(band.fill) : colour('band')})),
      legend: {show: o.legend !== false},
      cursor: {
        sync: {key: axis.key, setSeries: false, scales: ['x', null]},
        drag: {x: true, y: false, setScale: false},
        points: {size: 7},
        y: Boolean(o.crosshair),
        bind: {dblclick: () => () => { axis.zoom(null); return null; }},
        ...(o.cursor || {}),
      },
      hooks: {
        ...(o.hooks || {}),
        ready: [u => this.hide(u)],
        setSelect: [u => {
          if (u.select.width > 4) {
            axis.zoom([u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x')]);
          }
          u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
        }],
      },
    };
  }

  // What the legend says of a column: a chart of stacked parts draws sums.
  shownColumn(index) {
    return this.options.shown ? this.options.shown[index - 1] : this.data[index];
  }

  // Leaves the ends of bands out of the legend.
  hide(u) {
    const rows = u.root.querySelectorAll('.u-legend .u-series');
    this.options.series.forEach((s, i) => { if (s.hide && rows[i + 1]) rows[i + 1].hidden = true; });
  }

  rescale() {
    if (!this.plot) return;
    const [min, max] = this.axis.shown();
    this.plot.setScale('x', {min, max});
  }

  resize() {
    if (!this.plot) this.show(this.data);
    else if (Math.abs(this.plot.width - this.host.clientWidth) > 1) {
      this.plot.setSize({width: this.host.clientWidth, height: this.options.height});
    }
  }

  // Makes the chart higher or lower.
  setHeight(height) {
    if (height !== this.options.height) {
      this.options.height = height;
      if (this.plot) this.plot.setSize({width: this.host.clientWidth, height});
    }
  }

  key(event) {
    const u = this.plot;
    if (!u || event.ctrlKey || event.metaKey || event.altKey) return;
    const width = u.bbox.width / devicePixelRatio, height = u.bbox.height / devicePixelRatio;
    const inside = u.cursor.left >= 0;
    const left = inside ? u.cursor.left : width / 2, top = inside && u.cursor.top >= 0 ? u.cursor.top : height / 2;
    const far = event.shiftKey ? 5 : 1;
    const move = (dx, dy) => u.setCursor({left: Math.max(0, Math.min(width, left + dx * far)),
      top: Math.max(0, Math.min(height, top + dy * far))});
    const upright = this.options.keyStep ? this.options.keyStep() : 8;
    switch (event.key) {
      case 'ArrowLeft': move(-8, 0); break;
      case 'ArrowRight': move(8, 0); break;
      case 'ArrowUp': move(0, -upright); break;
      case 'ArrowDown': move(0, upright); break;
      case '+': case '=': this.axis.scale(u.posToVal(left, 'x'), 0.5); break;
      case '-': this.axis.scale(u.posToVal(left, 'x'), 2); break;
      case '0': case 'Escape': this.axis.zoom(null); break;
      default: return;
    }
    event.preventDefault();
    if (event.key.startsWith('Arrow') && this.options.legend !== false) {
      this.spoken.textContent = [...u.root.querySelectorAll('.u-legend .u-series')].filter(row => !row.hidden)
        .map(row => row.textContent).join(', ');
    }
  }
}

function fromZero(u, min, max) {
  return [0, max > 0 ? max * 1.08 : 1];
}

// A sample of a colour or a pattern for a key, drawn by a function; drawn again in other colours.
export function sample(text, draw) {
  const canvas = element('canvas', {width: 32, height: 20, 'aria-hidden': 'true'});
  canvas.style.width = '16px';
  canvas.style.height = '10px';
  const drawn = {rebuild() {
    const g = canvas.getContext('2d');
    g.clearRect(0, 0, 32, 20);
    draw(g, 32, 20);
  }, rescale() {}};
  drawn.rebuild();
  samples.charts.add(drawn);
  return element('span', {}, canvas, text);
}

const samples = new Axis({label: '', print: number});

// The titles of all axes, for tests and for readers of the page who want them as words.
window.axisTitles = () => axes.flatMap(axis => [...axis.charts]).filter(chart => chart.plot).map(chart => ({
  title: chart.options.title,
  x: [chart.plot.axes[0].label].map(label => (typeof label === 'function' ? label(chart.plot, 0) : label))[0],
  y: chart.options.yLabel,
}));
