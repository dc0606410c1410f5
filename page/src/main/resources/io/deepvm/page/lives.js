// Nodes as lives on a timeline. Thickness, texture and signs say the state; colour only helps.
import {Chart, colour, sample} from './charts.js';
import {dollars, duration} from './figures.js';
import {ENDED} from './states.js';

const LOOKS = {
  REQUESTED: {label: 'ordered', colour: 'grey', part: 0.2},
  BOOTING: {label: 'booting', colour: 'orange', part: 0.4, stripes: true},
  READY: {label: 'waiting', colour: 'blue', part: 0.4},
  TRAINING: {label: 'training', colour: 'green', part: 0.8},
  NOTICED: {label: 'has notice', colour: 'purple', part: 0.8, stripes: true},
};
const MOST = 460;

// Packs lives into rows, pool by pool: a row is used again once its node has ended.
export function pack(nodes, endSeconds) {
  const pools = new Map();
  for (const node of nodes) {
    if (!pools.has(node.place)) pools.set(node.place, []);
    const rows = pools.get(node.place);
    const row = rows.find(r => r.free <= node.from + 1e-6);
    const free = node.to === null ? Infinity : node.to + endSeconds * 0.002;
    if (row) { row.lives.push(node); row.free = free; } else rows.push({lives: [node], free});
  }
  return pools;
}

/*
 * options: axis, looks (label, colour, part, stripes by state), describe (a node and its state, in words), legend
 * (of what else is drawn)
 */
export class LivesChart {
  constructor(host, key, readout, options) {
    this.readout = readout;
    this.looks = options.looks || LOOKS;
    this.describe = options.describe || describe;
    this.layout = [];
    this.rows = 0;
    this.perRow = 18;
    this.chart = new Chart(host, {
      title: 'Nodes over time', yLabel: 'Nodes (bars)', yBare: true, ySize: options.ySize || 4, legend: false, height: 120,
      axis: options.axis,
      series: [{label: 'nodes', colour: 'green', width: 0}],
      range: () => [0, 1],
      cursor: {points: {show: false}},
      keyStep: () => this.perRow,
      hooks: {draw: [u => this.draw(u)], setCursor: [u => this.hover(u)]},
    });
    key.replaceChildren(...Object.values(this.looks).map(look => sample(look.label, (g, w, h) => bar(g, look, 0, w, h / 2, h))),
      ...(options.marks || ['lost']).map(mark => sample(mark, MARKS[mark])));
  }

  // Shows nodes: place, from, to (null while it lives), spans ([state, from]), lost, onDemand, notices.
  show(nodes, endSeconds) {
    this.end = endSeconds;
    this.layout = [];
    let row = 0;
    for (const [place, rows] of pack(nodes, endSeconds)) {
      this.layout.push({heading: place, row});
      row += 1.2;
      for (const {lives} of rows) {
        this.layout.push({lives, row});
        row += 1;
      }
    }
    this.rows = Math.max(1, row);
    this.perRow = Math.max(2, Math.min(18, MOST / this.rows));
    this.chart.setHeight(Math.max(130, Math.round(this.rows * this.perRow + 60)));
    this.chart.show([[0, Math.max(1e-9, this.end)], [null, null]]);
  }

  draw(u) {
    const g = u.ctx;
    const ratio = devicePixelRatio;
    const {left, top, width, height} = u.bbox;
    const per = height / this.rows;
    g.save();
    g.beginPath();
    g.rect(left, top, width, height);
    g.clip();
    for (const line of this.layout) {
      const y = top + (line.row + 0.5) * per;
      if (line.heading !== undefined) {
        g.fillStyle = colour('soft');
        g.font = Math.max(11, Math.min(12, per / ratio)) * ratio + 'px system-ui, sans-serif';
        g.textBaseline = 'middle';
        g.textAlign = 'left';
        g.fillText(line.heading, left, y + 0.1 * per);
        continue;
      }
      for (const node of line.lives) this.life(g, u, node, y, per);
    }
    g.restore();
  }

