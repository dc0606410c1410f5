// The planner as a page: every control asks the planner again, by the words of the command below it.
import {byId, element, fill, say} from './elements.js';
import {count, dollars, duration, number, percent} from './figures.js';
import {showAll} from './charts.js';
import {drawFront, cluster, speed, speedLabel, showPolicies} from './front.js';
import {askPlaces, askPool, offerTraces} from './market.js';

const form = byId('controls');
// Names this page among those that ask; only its newest question is answered.
const page = Array.from(crypto.getRandomValues(new Uint8Array(8)), byte => byte.toString(16).padStart(2, '0')).join('');
let asking = 0;
let answer = null;
let choices = {};

const CONTROLS = ['price', 'cost', 'deadline', 'gpu', 'place', 'market', 'objective', 'architecture'];

// The question that the controls ask.
function question(withConfidence) {
  const query = new URLSearchParams();
  for (const name of withConfidence ? [...CONTROLS, 'confidence'] : CONTROLS) {
    const value = form.elements[name].value.trim();
    if (value) query.set(name, value);
  }
  const work = form.elements.work.value;
  if (work) query.set(work.startsWith('job:') ? 'job' : 'model', work.replace(/^job:/, ''));
  if (choices.catalog) query.set('catalog', choices.catalog);
  return query;
}

// A confidence is about a job that must be done by some time or for some money.
function offerConfidence() {
  const lacks = [form.elements.work.value ? '' : 'a model or job',
    form.elements.cost.value.trim() || form.elements.deadline.value.trim() ? '' : 'a cost or deadline'].filter(Boolean);
  form.elements.confidence.disabled = lacks.length > 0;
  say('confidenceNote', lacks.length ? 'needs ' + lacks.join(' and ') : 'tried on a market, takes seconds');
  return !lacks.length && form.elements.confidence.value !== '';
}

// Asks the planner; with a confidence it answers on paper first.
async function ask() {
  const confident = offerConfidence();
  const mine = ++asking;
  document.body.setAttribute('aria-busy', 'true');
  try {
    if (!confident || await put(question(false), mine, true)) await put(question(confident), mine, false);
  } catch (e) {
    if (mine === asking) byId('lost').hidden = false;
  } finally {
    if (mine === asking) {
      document.body.removeAttribute('aria-busy');
      document.documentElement.dataset.answer = String(mine);
    }
  }
}

// Puts a question and shows the answer; returns whether it is still wanted.
async function put(query, mine, first) {
  query.set('page', page);
  query.set('number', String(2 * mine + (first ? 0 : 1)));
  const got = await fetch('plan?' + query);
  const text = await got.text();
  if (mine !== asking) return false;
  byId('lost').hidden = true;
  if (!got.ok) {
    say('answer', text.trim());
    say('answerNote', '');
    return true;
  }
  const fresh = JSON.parse(text);
  if (fresh.replaced) return false;
  answer = fresh;
  show(first);
  return true;
}

function show(first) {
  const result = answer.answer;
  const plans = result ? result.plans : [];
  say('command', answer.command);
  say('took', first ? 'on paper; now tried on a market …' : 'answered in ' + duration(answer.milliseconds / 1000));
  const best = plans[0];
  if (best) {
    say('answer', cluster(best));
    say('answerNote', [dollars(best.usdPerHour) + ' an hour', number(speed(best, answer)) + ' ' + speedLabel(answer).toLowerCase(), promise(best)]
      .filter(Boolean).join(', '));
  } else {
    const lines = answer.messages.trim().split('\n').filter(Boolean);
    say('answer', lines[0] || 'Nothing fits.');
    say('answerNote', lines.slice(1).join(' '));
  }
  const notes = (result && result.notes) || [];
  const reasons = (best ? best.why : []).concat(notes, best && best.simulated ? answer.messages.trim().split('\n').filter(Boolean) : []);
  byId('why').replaceChildren(...reasons.map(reason => element('li', {}, reason)));
  fill(byId('plans'), columns(plans), plans, plan => String(plan.rank), 'No plan fits; the message above says what would.');
  drawFront(answer, Number(form.elements.price.value) || 0);
  if (byId('policies').checked) showPolicies(form.elements.price.value, choices.catalog);
  askPlaces(form.elements.gpu.value, choices.gpus, choosePlace);
  const spot = best && best.nodes.find(node => node.role === 'worker' && node.market === 'spot');
  askPool(spot || (best && best.nodes.find(node => node.role === 'worker')));
}

