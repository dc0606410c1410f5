// The list of runs, asked for every two seconds.
import {byId, element, fill, say} from './elements.js';
import {clock, count, dollars, duration} from './figures.js';
import {badge} from './model.js';

const columns = [
  {title: 'Run', name: true, cell: run => run.id,
    element: run => element('a', {href: 'run/' + encodeURIComponent(run.id) + '/'})},
  {title: 'State', name: true, cell: run => run.state, element: run => badge(run.state), remake: true},
  {title: 'Nodes', number: true, cell: run => String(run.nodes)},
  {title: 'Step', number: true, cell: run => run.step.toLocaleString('en-US')},
  {title: 'Spent', number: true, cell: run => dollars(run.microDollars / 1e6)},
  {title: 'Began', name: true, cell: run => (run.startedMs ? clock(run.startedMs) : '–')},
  {title: 'Lasted', number: true, cell: run => (run.startedMs ? duration((run.atMs - run.startedMs) / 1000) : '–')},
  {title: '', cell: run => run.problem || ''},
];

let shown = '';

async function refresh() {
  try {
    const answer = await (await fetch('runs')).json();
    byId('lost').hidden = true;
    if (answer.one) {
      location.replace('run/' + encodeURIComponent(answer.runs[0].id) + '/');
      return;
    }
    const text = JSON.stringify(answer);
    if (text !== shown) {
      shown = text;
      fill(byId('runs'), columns, answer.runs, run => run.id, 'No folder in here has a run yet.');
      say('summary', count(answer.runs.length, 'run'));
    }
  } catch (e) {
    byId('lost').hidden = false;
  }
  setTimeout(refresh, 2000);
}

refresh();
