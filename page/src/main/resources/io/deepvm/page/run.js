// The live page of one run: listens to the run's events and draws them.
import {byId, element, fill, say} from './elements.js';
import {Chart, showAll, timeAxis} from './charts.js';
import {clock, count, difference, dollars, duration, number} from './figures.js';
import {badge, RunModel} from './model.js';
import {LivesChart, word} from './lives.js';
import {showLogs} from './logs.js';
import {ENDED, OVER, STILL} from './states.js';
import {askBeforeStop} from './stop.js';

const ROWS = 300;
const model = new RunModel();
let facts = {};
let kind = 'all';
let broken = false;
let stamp = 0;

const axis = timeAxis();
const lives = new LivesChart(byId('lives'), byId('livesKey'), byId('livesReadout'), {axis});
const SPENT = {label: 'spent', colour: 'blue'};
const FORESEEN = [
  {label: 'one foreseen run in ten is below', colour: 'grey', dash: [2, 3], width: 1},
  {label: 'one in ten is above', colour: 'grey', dash: [2, 3], width: 1},
];
const CEILING = {label: 'ceiling', colour: 'bad', dash: [10, 4]};
let money = null;
const loss = new Chart(byId('loss'), {
  title: 'Loss', yLabel: 'Loss (no unit)', axis, series: [{label: 'loss', colour: 'blue'}],
  range: (u, min, max) => (max > min ? [Math.max(0, min - 0.06 * (max - min)), max + 0.06 * (max - min)] : [0, (max || 1) * 1.1]),
});
const speed = new Chart(byId('speed'), {
  title: 'Speed', yLabel: 'Samples per second', axis,
  series: [{label: 'samples/s', colour: 'green'}],
});
let prices = null;

const EVENTS = [['all', 'All'], ['generation', 'Generations'], ['notice', 'Notices'], ['loss', 'Losses'],
  ['refusal', 'Refusals'], ['checkpoint', 'Checkpoints']];

byId('filters').append(...EVENTS.map(([id, label]) => element('button', {
  'aria-pressed': String(id === kind), 'data-kind': id,
  onclick: () => {
    kind = id;
    for (const b of byId('filters').children) b.setAttribute('aria-pressed', String(b.dataset.kind === id));
    drawEvents();
  },
}, label)));

function since(at) {
  return duration(at);
}

// How long ago something was, or how long before the end of a run that is over.
function age(atMs) {
  return duration((model.status.atMs - atMs) / 1000) + (STILL.has(model.status.state) ? ' before the end' : ' ago');
}

function drawTiles() {
  const s = model.status;
  if (!s) return;
  if (byId('state').dataset.state !== s.state) {
    byId('state').dataset.state = s.state;
    byId('state').replaceChildren(badge(s.state));
  }
  say('reason', s.reason + (s.coordinated || STILL.has(s.state) ? '' : (s.reason ? '. ' : '') + 'No coordinator lives.'));
  const usd = s.cost / 1e6;
  const forecast = facts.forecast;
  say('spent', dollars(usd));
  const perHour = runningPrice();
  say('spentNote', [perHour > 0 && !STILL.has(s.state) ? dollars(perHour) + '/h now' : '',
    forecast && forecast.usd ? 'foreseen ' + dollars(forecast.usd.low) + '–' + dollars(forecast.usd.high) : '',
    facts.ceilingUsd ? 'at most ' + dollars(facts.ceilingUsd) : ''].filter(Boolean).join(', '));
  say('time', duration(s.marketMs / 1000));
  const real = duration((s.atMs - s.startedMs) / 1000);
  say('timeNote', (model.speed !== 1 ? real + ' here' : 'began ' + clock(s.startedMs))
    + (forecast && forecast.seconds ? ', foreseen ' + duration(forecast.seconds.middle) : ''));
  say('step', s.step ? s.step.toLocaleString('en-US') : '–');
  say('stepNote', s.loss === null ? (s.step ? '' : 'this command reports no steps') : 'loss ' + number(s.loss)
    + (s.lostSteps ? ', ' + count(s.lostSteps, 'step') + ' made again' : ''));
  const alive = [...model.nodes.values()].filter(n => n.to === null);
  const training = alive.filter(n => n.state === 'TRAINING').length;
  const over = STILL.has(s.state);
  say('nodes', over ? String(model.nodes.size) : training + ' of ' + alive.length);
  say('nodesNote', (over ? 'in ' + count(s.generation, 'generation') : 'train in generation ' + s.generation)
    + (s.lostNodes ? ', ' + s.lostNodes + ' lost' : ''));
  const durable = model.durable();
  say('safe', s.safeStep ? 'step ' + s.safeStep.toLocaleString('en-US') : '–');
  say('safeNote', durable ? durable.level.toLowerCase() + ' ' + age(durable.atMs) : 'no durable checkpoint yet');
  drawWorst(s, usd);
}

