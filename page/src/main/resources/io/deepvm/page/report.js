// Draws the charts of a report from the data beside them; without scripts, pictures are shown in their place.
import {Axis, Chart, colour, showAll, timeAxis} from './charts.js';
import {element} from './elements.js';
import {dollars, duration, number} from './figures.js';
import {LivesChart} from './lives.js';

const PRINTS = {dollars, number, percent: value => number(value) + ' %', duration};

const ACTIVITIES = {
  BOOTING: {label: 'booting', colour: 'orange', part: 0.4, stripes: true},
  WAITING: {label: 'waiting', colour: 'grey', part: 0.3},
  USEFUL: {label: 'useful', colour: 'green', part: 0.85},
  REDONE: {label: 'lost, redone', colour: 'vermillion', part: 0.85, stripes: true},
  STALLED: {label: 'stalled', colour: 'blue', part: 0.6},
};

// The axis that the panels of a chart share.
function axisOf(x) {
  const axis = x.kind === 'time' ? timeAxis() : new Axis({label: x.label, print: PRINTS[x.print], log: x.kind === 'log'});
  axis.reach(x.from * x.unit, x.to * x.unit);
  return axis;
}

// Brings the points of several lines to common places; between its points a line is straight.
function joined(lines) {
  const all = [...new Set(lines.flatMap(line => line.at))].sort((a, b) => a - b);
  return [all, ...lines.flatMap(line => [line.values, ...(line.low ? [line.low, line.high] : [])].map(values => {
    let k = 0;
    return all.map(at => {
      while (k + 1 < line.at.length && line.at[k + 1] <= at) k++;
      if (!line.at.length || at < line.at[0] || at > line.at[line.at.length - 1]) return null;
      const from = values[k], to = values[k + 1];
      if (line.at[k] === at || from === null) return from;
      return to === null || to === undefined ? null : from + (to - from) * (at - line.at[k]) / (line.at[k + 1] - line.at[k]);
    });
  }))];
}

// A step has two values at one place; the first moves by a hair.
function apart(places, unit) {
  const at = places.map(place => place * unit);
  for (let i = 1; i < at.length; i++) if (at[i] <= at[i - 1]) at[i] = at[i - 1] + Math.max(1e-9, Math.abs(at[i - 1]) * 1e-9);
  return at;
}

function linesPanel(host, panel, axis, unit, title) {
  const lines = panel.series.map(s => ({...s, at: apart(s.at, unit)}));
  const print = PRINTS[panel.print];
  let data = joined(lines);
  let shown;
  let bands = [];
  const series = [];
  lines.forEach(line => {
    series.push({label: line.label, colour: line.colour, width: line.width, dash: line.dash, points: line.points});
    if (line.low) {
      series.push({label: 'low', hide: true, width: 0}, {label: 'high', hide: true, width: 0});
      bands.push({series: [series.length, series.length - 1], fill: 'band'});
    }
  });
  if (panel.stacked) {
    // Each area lies on those before it; the legend says how high it is alone.
    shown = data.slice(1);
    const sums = data[0].map(() => 0);
    data = [data[0], ...shown.map(column => column.map((v, i) => (sums[i] += v || 0)))];
    series.forEach((s, i) => { s.width = 1; s.dash = []; if (i === 0) s.fill = s.colour; });
    bands = series.slice(1).map((s, i) => ({series: [i + 2, i + 1], fill: s.colour}));
  }
  const range = panel.to !== undefined ? () => [panel.from, panel.to] : undefined;
  // A long title would not fit along the axis; its unit does.
  const long = panel.label.length > 20;
  const place = element('div', {});
  host.append(...(long ? [element('p', {class: 'soft small'}, panel.label)] : []), place);
  const unitOf = (/\(([^)]*)\)$/.exec(panel.label) || [])[1];
  const chart = new Chart(place, {
    title: title + ': ' + panel.label, yLabel: long ? unitOf || 'value' : panel.label, yValue: print, height: panel.height, axis, series, bands, shown, range,
    hooks: {draw: [u => marks(u, panel.marks, unit)]},
  });
  chart.show(data);
}

// Upright lines, with their names beside them.
function marks(u, all, unit) {
  const g = u.ctx, ratio = devicePixelRatio;
  const {left, top, width, height} = u.bbox;
  g.save();
  g.beginPath();
  g.rect(left, top, width, height);
  g.clip();
  g.font = 12 * ratio + 'px system-ui, sans-serif';
  g.textBaseline = 'top';
  all.forEach((mark, i) => {
    const x = u.valToPos(mark.at * unit, 'x', true);
    g.strokeStyle = g.fillStyle = colour(mark.colour);
    g.lineWidth = 1.5 * ratio;
    g.setLineDash(mark.dash.map(length => length * ratio));
    g.beginPath();
    g.moveTo(x, top);
    g.lineTo(x, top + height);
    g.stroke();
    if (mark.label) {
      const after = x < left + width * 0.7;
      g.textAlign = after ? 'left' : 'right';
      g.fillText(mark.label, x + (after ? 5 : -5) * ratio, top + (3 + 15 * (i % 3)) * ratio);
    }
  });
  g.restore();
}

function livesPanel(host, panel, axis, unit) {
  if (!panel.nodes.length) {
    host.append(element('p', {class: 'empty'}, 'No node was rented.'));
    return;
  }
  const key = element('p', {class: 'key'}), readout = element('p', {class: 'readout', role: 'status'}), chart = element('div', {});
  host.append(key, chart, readout);
  const used = new Set(panel.nodes.flatMap(node => node.spans.map(([state]) => state)));
  const looks = Object.fromEntries(Object.entries(ACTIVITIES).filter(([state]) => used.has(state)));
  const nodes = panel.nodes.map(node => ({
    ...node, from: node.from * unit, to: node.to * unit, notices: node.notices.map(at => at * unit),
    spans: node.spans.map(([state, at]) => [state, at * unit]),
  }));
  const lives = new LivesChart(chart, key, readout, {
    axis, looks, ySize: 58,
    marks: [...(nodes.some(n => n.lost) ? ['revoked'] : []), ...(nodes.some(n => n.notices.length) ? ['notice'] : []),
      ...(nodes.some(n => n.onDemand) ? ['on demand'] : [])],
    describe: (node, state) => [looks[state].label, node.place, node.onDemand ? 'on demand' : 'spot',
      'lived ' + duration(node.to - node.from)].join(' · ') + (node.lost ? ', then revoked' : ''),
  });
  lives.show(nodes, axis.end);
}

for (const host of document.querySelectorAll('[data-chart]')) {
  const data = JSON.parse(document.getElementById(host.dataset.chart).textContent);
  const shown = host.querySelector('.panels');
  shown.classList.toggle('beside', data.beside);
  let axis = null;
  for (const panel of data.panels) {
    if (!axis || data.beside) axis = axisOf(panel.x);
    const place = element('div', {});
    shown.append(place);
    if (panel.nodes) livesPanel(place, panel, axis, panel.x.unit);
    else linesPanel(place, panel, axis, panel.x.unit, data.title);
  }
}

document.querySelectorAll('[data-zoom]').forEach(button => button.addEventListener('click', showAll));
document.documentElement.dataset.drawn = 'true';
