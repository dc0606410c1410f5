// The planner as a page: every control asks the planner again, by the words of the command below it.
import {byId, element, fill, say} from './elements.js';
import {Chart, colour, setEnd} from './charts.js';
import {count, dollars, duration, number} from './figures.js';
import {LAND, position} from './places.js';

const form = byId('controls');
let asking = 0;
let answer = null;
let overlay = [];
let points = [];
let picked = null;

// The question that the controls ask.
function question() {
  const query = new URLSearchParams();
  for (const name of ['price', 'cost', 'deadline', 'gpu', 'place', 'market', 'objective', 'architecture', 'confidence']) {
    const value = form.elements[name].value.trim();
    if (value) query.set(name, value);
  }
  const work = form.elements.work.value;
  if (work) query.set(work.startsWith('job:') ? 'job' : 'model', work.replace(/^job:/, ''));
  if (choices.catalog) query.set('catalog', choices.catalog);
  return query;
}

let choices = {};

async function ask() {
  const number = ++asking;
  document.body.setAttribute('aria-busy', 'true');
  try {
    const got = await fetch('plan?' + question());
    const text = await got.text();
    if (number !== asking) return;
    byId('lost').hidden = true;
    if (!got.ok) {
      say('answer', text.trim());
      say('answerNote', '');
      return;
    }
    answer = JSON.parse(text);
    show();
    if (byId('policies').checked) askPolicies();
    askPlaces();
  } catch (e) {
    if (number === asking) byId('lost').hidden = false;
  } finally {
    document.body.removeAttribute('aria-busy');
    document.documentElement.dataset.answer = String(number);
  }
}

// A cluster as a person names it.
function cluster(plan) {
  const groups = new Map();
  for (const node of plan.nodes) {
    const name = node.instanceType + ' ' + node.market;
    groups.set(name, (groups.get(name) || 0) + node.count);
  }
  const places = [...new Set(plan.nodes.map(n => [n.cloud, n.region, n.zone].filter(Boolean).join('/')))];
  return [...groups].map(([name, n]) => n + ' × ' + name).join(' + ') + ' in ' + places.join(', ');
}

// The speed of a plan: samples a second where the job says enough, else FLOPS.
function speed(plan) {
  const p = plan.predicted;
  return p.samplesPerSecond !== null && p.samplesPerSecond !== undefined ? p.samplesPerSecond : (p.flops || 0) / 1e12;
}

function inSamples() {
  const all = answer && answer.answer ? answer.answer.plans : [];
  return all.length > 0 && all[0].predicted.samplesPerSecond !== null && all[0].predicted.samplesPerSecond !== undefined;
}

function speedLabel() {
  return inSamples() ? 'Samples per second' : 'Effective TFLOPS';
}

function show() {
  const result = answer.answer;
  const plans = result ? result.plans : [];
  say('command', answer.command);
  say('took', 'answered in ' + answer.milliseconds + ' ms');
  const best = plans[0];
  if (best) {
    say('answer', cluster(best));
    say('answerNote', [dollars(best.usdPerHour) + ' an hour', number(speed(best)) + ' ' + speedLabel().toLowerCase(),
      best.expected ? 'expected ' + duration(best.expected.seconds) + ' and ' + dollars(best.expected.usd)
        : best.predicted.seconds ? 'done in ' + duration(best.predicted.seconds) + ' for ' + dollars(best.predicted.usd) : '',
    ].filter(Boolean).join(', '));
  } else {
    const lines = answer.messages.trim().split('\n').filter(Boolean);
    say('answer', lines[0] || 'Nothing fits.');
    say('answerNote', lines.slice(1).join(' '));
  }
  const notes = (result && result.notes) || [];
  byId('why').replaceChildren(...(best ? best.why : []).concat(notes).map(line => element('li', {}, line)));
  fill(byId('plans'), [
    {title: 'No.', number: true, cell: p => String(p.rank)},
    {title: 'Cluster', cell: p => cluster(p)},
    {title: 'Architecture', name: true, extra: true, cell: p => p.architecture},
    {title: '$ per hour', number: true, cell: p => dollars(p.usdPerHour)},
    {title: speedLabel(), number: true, cell: p => number(speed(p))},
    {title: 'On paper', number: true, extra: true, cell: p => (p.predicted.seconds ? duration(p.predicted.seconds) + ', ' + dollars(p.predicted.usd) : '–')},
    {title: 'With interruptions', number: true, cell: p => (p.expected && p.expected.seconds
      ? duration(p.expected.seconds) + ' (' + duration(p.expected.secondsLow) + ' to ' + duration(p.expected.secondsHigh) + '), ' + dollars(p.expected.usd) : '–')},
  ], plans, 'No plan fits; the message above says what would.');
  drawFront();
}