  life(g, u, node, y, per) {
    const x = at => u.valToPos(at, 'x', true);
    node.spans.forEach(([state, from], i) => {
      const look = this.looks[state];
      if (!look) return;
      const to = i + 1 < node.spans.length ? node.spans[i + 1][1] : node.to === null ? this.end : node.to;
      const a = x(from), b = x(to);
      if (b > u.bbox.left && a < u.bbox.left + u.bbox.width) bar(g, look, a, Math.max(b - a, 0.5), y, per);
    });
    if (node.onDemand) {
      g.strokeStyle = colour('ink');
      g.lineWidth = devicePixelRatio;
      const to = x(node.to === null ? this.end : node.to);
      g.strokeRect(x(node.from), y - per * 0.45, Math.max(1, to - x(node.from)), per * 0.9);
    }
    for (const at of node.notices || []) notice(g, x(at), y, per * 0.5);
    if (node.to !== null && (node.lost || node.state === 'LOST' || node.state === 'FAILED')) {
      cross(g, x(node.to), y, Math.max(3, Math.min(per * 0.35, 5 * devicePixelRatio)));
    }
  }

  at(u) {
    if (u.cursor.left < 0) return null;
    const seconds = u.posToVal(u.cursor.left, 'x');
    const row = u.cursor.top / (u.bbox.height / devicePixelRatio) * this.rows;
    const line = this.layout.find(l => l.lives && row >= l.row && row < l.row + 1);
    const node = line && line.lives.find(n => n.from <= seconds && seconds <= (n.to === null ? this.end : n.to));
    return node ? {node, seconds} : null;
  }

  hover(u) {
    const found = this.at(u);
    if (!found) {
      this.readout.replaceChildren();
      return;
    }
    const {node, seconds} = found;
    const span = [...node.spans].reverse().find(([, from]) => from <= seconds) || node.spans[0];
    const name = document.createElement('b');
    name.textContent = node.name;
    this.readout.replaceChildren(name, (node.name ? ' · ' : '') + this.describe(node, span[0]));
  }
}

// A node in a line.
export function describe(node, state) {
  const lived = (node.to === null ? '' : ', ended after ' + duration(node.to - node.from))
    + (ENDED.has(node.state) && node.reason ? ' (' + node.reason + ')' : '');
  return [word(state), node.place, node.market + ' at ' + dollars(node.perHour) + '/h',
    dollars(node.bill) + ' so far'].join(' · ') + lived;
}

export function word(state) {
  return (LOOKS[state] || {label: state.toLowerCase()}).label;
}

function bar(g, look, x, width, y, per) {
  const height = Math.max(1, per * look.part);
  g.fillStyle = colour(look.colour);
  if (!look.stripes || width < 4) {
    g.fillRect(x, y - height / 2, width, height);
    return;
  }
  // Stripes with gaps, so that the state shows without colour.
  const step = 4 * devicePixelRatio;
  for (let at = x; at < x + width; at += step) {
    g.fillRect(at, y - height / 2, Math.min(step * 0.6, x + width - at), height);
  }
}

function notice(g, x, y, size) {
  g.strokeStyle = colour('purple');
  g.lineWidth = 1.6 * devicePixelRatio;
  g.beginPath();
  g.moveTo(x, y - size); g.lineTo(x, y + size);
  g.stroke();
}

const MARKS = {
  lost: (g, w, h) => cross(g, w / 2, h / 2, 6),
  revoked: (g, w, h) => cross(g, w / 2, h / 2, 6),
  notice: (g, w, h) => notice(g, w / 2, h / 2, 9),
  'on demand': (g, w, h) => { g.strokeStyle = colour('ink'); g.lineWidth = 2; g.strokeRect(1, 2, w - 2, h - 4); },
};

function cross(g, x, y, size) {
  g.setLineDash([]);
  g.strokeStyle = colour('bad');
  g.lineWidth = 1.6 * devicePixelRatio;
  g.beginPath();
  g.moveTo(x - size, y - size); g.lineTo(x + size, y + size);
  g.moveTo(x + size, y - size); g.lineTo(x - size, y + size);
  g.stroke();
}