function runningPrice() {
  let sum = model.anchorPerHour;
  for (const node of model.nodes.values()) {
    if (node.to !== null) continue;
    const list = model.pool(node.pool).prices;
    sum += node.market === 'spot' && list.length ? list[list.length - 1][1] : node.perHour;
  }
  return sum;
}

// All nodes die: the work since the last durable checkpoint is made again and was paid for nothing.
function drawWorst(s, usd) {
  const steps = Math.max(0, s.step - s.safeStep);
  if (OVER.has(s.state)) {
    say('worst', '–');
    say('worstNote', 'the run is over');
  } else if (!s.step) {
    say('worst', dollars(usd));
    say('worstNote', 'all that was paid: no step is known');
  } else {
    const safeAt = s.safeStep ? model.timeOfStep(s.safeStep) : 0;
    say('worst', dollars(Math.max(0, usd - model.costAt(safeAt))));
    say('worstNote', count(steps, 'step') + ' and ' + duration(s.marketMs / 1000 - safeAt) + ' lost');
  }
}

// The money chart has the lines that are known of this run.
function moneyChart(band, ceiling) {
  const lines = [SPENT, ...(band ? FORESEEN : []), ...(ceiling ? [CEILING] : [])];
  if (!money || money.lines !== lines.map(line => line.label).join()) {
    if (money) money.remove();
    money = new Chart(byId('money'), {title: 'Money spent', yLabel: 'Spent (US$)', yValue: dollars, series: lines, axis,
      bands: band ? [[3, 2]] : []});
    money.lines = lines.map(line => line.label).join();
  }
  return money;
}

function drawMoney() {
  const band = facts.forecast && facts.forecast.band.length ? facts.forecast.band : null;
  const ceiling = facts.ceilingUsd;
  const [x, y] = model.cost;
  const rows = new Map();
  const row = at => { if (!rows.has(at)) rows.set(at, [null, null, null, null]); return rows.get(at); };
  x.forEach((at, i) => { row(at)[0] = y[i]; });
  say('moneyNote', band ? 'the band has eight of ten foreseen runs' : '');
  if (model.status) row(Math.max(model.status.marketMs / 1000, x.length ? x[x.length - 1] : 0))[0] = model.status.cost / 1e6;
  for (const moment of band || []) {
    row(moment.atSeconds)[1] = moment.usd.low;
    row(moment.atSeconds)[2] = moment.usd.high;
  }
  const last = band ? 3 : 1;
  if (ceiling) {
    row(0)[last] = ceiling;
    row(model.endSeconds)[last] = ceiling;
  }
  const times = [...rows.keys()].sort((a, b) => a - b);
  const chart = moneyChart(band, ceiling);
  chart.show([times, ...chart.options.series.map((_, i) => between(times, times.map(at => rows.get(at)[i])))]);
}

// Fills the gaps of a column by straight lines; nothing is drawn before its start and after its end.
function between(times, values) {
  let last = -1;
  for (let i = 0; i < values.length; i++) {
    if (values[i] === null) continue;
    for (let j = last + 1; last >= 0 && j < i; j++) {
      values[j] = values[last] + (values[i] - values[last]) * (times[j] - times[last]) / (times[i] - times[last]);
    }
    last = i;
  }
  return values;
}

function drawSteps() {
  const s = model.steps;
  byId('lossCard').hidden = !s.at.length;
  byId('speedCard').hidden = !s.at.length;
  if (!s.at.length) return;
  loss.show([s.at, s.loss]);
  say('lossNote', model.status && model.status.loss !== null ? 'now ' + number(model.status.loss) : '');
  const windows = Math.min(240, Math.max(8, Math.floor(s.at.length / 4)));
  speed.show(model.speedColumns(0, model.endSeconds, windows));
  say('speedNote', model.speed !== 1 ? 'of this machine’s time' : '');
}

const COLOURS = ['blue', 'orange', 'green', 'purple'];