let front = null;

// Columns: price, the line of the front, the plans, the paper's policies.
function drawFront() {
  const result = answer.answer || {plans: [], paretoFront: []};
  const line = (result.paretoFront || []).map((plan, i, all) => ({x: plan.usdPerHour, y: speed(plan), column: 1, text: cluster(plan), why: why(all, i)}));
  const plans = result.plans.map(plan => ({x: plan.usdPerHour, y: speed(plan), column: 2, text: cluster(plan), why: 'plan ' + plan.rank + '; ' + (plan.why[0] || '')}));
  const policies = overlay.map(row => ({x: row.usdPerHour, y: row.speedup / 1e12, column: 3, text: row.policy + ': ' + row.cluster, why: 'for ' + dollars(row.budgetUsdPerHour) + '/h, ' + row.architecture}));
  points = [...line, ...plans, ...(inSamples() ? [] : policies)].sort((a, b) => a.x - b.x);
  say('frontReadout', byId('policies').checked && inSamples() ? 'The paper’s policies know no samples; choose no model to lay them over.' : '');
  const label = speedLabel();
  if (!front || front.options.yLabel !== label) {
    byId('front').replaceChildren();
    front = new Chart(byId('front'), {
      title: 'Price and speed', xLabel: 'Dollars per hour', yLabel: label, xValue: dollars, height: 300, time: false,
      legend: false, ySize: 66, xRange: (min, max) => [0, Math.max(max || 1, Number(form.elements.price.value) || 0) * 1.05],
      series: [
        {label: 'front', colour: 'blue', spanGaps: true, points: true},
        {label: 'plans', colour: 'orange', width: 0, points: false},
        {label: 'policies', colour: 'purple', width: 0, points: false},
      ],
      cursor: {points: {show: false}},
      hooks: {draw: [marks], setCursor: [nearest]},
    });
  }
  const column = i => points.map(p => (p.column === i ? p.y : null));
  front.show([points.map(p => p.x), column(1), column(2), column(3)]);
}

// Why a point is on the front.
function why(all, i) {
  const next = all[i + 1];
  return 'the cheapest of this speed' + (next
    ? '; ' + dollars(next.usdPerHour - all[i].usdPerHour) + '/h more brings ' + number(100 * (speed(next) / speed(all[i]) - 1)) + ' %'
    : '; nothing within the limits is faster');
}

