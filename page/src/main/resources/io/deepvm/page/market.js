// Where GPUs can be had and for how much, and what is known of a pool over time.
import {Chart, timeAxis} from './charts.js';
import {byId, element, fill, getJson, say} from './elements.js';
import {count, dollars, duration, number, percent} from './figures.js';
import {LAND, position} from './places.js';

// Places: a dot a region, the larger the cheaper.
let regions = [];
let asked = null;
let choose = () => {};

// Shows the regions that offer a GPU; chosen gets the one that a person picks.
export async function askPlaces(typed, gpus, chosen) {
  choose = chosen;
  const gpu = typed.split(',')[0].trim();
  const known = gpus.includes(gpu) ? gpu : '';
  if (asked === known) return;
  asked = known;
  const got = await getJson('places?' + new URLSearchParams({gpu: known}));
  if (!got || asked !== known) return;
  regions = got.map(r => ({...r, at: position(r.region)}));
  const spot = regions.filter(r => r.spot !== undefined);
  say('mapNote', (known || 'any GPU') + ': the lowest price of a GPU for an hour on spot; ' + count(spot.length, 'region')
    + (regions.some(r => !r.at) ? ', of which ' + regions.filter(r => !r.at).length + ' are in the table only' : ''));
  fill(byId('placeTable'), [
    {title: 'Region', name: true, cell: name, element: r => element('button', {class: 'plain', onclick: () => choose(r)})},
    {title: 'Spot, US$/h', number: true, cell: r => dollars(r.spot)},
    {title: 'Type', cell: r => r.spotType || ''},
    {title: 'A node is lost about every', number: true, cell: r => risk(r)},
    {title: 'On demand, US$/h', number: true, cell: r => dollars(r.onDemand)},
    {title: 'Type', extra: true, cell: r => r.onDemandType || ''},
  ], [...regions].sort((a, b) => (a.spot || 1e9) - (b.spot || 1e9)), name, 'No region offers it.');
  drawMap();
}

function name(region) {
  return region.cloud + '/' + region.region;
}

const LOSSES = {POOL: 'recorded there', TYPE: 'recorded of the type elsewhere', BORROWED: 'borrowed'};

function risk(region) {
  return region.hoursPerLoss === undefined ? '–' : duration(3600 * region.hoursPerLoss) + ', ' + LOSSES[region.lossesOf];
}

const SVG = 'http://www.w3.org/2000/svg';

function svg(kind, attributes) {
  const made = document.createElementNS(SVG, kind);
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
      role: 'button', 'aria-label': name(region) + ', ' + dollars(region.spot) + ' per hour'});
    const describe = () => byId('mapReadout').replaceChildren(element('b', {}, name(region)),
      ' · spot from ' + dollars(region.spot) + '/h (' + region.spotType + ')'
      + (region.onDemand === undefined ? '' : ', on demand from ' + dollars(region.onDemand) + '/h')
      + ' · a spot node is lost about every ' + risk(region) + ' · press to plan there');
    dot.addEventListener('pointerenter', describe);
    dot.addEventListener('focus', describe);
    dot.addEventListener('click', () => choose(region));
    dot.addEventListener('keydown', event => {
      if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); choose(region); }
    });
    map.append(dot);
  }
  byId('map').replaceChildren(map);
}

// The recorded market of a pool.
const axis = timeAxis();
const records = new Map();
let wanted = '';
const available = new Chart(byId('available'), {title: 'Nodes to be had', yLabel: 'Nodes (number)', height: 160, axis,
  series: [{label: 'nodes to be had', colour: 'green', stepped: true}]});
const price = new Chart(byId('price'), {title: 'Spot price', yLabel: 'US$ per hour', yValue: dollars, height: 160, axis,
  series: [{label: 'spot price', colour: 'blue', stepped: true}]});

export function offerTraces(traces) {
  byId('trace').append(...traces.map(trace => element('option', {value: trace}, trace)));
}

// Shows what is known of the pool of a plan's node: the record that is nearest to it, the risk, how steady its price is.
export async function askPool(node) {
  if (!node) return;
  const place = [node.cloud, node.region, node.zone].filter(Boolean).join('/');
  if (wanted === place + ' ' + node.instanceType) return;
  wanted = place + ' ' + node.instanceType;
  const mine = wanted;
  const pool = await getJson('pool?' + new URLSearchParams({place, type: node.instanceType}));
  if (!pool || mine !== wanted) return;
  const from = {POOL: 'the record of this very pool', TYPE: 'a record of the same type in other places',
    BORROWED: 'no record has this type, so that of ' + pool.recordedType + ' stands in'}[pool.lossesOf];
  byId('poolNote').replaceChildren(element('b', {}, pool.pool), ' · a spot node is lost about every ' + duration(3600 * pool.hoursPerLoss)
    + ' (' + from + ')' + (pool.weeklyPriceChange === undefined ? '' : ' · its price changed by ' + percent(pool.weeklyPriceChange)
    + ' a week, and it was offered in ' + percent(pool.offeredShare) + ' of the weeks to January 2026'));
  byId('trace').value = pool.trace;
  await askHistory(pool.recorded);
  document.documentElement.dataset.pool = pool.pool;
}

async function askHistory(pool) {
  const trace = byId('trace').value;
  if (!records.has(trace)) {
    const got = await getJson('history?' + new URLSearchParams({trace}));
    if (!got) return;
    records.set(trace, got);
  }
  if (byId('trace').value !== trace) return;
  const pools = records.get(trace).pools;
  byId('pool').replaceChildren(...pools.map((p, i) => element('option', {value: String(i)}, p.pool)));
  byId('pool').value = String(Math.max(0, pools.findIndex(p => p.pool === pool)));
  drawHistory();
}

function drawHistory() {
  const history = records.get(byId('trace').value);
  const pool = history.pools[Number(byId('pool').value) || 0];
  const times = pool.available.map((_, i) => i * pool.tickSeconds);
  axis.zoom(null);
  axis.reach(0, times.length * pool.tickSeconds);
  available.show([times, pool.available.map(n => (n < 0 ? null : n))]);
  price.show([times, pool.price.length ? pool.price : times.map(() => null)]);
  const seen = pool.available.filter(n => n >= 0);
  const losses = pool.available.reduce((sum, n, i, all) => (i && n >= 0 && all[i - 1] > n ? sum + all[i - 1] - n : sum), 0);
  const had = seen.reduce((sum, n) => sum + n, 0) * pool.tickSeconds / 3600;
  say('historyNote', 'Of ' + count(pool.asked, 'node') + ' asked for, ' + number(seen.reduce((s, n) => s + n, 0) / seen.length) + ' could be had on average; '
    + (losses ? 'a node was lost about every ' + duration(3600 * had / losses) : 'no node was lost') + '. ' + history.source);
}

byId('trace').addEventListener('change', () => askHistory(''));
byId('pool').addEventListener('change', drawHistory);