// One stepped line a pool, of at most four pools that had nodes.
function drawPrices() {
  const pools = [...model.pools.values()].filter(pool => pool.prices.length && !pool.name.startsWith('pool '));
  byId('pricesCard').hidden = !pools.length;
  if (!pools.length) return;
  const shown = pools.slice(0, 4);
  const names = shown.map(pool => pool.name).join('\n');
  if (!prices || prices.names !== names) {
    if (prices) prices.remove();
    prices = new Chart(byId('prices'), {
      title: 'Price of a spot node', yLabel: 'Price (US$ per hour)', yValue: dollars, axis,
      series: shown.map((pool, i) => ({label: pool.name, colour: COLOURS[i], stepped: true, spanGaps: true})),
    });
    prices.names = names;
  }
  const times = [...new Set(shown.flatMap(pool => pool.prices.map(p => p[0])).concat([model.endSeconds]))].sort((a, b) => a - b);
  prices.show([times, ...shown.map(pool => {
    let i = 0, price = null;
    return times.map(at => {
      while (i < pool.prices.length && pool.prices[i][0] <= at) price = pool.prices[i++][1];
      return price;
    });
  })]);
}

function drawForeseen() {
  const f = facts.forecast, s = model.status;
  byId('foreseenCard').hidden = !f;
  if (!f || !s) return;
  const over = s.state === 'FINISHED';
  const row = (name, spread, print, now) => ({name, range: spread ? print(spread.low) + ' – ' + print(spread.high) : '–',
    middle: spread ? print(spread.middle) : '–', now: print(now), by: over && spread ? difference(spread.middle, now) : ''});
  fill(byId('foreseen'), [
    {title: '', cell: r => r.name},
    {title: 'Foreseen', number: true, cell: r => r.middle},
    {title: 'Eight of ten', number: true, cell: r => r.range},
    {title: over ? 'Measured' : 'So far', number: true, cell: r => r.now},
    {title: '', number: true, cell: r => r.by},
  ], [
    row('Cost', f.usd, dollars, s.cost / 1e6),
    row('Time', f.seconds, duration, s.marketMs / 1000),
    row('Nodes lost', f.lostNodes, number, s.lostNodes),
  ], r => r.name);
  say('basis', f.basis);
}

const LEVELS = {STAGED: 'in memory of a node', REPLICATED: 'in memory of another machine', DURABLE: 'on a disk that outlives the nodes',
  ARCHIVED: 'in an object store', SKIPPED: 'left out', FAILED: 'failed'};

function drawSaves() {
  const order = Object.keys(LEVELS);
  const rows = [...model.saves.values()].sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level));
  fill(byId('saves'), [
    {title: 'Level', name: true, cell: r => r.level.toLowerCase()},
    {title: 'Where', cell: r => LEVELS[r.level] || ''},
    {title: 'Step', number: true, cell: r => r.step.toLocaleString('en-US')},
    {title: 'Age', number: true, cell: r => (model.status ? age(r.atMs) : '')},
    {title: 'How many', number: true, extra: true, cell: r => r.count.toLocaleString('en-US')},
  ], rows, r => r.level, 'No checkpoint was reported.');
}

function drawEvents() {
  const chosen = kind === 'all' ? model.news : model.news.filter(item => item.kind === kind);
  const rows = chosen.slice(-ROWS).reverse();
  say('eventsNote', chosen.length > ROWS ? 'the last ' + ROWS + ' of ' + count(chosen.length, 'entry', 'entries') : '');
  fill(byId('events'), [
    {title: 'Time', name: true, cell: r => since(r.at)},
    {title: 'Clock', name: true, extra: true, cell: r => clock(r.atMs)},
    {title: 'What', cell: r => r.text},
  ], rows, r => String(r.number), 'Nothing of this kind has happened.');
}

function drawGenerations() {
  fill(byId('generations'), [
    {title: 'No.', number: true, cell: g => String(g.number)},
    {title: 'Time', name: true, cell: g => since(g.at)},
    {title: 'Members', number: true, cell: g => String(g.members.length)},
    {title: 'Change', name: true, extra: true, cell: g => (g.joined.length ? '+' + g.joined.length : '') + (g.left.length ? ' −' + g.left.length : '')},
    {title: 'Why', cell: g => g.why},
    {title: 'From step', number: true, cell: g => (g.step === undefined ? '–' : g.step.toLocaleString('en-US'))},
    {title: 'Trained after', number: true, extra: true, cell: g => (g.formedMs === undefined ? '–' : duration(g.formedMs / 1000))},
  ], model.generations.slice(-ROWS).reverse(), g => String(g.number), 'No generation has begun.');
}