// Plans are rings with their number, policies are diamonds with a letter.
function marks(u) {
  const g = u.ctx, ratio = devicePixelRatio;
  g.save();
  g.setLineDash([]);
  g.font = 12 * ratio + 'px system-ui, sans-serif';
  g.textAlign = 'left';
  g.textBaseline = 'middle';
  let rank = 0;
  for (const point of points) {
    if (point.column === 1) continue;
    const x = u.valToPos(point.x, 'x', true), y = u.valToPos(point.y, 'y', true), size = 6 * ratio;
    g.strokeStyle = colour(point.column === 2 ? 'orange' : 'purple');
    g.lineWidth = 2 * ratio;
    g.beginPath();
    if (point.column === 2) g.arc(x, y, size, 0, 7);
    else { g.moveTo(x, y - size); g.lineTo(x + size, y); g.lineTo(x, y + size); g.lineTo(x - size, y); g.closePath(); }
    g.stroke();
    g.fillStyle = colour('soft');
    if (point.column === 2) g.fillText(point.why.split(';')[0], x + 10 * ratio, y + (rank++ - 1) * 14 * ratio);
  }
  if (picked) {
    g.fillStyle = colour('accent');
    g.beginPath();
    g.arc(u.valToPos(picked.x, 'x', true), u.valToPos(picked.y, 'y', true), 4 * ratio, 0, 7);
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
  byId('frontReadout').replaceChildren(name, ' · ' + dollars(found.x) + '/h, ' + number(found.y) + ' ' + speedLabel().toLowerCase() + ' · ' + found.why);
  u.redraw(false);
}

async function askPolicies() {
  const query = new URLSearchParams({to: form.elements.price.value || '10'});
  if (choices.catalog) query.set('catalog', choices.catalog);
  const got = await fetch('policies?' + query);
  overlay = got.ok ? ((await got.json()).answer || {rows: []}).rows.filter(row => row.cluster) : [];
  drawFront();
  document.documentElement.dataset.policies = String(overlay.length);
}

byId('policies').addEventListener('change', () => {
  if (byId('policies').checked) askPolicies();
  else { overlay = []; drawFront(); }
});

// Places: a dot a region, the larger the cheaper.
let regions = [];
let asked = null;

async function askPlaces() {
  const gpu = form.elements.gpu.value.split(',')[0].trim();
  const known = choices.gpus.includes(gpu) ? gpu : '';
  if (asked === known) return;
  asked = known;
  const got = await fetch('places?' + new URLSearchParams({gpu: known}));
  if (!got.ok) return;
  regions = (await got.json()).map(r => ({...r, at: position(r.region)}));
  const spot = regions.filter(r => r.spot !== undefined);
  say('mapNote', (known || 'any GPU') + ': the lowest price of a GPU for an hour on spot; ' + count(spot.length, 'region') + ', '
    + regions.filter(r => !r.at).length + ' without a position');
  fill(byId('placeTable'), [
    {title: 'Region', name: true, cell: r => element('button', {class: 'plain', onclick: () => choose(r)}, r.cloud + '/' + r.region)},
    {title: 'Spot', number: true, cell: r => dollars(r.spot)},
    {title: 'Type', cell: r => r.spotType || ''},
    {title: 'On demand', number: true, cell: r => dollars(r.onDemand)},
    {title: 'Type', extra: true, cell: r => r.onDemandType || ''},
  ], [...regions].sort((a, b) => (a.spot || 1e9) - (b.spot || 1e9)), 'No region offers it.');
  drawMap();
}

function choose(region) {
  form.elements.place.value = region.cloud + '/' + region.region;
  ask();
}

const SVG = 'http://www.w3.org/2000/svg';

function svg(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function drawMap() {
  const map = svg('svg', {viewBox: '-170 -78 350 136', role: 'group', 'aria-label': 'Map of the regions; the table below has the same', width: '100%'});
  for (const land of LAND) {
    const pairs = [];
    for (let i = 0; i < land.length; i += 2) pairs.push(land[i] + ',' + -land[i + 1]);
    map.append(svg('polygon', {points: pairs.join(' '), class: 'land'}));
  }
  const spot = regions.filter(r => r.at && r.spot !== undefined).sort((a, b) => b.spot - a.spot);
  const lowest = spot.length ? spot[spot.length - 1].spot : 1;
  for (const region of spot) {
    const size = 1.1 + 3 * Math.sqrt(lowest / region.spot);
    const dot = svg('circle', {cx: region.at[1], cy: -region.at[0], r: size.toFixed(2), class: 'region', tabindex: '0',
      role: 'button', 'aria-label': region.cloud + '/' + region.region + ', ' + dollars(region.spot) + ' per hour'});
    const name = () => byId('mapReadout').replaceChildren(element('b', {}, region.cloud + '/' + region.region),
      ' · spot from ' + dollars(region.spot) + ' (' + region.spotType + ')'
      + (region.onDemand === undefined ? '' : ', on demand from ' + dollars(region.onDemand)) + ' for a GPU’s hour · press to plan there');
    dot.addEventListener('pointerenter', name);
    dot.addEventListener('focus', name);
    dot.addEventListener('click', () => choose(region));
    dot.addEventListener('keydown', event => { if (event.key === 'Enter') choose(region); });
    map.append(dot);
  }
  byId('map').replaceChildren(map);
}

// The recorded market of a pool.
let history = null;
const available = new Chart(byId('available'), {title: 'Nodes to be had', yLabel: 'Nodes', height: 150, legend: true,
  series: [{label: 'nodes to be had', colour: 'green', stepped: true}]});
const price = new Chart(byId('price'), {title: 'Spot price', yLabel: 'Dollars per hour', yValue: dollars, height: 150, legend: true,
  series: [{label: 'spot price', colour: 'blue', stepped: true}]});

async function askHistory() {
  const got = await fetch('history?' + new URLSearchParams({trace: byId('trace').value}));
  if (!got.ok) return;
  history = await got.json();
  byId('pool').replaceChildren(...history.pools.map((p, i) => element('option', {value: String(i)}, p.pool)));
  drawHistory();
}

function drawHistory() {
  const pool = history.pools[Number(byId('pool').value) || 0];
  const times = pool.available.map((_, i) => i * pool.tickSeconds);
  setEnd(times.length * pool.tickSeconds);
  available.show([times, pool.available.map(n => (n < 0 ? null : n))]);
  price.show([times, pool.price.length ? pool.price : times.map(() => null)]);
  const seen = pool.available.filter(n => n >= 0);
  const losses = pool.available.reduce((sum, n, i, all) => (i && n >= 0 && all[i - 1] > n ? sum + all[i - 1] - n : sum), 0);
  const had = seen.reduce((sum, n) => sum + n, 0) * pool.tickSeconds / 3600;
  say('historyNote', 'Of ' + pool.asked + ' nodes asked for, ' + number(seen.reduce((s, n) => s + n, 0) / seen.length) + ' could be had on average; '
    + (losses ? 'a node was lost about every ' + duration(3600 * had / losses) : 'no node was lost') + '. ' + history.source);
}

byId('trace').addEventListener('change', askHistory);
byId('pool').addEventListener('change', drawHistory);

byId('copy').addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText(byId('command').textContent);
  } catch (e) {
    getSelection().selectAllChildren(byId('command'));
  }
  say('copy', 'Copied');
  setTimeout(() => say('copy', 'Copy'), 1500);
});

let later = 0;
form.addEventListener('input', () => {
  clearTimeout(later);
  later = setTimeout(ask, 250);
});
form.addEventListener('submit', event => { event.preventDefault(); ask(); });

async function start() {
  choices = await (await fetch('choices')).json();
  const options = (id, values) => byId(id).append(...values.map(v => element('option', {value: v})));
  options('gpus', choices.gpus);
  options('places', choices.places);
  const select = (name, values) => form.elements[name].append(...values.map(([v, label]) => element('option', {value: v}, label)));
  select('work', [['', 'not stated'], ...(choices.job ? [['job:' + choices.job, choices.job]] : []), ...choices.models.map(m => [m, m])]);
  select('objective', [['throughput', 'the fastest'], ['cost', 'the least cost'], ['time', 'the least time'], ['flopp', 'FLOPS by price']]);
  select('architecture', ['tiering', 'single-anchor', 'averaging', 'parameter-server'].map(a => [a, a]));
  if (choices.job) form.elements.work.value = 'job:' + choices.job;
  byId('trace').append(...choices.traces.map(t => element('option', {value: t}, t)));
  say('source', 'Prices: ' + choices.source);
  await ask();
  await askHistory();
}

start();