// What a plan comes to: on a market if it was tried there, else as it is expected.
function promise(plan) {
  const s = plan.simulated;
  if (s) {
    return [(s.holds ? '' : 'does not hold: ') + percent(Number(form.elements.confidence.value)) + ' of ' + count(s.runs, 'simulated run') + ' cost '
      + (s.quantileUsd === null ? 'more than is known' : 'at most ' + dollars(s.quantileUsd)),
    s.meanUsd === null ? '' : 'on average ' + dollars(s.meanUsd),
    s.medianSeconds === null ? '' : 'half are done after ' + duration(s.medianSeconds),
    form.elements.deadline.value.trim() ? percent(s.missed) + ' are late' : ''].filter(Boolean).join(', ');
  }
  if (plan.expected && plan.expected.seconds) return 'expected ' + duration(plan.expected.seconds) + ' and ' + dollars(plan.expected.usd);
  return plan.predicted.seconds ? 'done in ' + duration(plan.predicted.seconds) + ' for ' + dollars(plan.predicted.usd) : '';
}

function columns(plans) {
  const tried = plans.some(plan => plan.simulated);
  return [
    {title: 'No.', number: true, cell: p => String(p.rank)},
    {title: 'Cluster', cell: p => cluster(p)},
    {title: 'Architecture', name: true, extra: true, cell: p => p.architecture},
    {title: 'US$ per hour', number: true, cell: p => dollars(p.usdPerHour)},
    {title: speedLabel(answer), number: true, cell: p => number(speed(p, answer))},
    {title: 'On paper', number: true, extra: true, cell: p => (p.predicted.seconds ? duration(p.predicted.seconds) + ', ' + dollars(p.predicted.usd) : '–')},
    ...(tried ? [
      {title: 'Cost, mean', number: true, extra: true, cell: p => (p.simulated && p.simulated.meanUsd !== null ? dollars(p.simulated.meanUsd) : '–')},
      {title: 'Cost, ' + percent(Number(form.elements.confidence.value)) + ' below', number: true,
        cell: p => (p.simulated && p.simulated.quantileUsd !== null ? dollars(p.simulated.quantileUsd) : 'not done')},
      {title: 'Late', number: true, cell: p => (p.simulated ? percent(p.simulated.missed) : '–')},
    ] : [
      {title: 'With interruptions', number: true, cell: p => (p.expected && p.expected.seconds
        ? duration(p.expected.seconds) + ' (' + duration(p.expected.secondsLow) + ' to ' + duration(p.expected.secondsHigh) + '), ' + dollars(p.expected.usd) : '–')},
    ]),
  ];
}

function choosePlace(region) {
  form.elements.place.value = region.cloud + '/' + region.region;
  ask();
}

byId('policies').addEventListener('change', () => {
  showPolicies(byId('policies').checked ? form.elements.price.value : null, choices.catalog).then(() => { if (answer) show(false); });
});

byId('copy').addEventListener('click', async () => {
  let copied = true;
  try {
    await navigator.clipboard.writeText(byId('command').textContent);
  } catch (e) {
    // A browser may refuse; then the line is chosen, and the usual keys copy it.
    copied = false;
    getSelection().selectAllChildren(byId('command'));
  }
  say('copy', copied ? 'Copied' : 'Chosen: press Ctrl+C');
  setTimeout(() => say('copy', 'Copy'), 2000);
});

byId('all').addEventListener('click', showAll);

let later = 0;
form.addEventListener('input', () => {
  clearTimeout(later);
  later = setTimeout(ask, 150);
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
  offerTraces(choices.traces);
  say('source', 'Prices: ' + choices.source);
  await ask();
}

start();
