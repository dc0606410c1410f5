// Price against speed: the clusters that no other beats in both, the plans, and the paper's policies.
import {Axis, Chart, colour} from './charts.js';
import {byId, element, getJson, say} from './elements.js';
import {dollars, number} from './figures.js';

const axis = new Axis({label: 'Price (US$ per hour)', print: dollars});
let front = null;
let points = [];
let picked = null;
let policies = [];
let shown = null;
let budget = 0;

// A cluster as a person names it.
export function cluster(plan) {
  const groups = new Map();
  for (const node of plan.nodes) {
    const name = node.instanceType + ' ' + node.market;
    groups.set(name, (groups.get(name) || 0) + node.count);
  }
  const places = [...new Set(plan.nodes.map(n => [n.cloud, n.region, n.zone].filter(Boolean).join('/')))];
  return [...groups].map(([name, n]) => n + ' × ' + name).join(' + ') + ' in ' + places.join(', ');
}

// Samples a second where the job says enough; the paper's policies know FLOPS only.
function inSamples(answer) {
  const all = answer && answer.answer ? answer.answer.plans : [];
  return !policies.length && all.length > 0 && typeof all[0].predicted.samplesPerSecond === 'number';
}

export function speed(plan, answer) {
  return inSamples(answer) ? plan.predicted.samplesPerSecond : (plan.predicted.flops || 0) / 1e12;
}

export function speedLabel(answer) {
  return inSamples(answer) ? 'Samples per second' : 'Effective TFLOPS';
}

// Asks what the paper's policies rent for some prices up to one, and lays it over the front; null takes it away.
export async function showPolicies(price, catalog) {
  if (price === null) {
    policies = [];
  } else {
    const query = new URLSearchParams({to: price || '10'});
    if (catalog) query.set('catalog', catalog);
    const got = await getJson('policies?' + query);
    policies = got && got.answer ? got.answer.rows.filter(row => row.cluster && row.usdPerHour > 0) : [];
  }
  document.documentElement.dataset.policies = String(policies.length);
  if (shown) drawFront(shown, budget);
}

// Columns: price, the line of the front, the plans, the paper's policies.
export function drawFront(answer, most) {
  shown = answer;
  budget = most;
  const result = answer.answer || {plans: [], paretoFront: []};
  const of = plan => speed(plan, answer);
  const line = (result.paretoFront || []).map((plan, i, all) => ({x: plan.usdPerHour, y: of(plan), column: 1, text: cluster(plan), why: why(all, i, of)}));
  const plans = result.plans.map(plan => ({x: plan.usdPerHour, y: of(plan), column: 2, mark: String(plan.rank), text: cluster(plan),
    why: 'plan ' + plan.rank + '; ' + (plan.why[0] || '')}));
  const names = [...new Set(policies.map(row => row.policy))];
  const rented = policies.map(row => ({x: row.usdPerHour, y: row.speedup / 1e12, column: 3, mark: letter(names, row.policy),
    text: row.policy + ': ' + row.cluster, why: 'for ' + dollars(row.budgetUsdPerHour) + '/h, ' + row.architecture}));
  points = [...line, ...plans, ...rented].sort((a, b) => a.x - b.x);
  picked = null;
  say('frontReadout', 'Point at the chart, or use its arrow keys, to read which cluster is where.');
  say('policyNames', names.length ? names.map(name => letter(names, name) + ' ' + name).join(' · ') + ' · speeds in FLOPS, which is all that the policies know' : '');
  const label = speedLabel(answer);
  if (!front || front.options.yLabel !== label) {
    if (front) front.remove();
    front = new Chart(byId('front'), {
      title: 'Price and speed', yLabel: label, height: 300, legend: false, ySize: 66, axis,
      series: [
        {label: 'front', colour: 'blue', spanGaps: true, points: true},
        {label: 'plans', colour: 'orange', width: 0},
        {label: 'policies', colour: 'purple', width: 0},
      ],
      cursor: {points: {show: false}},
      hooks: {draw: [marks], setCursor: [u => nearest(u)]},
    });
  }
  axis.reach(0, Math.max(budget, points.length ? points[points.length - 1].x : 1) * 1.05);
  const column = i => points.map(p => (p.column === i ? p.y : null));
  front.show([points.map(p => p.x), column(1), column(2), column(3)]);
}

function letter(names, name) {
  return String.fromCharCode(65 + names.indexOf(name) % 26);
}

// Why a point is on the front.
function why(all, i, of) {
  const next = all[i + 1];
  return 'the cheapest of this speed' + (next
    ? '; ' + dollars(next.usdPerHour - all[i].usdPerHour) + '/h more brings ' + number(100 * (of(next) / of(all[i]) - 1)) + ' %'
    : '; nothing within the limits is faster');
}

// Plans are rings with their number, policies are diamonds with a letter.
function marks(u) {
  const g = u.ctx, ratio = devicePixelRatio;
  const {left, top, width, height} = u.bbox;
  g.save();
  g.beginPath();
  g.rect(left, top, width, height);
  g.clip();
  g.setLineDash([]);
  g.font = 12 * ratio + 'px system-ui, sans-serif';
  g.textAlign = 'left';
  g.textBaseline = 'middle';
  const taken = [];
  for (const point of points) {
    if (point.column === 1) continue;
    const x = u.valToPos(point.x, 'x', true), y = u.valToPos(point.y, 'y', true), size = 6 * ratio;
    g.strokeStyle = colour(point.column === 2 ? 'orange' : 'purple');
    g.lineWidth = 2 * ratio;
    g.beginPath();
    if (point.column === 2) g.arc(x, y, size, 0, 7);
    else { g.moveTo(x, y - size); g.lineTo(x + size, y); g.lineTo(x, y + size); g.lineTo(x - size, y); g.closePath(); }
    g.stroke();
    // Marks that would cover each other move apart.
    let at = y;
    while (taken.some(([a, b]) => Math.abs(a - x) < 14 * ratio && Math.abs(b - at) < 12 * ratio)) at += 13 * ratio;
    taken.push([x, at]);
    g.fillStyle = colour('ink');
    g.fillText(point.mark, x + 9 * ratio, at);
  }
  if (picked) {
    g.fillStyle = colour('accent');
    g.beginPath();
    g.arc(u.valToPos(picked.x, 'x', true), u.valToPos(picked.y, 'y', true), 5 * ratio, 0, 7);
    g.fill();
  }
  g.restore();
}

// Says which cluster is nearest to the pointer.
function nearest(u) {
  if (u.cursor.left < 0 || !points.length) return;
  const far = p => Math.hypot(u.valToPos(p.x, 'x') - u.cursor.left, (u.valToPos(p.y, 'y') - u.cursor.top) * 0.6);
  const found = points.reduce((best, p) => (far(p) < far(best) ? p : best));
  if (found === picked) return;
  picked = found;
  const name = element('b', {}, found.text);
  byId('frontReadout').replaceChildren(name, ' · ' + dollars(found.x) + '/h, ' + number(found.y) + ' ' + front.options.yLabel.toLowerCase() + ' · ' + found.why);
  u.redraw(false);
}
