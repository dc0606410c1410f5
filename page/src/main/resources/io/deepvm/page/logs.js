// The end of a node's logs, which follows while they are written.
import {byId, element, say} from './elements.js';

// The node whose log is shown; its end follows while it is written.
let followed = null;
let following = 0;
let isStill = () => false;

// still: whether the run writes no more.
export async function showLogs(node, still) {
  followed = node;
  isStill = still;
  delete byId('logTexts').dataset.names;
  say('logTitle', 'The end of the log of ' + node);
  await readLogs();
  byId('logs').hidden = false;
  byId('logTexts').querySelectorAll('pre').forEach(pre => { pre.scrollTop = pre.scrollHeight; });
  byId('logTitle').focus();
}

async function readLogs() {
  clearTimeout(following);
  const node = followed;
  if (node === null) return;
  try {
    const answer = await fetch('logs/' + encodeURIComponent(node));
    const logs = answer.ok ? await answer.json() : [];
    if (node !== followed) return;
    showTexts(logs.length ? logs : [{name: '', bytes: 0, text: 'There is no log of this node here.'}]);
  } catch (e) {
    // The server is away; the page says so elsewhere.
  }
  following = setTimeout(readLogs, isStill() ? 5000 : 1000);
}

function showTexts(logs) {
  const host = byId('logTexts');
  if (host.dataset.names !== logs.map(log => log.name).join('/')) {
    host.dataset.names = logs.map(log => log.name).join('/');
    host.replaceChildren(...logs.map(() => element('div', {}, element('p', {class: 'soft small'}), element('pre', {class: 'log', tabindex: '0'}))));
  }
  logs.forEach((log, i) => {
    const [title, text] = host.children[i].children;
    const atEnd = text.scrollHeight - text.scrollTop - text.clientHeight < 30;
    say(title, log.name ? log.name + ', ' + log.bytes.toLocaleString('en-US') + ' bytes' : '');
    say(text, log.text || '(empty)');
    if (atEnd) text.scrollTop = text.scrollHeight;
  });
}

byId('closeLogs').addEventListener('click', () => { followed = null; byId('logs').hidden = true; });
