// Charts over a shared time axis, by uPlot: values on hover, zoom by dragging, all of it by keys, too.
import {element} from './elements.js';
import {duration, number} from './figures.js';

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

const charts = new Set();

// The seconds that all charts of a time axis show; null for all there are.
let zoomed = null;

// Draws everything again in the colours of the day or of the night.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change',
  () => charts.forEach(chart => chart.rebuild()));

// Dashes tell lines apart for people who do not see the colours.
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

function axes(options) {
  const times = u => unit(u.scales.x.max - u.scales.x.min);
  const base = () => ({
    stroke: colour('soft'),
    grid: {stroke: colour('grid'), width: 1},
    ticks: {show: false},
    font: '12px system-ui, sans-serif',
    labelFont: '12px system-ui, sans-serif',
    labelSize: 18, labelGap: 0,
  });
  return [
    options.time
      ? {...base(), label: u => 'Time since the start (' + times(u).name + ')', size: 30, splits: timeSplits,
        values: (u, splits) => splits.map(times(u).print)}
      : {...base(), label: options.xLabel, size: 30, space: 70, values: (u, splits) => splits.map(options.xValue)},
    {...base(), label: options.yLabel, size: options.ySize || 58, show: options.yShow !== false,
      values: (u, splits) => splits.map(v => (v === null ? '' : options.yValue(v)))},
  ];
}

// Splits of seconds at figures that people use.
const STEPS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400,
  172800, 432800, 864000];

export function timeSplits(u, axis, min, max) {
  const wanted = Math.max(2, Math.floor(u.bbox.width / devicePixelRatio / 90));
  const step = STEPS.find(s => (max - min) / s <= wanted) || 864000;
  const splits = [];
  for (let at = Math.ceil(min / step) * step; at <= max; at += step) splits.push(at);
  return splits;
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

/*
 * A chart in an element.
 * options: title, xLabel, yLabel, xValue, yValue, series (label, colour, fill, value, points), height,
 *          bands, range (of y), hooks, time (whether x is the shared time, in seconds)
 */
export class Chart {
  constructor(host, options) {
    this.host = host;
    this.options = {xValue: duration, xLabel: 'time', yValue: number, height: 210, time: true, ...options};
    this.data = [[], ...this.options.series.map(() => [])];
    this.plot = null;
    host.classList.add('chart');
    host.tabIndex = 0;
    host.setAttribute('role', 'group');
    host.setAttribute('aria-label', this.options.title
      + '. Arrow keys move along it, plus and minus zoom, 0 shows all.');
    host.addEventListener('keydown', event => this.key(event));
    new ResizeObserver(() => this.resize()).observe(host);
    charts.add(this);
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
    } else {
      this.plot.setData(data, false);
    }
    this.rescale();
    if (!(this.plot.cursor.left >= 0)) this.plot.setLegend({idx: null}, false);
  }

  build() {
    const o = this.options;
    return {
      width: this.host.clientWidth,
      height: o.height,
      padding: [8, 16, 0, o.yShow === false ? 16 : 0],
      axes: axes(o),
      scales: {x: {time: false, range: (u, min, max) => this.xRange(min, max)}, y: {range: o.range || fromZero}},
      series: [
        {label: 'at', value: (u, v, i, index) => (index === null ? 'the end' : o.xValue(v))},
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
            const shown = at === null ? u.data[index].findLast(known => known !== null) : v;
            return shown === null || shown === undefined ? '–' : (s.value || o.yValue)(shown);
          },
        })),
      ],
      bands: (o.bands || []).map(band => ({series: band, fill: colour('band')})),
      legend: {show: o.legend !== false},
      cursor: {
        ...(o.time ? {sync: {key: 'time', setSeries: false, scales: ['x', null]}} : {}),
        drag: {x: o.time, y: false, setScale: false},
        points: {size: 7},
        y: Boolean(o.crosshair),
        bind: {dblclick: () => () => { zoom(null); return null; }},
        ...(o.cursor || {}),
      },
      hooks: {
        ...(o.hooks || {}),
        setSelect: [u => {
          if (u.select.width > 4) {
            zoom([u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x')]);
          }
          u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
        }],
      },
    };
  }

  xRange(min, max) {
    if (this.options.time && zoomed) return zoomed;
    if (this.options.xRange) return this.options.xRange(min, max);
    return [0, Math.max(end(), max || 0, 1e-9)];
  }

  rescale() {
    if (!this.plot) return;
    const [min, max] = this.xRange(...this.ends());
    this.plot.setScale('x', {min, max});
  }

  ends() {
    const x = this.data[0];
    return x.length ? [x[0], x[x.length - 1]] : [0, 1];
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
    const {min, max} = u.scales.x;
    const middle = u.cursor.left >= 0 ? u.posToVal(u.cursor.left, 'x') : (min + max) / 2;
    const span = max - min;
    if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      const width = u.bbox.width / devicePixelRatio;
      const left = u.cursor.left >= 0 ? u.cursor.left : width / 2;
      const step = (event.shiftKey ? 40 : 8) * (event.key === 'ArrowLeft' ? -1 : 1);
      u.setCursor({left: Math.max(0, Math.min(width, left + step)), top: u.bbox.height / devicePixelRatio / 2});
    } else if ((event.key === '+' || event.key === '=') && this.options.time) {
      zoom([middle - span / 4, middle + span / 4]);
    } else if (event.key === '-' && this.options.time) {
      zoom([middle - span, middle + span]);
    } else if (event.key === '0' || event.key === 'Escape') {
      zoom(null);
    } else {
      return;
    }
    event.preventDefault();
  }
}

function fromZero(u, min, max) {
  return [0, max > 0 ? max * 1.08 : 1];
}

// The end of the time that all charts show.
let lastSecond = 0;

function end() {
  return lastSecond;
}

export function setEnd(seconds) {
  lastSecond = seconds;
}

// Shows only these seconds in all charts of the time; null shows all.
export function zoom(range) {
  if (range) {
    const from = Math.max(0, range[0]);
    const to = Math.min(lastSecond, range[1]);
    zoomed = to - from >= lastSecond * 0.999 || to <= from ? null : [from, to];
  } else {
    zoomed = null;
  }
  charts.forEach(chart => { if (chart.options.time) chart.rescale(); });
  document.querySelectorAll('[data-zoom]').forEach(button => { button.hidden = !zoomed; });
}

// A sample of a colour or a pattern for a key, drawn by a function.
export function sample(text, draw) {
  const canvas = element('canvas', {width: 32, height: 20, 'aria-hidden': 'true'});
  canvas.style.width = '16px';
  canvas.style.height = '10px';
  draw(canvas.getContext('2d'), 32, 20);
  return element('span', {}, canvas, text);
}

// The titles of all axes, for tests and for readers of the page who want them as words.
window.axisTitles = () => [...charts].filter(chart => chart.plot).map(chart => ({
  title: chart.options.title,
  x: [chart.plot.axes[0].label].map(label => (typeof label === 'function' ? label(chart.plot, 0) : label))[0],
  y: chart.options.yLabel,
}));