function drawNodes() {
  const nodes = [...model.nodes.values()];
  const owed = model.owedEnds(facts.place === 'aws');
  say('owed', owed.length ? count(owed.length, 'end is', 'ends are') + ' not confirmed yet: ' + owed.slice(0, 5).map(n => n.name).join(', ')
    + (owed.length > 5 ? ' …' : '') : '');
  const living = nodes.filter(n => n.to === null), ended = nodes.filter(n => n.to !== null).reverse();
  say('tableNote', nodes.length > ROWS ? 'the first ' + ROWS + ' of ' + count(nodes.length, 'node') : 'a name opens the node’s log');
  fill(byId('nodeTable'), [
    {title: 'Node', name: true, cell: n => n.name,
      element: n => element('button', {class: 'plain', onclick: () => showLogs(n.name, () => model.status && STILL.has(model.status.state))})},
    {title: 'State', name: true, cell: n => word(n.state) + (ENDED.has(n.state) ? (n.gone ? ', gone' : n.state === 'REFUSED' ? '' : ', end not confirmed') : '')},
    {title: 'Place and type', cell: n => n.place},
    {title: 'Market', name: true, extra: true, cell: n => n.market},
    {title: 'Role', name: true, extra: true, cell: n => n.role},
    {title: 'Price', number: true, extra: true, cell: n => dollars(n.perHour) + '/h'},
    ...(STILL.has(model.status.state) ? []
      : [{title: 'Lease left', name: true, extra: true, cell: n => model.leaseLeft(n, facts.lease || {})}]),
    {title: 'Lived', number: true, extra: true, cell: n => duration((n.to === null ? model.endSeconds : n.to) - n.from)},
    {title: 'Cost', number: true, cell: n => dollars(n.bill)},
    {title: 'Why', cell: n => n.reason},
  ], [...living, ...ended].slice(0, ROWS), n => n.name, 'No node was rented.');
}

byId('all').addEventListener('click', showAll);

// Draws at most every quarter of a second, however quickly events come.
function soon() {
  if (stamp) return;
  stamp = setTimeout(() => {
    stamp = 0;
    if (!model.status) return;
    axis.reach(0, Math.max(1, model.endSeconds));
    drawTiles();
    lives.show(model.nodes.values(), model.endSeconds);
    drawMoney();
    drawSteps();
    drawPrices();
    drawForeseen();
    drawSaves();
    drawEvents();
    drawGenerations();
    drawNodes();
    document.documentElement.dataset.events = String(model.events);
    window.drawnAt = performance.now();
  }, document.documentElement.dataset.events ? 250 : 0);
}

async function readFacts() {
  const answer = await fetch('facts');
  if (!answer.ok) return;
  facts = await answer.json();
  say('name', facts.name);
  document.title = facts.name + ' – DeepVM';
  byId('facts').replaceChildren(element('p', {}, 'Folder ', element('code', {}, facts.folder)),
    element('details', {}, element('summary', {}, 'Command of each node'), element('code', {}, facts.command.join(' '))));
  soon();
}

// The browser connects again by itself, and names the last event that it has.
let asksForForecast = 0;

function listen() {
  const source = new EventSource('events');
  source.addEventListener('rows', message => {
    model.add(JSON.parse(message.data));
    // The status follows at once; without it nothing is complete.
  });
  source.addEventListener('status', message => {
    const status = JSON.parse(message.data);
    model.stand(status);
    byId('stop').hidden = OVER.has(status.state) || broken;
    // The forecast is made while the run begins.
    if (!facts.forecast && !STILL.has(status.state) && asksForForecast++ < 120) readFacts();
    soon();
  });
  source.addEventListener('anew', () => { model.forget(); asksForForecast = 0; readFacts(); });
  source.addEventListener('broken', message => {
    broken = true;
    byId('broken').hidden = false;
    say('broken', 'The log cannot be read any further. ' + JSON.parse(message.data).reason);
    source.close();
  });
  source.addEventListener('open', () => { byId('lost').hidden = true; });
  source.addEventListener('error', () => {
    byId('lost').hidden = broken;
    // A server that was away answers with an error at first; then the browser gives up, and the page does not.
    if (source.readyState === EventSource.CLOSED && !broken) {
      source.close();
      setTimeout(() => { model.forget(); listen(); }, 1000);
    }
  });
}

askBeforeStop(() => facts.name);
readFacts();
listen();
axis.reach(0, 1);
