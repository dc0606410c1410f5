// What the page knows of a run: events in, lists and columns out. Rules about money stay with the server.
import {element} from './elements.js';
import {duration} from './figures.js';
import {ENDED, STILL} from './states.js';

const KINDS = {
  TRAINING: ['good', '▶'], FINISHED: ['good', '✓'], FORMING: ['warn', '…'], WAITING: ['warn', '…'],
  STOPPING: ['warn', '■'], STOPPED: ['warn', '■'], INTERRUPTED: ['warn', '‖'], FAILED: ['bad', '✕'],
  INFEASIBLE: ['bad', '✕'], UNREADABLE: ['bad', '?'],
};

// A state as a badge: a sign, a word and a colour.
export function badge(state) {
  const [kind, sign] = KINDS[state] || ['', '·'];
  return element('span', {class: 'badge ' + kind}, element('span', {'aria-hidden': 'true'}, sign), state.toLowerCase());
}

// Why a generation began: the last thing before it that takes or brings a member.
const CAUSES = {lost: 'was lost', failed: 'failed', noticed: 'will be taken', ready: 'is ready', exited: 'ended its process'};

export class RunModel {
  constructor() {
    this.forget();
  }

  forget() {
    this.startedMs = 0;
    this.startedMarketMs = 0;
    this.speed = 1;
    this.anchorPerHour = 0;
    this.nodes = new Map();
    this.pools = new Map();
    this.generations = [];
    this.news = [];
    this.saves = new Map();
    this.cost = [[], []];
    this.steps = {at: [], realMs: [], step: [], samples: [], loss: []};
    this.rate = [[], []];
    this.causes = [];
    this.confirms = false;
    this.status = null;
    this.endSeconds = 0;
    this.events = 0;
  }

  // Takes a message of lines of the log in.
  add(message) {
    for (const row of message.rows) this.event(row);
    for (const [marketMs, micros] of message.costs) this.spent(marketMs / 1000, micros / 1e6);
  }

  spent(at, usd) {
    const [x, y] = this.cost;
    const last = x.length - 1;
    // Many nodes change at one moment; the last figure is that moment's.
    if (last >= 0 && x[last] >= at) y[last] = usd;
    else { x.push(at); y.push(usd); }
    this.endSeconds = Math.max(this.endSeconds, at);
  }

  event(e) {
    this.events++;
    const at = e.marketMs / 1000;
    this.endSeconds = Math.max(this.endSeconds, at);
    const handler = this['on_' + e.event];
    if (handler) handler.call(this, e, at);
  }

  on_started(e, at) {
    this.startedMs = e.atMs;
    this.speed = e.speed;
    this.anchorPerHour = e.anchorMicrosPerHour / 1e6;
    this.tell(e, at, 'run', 'the run began');
  }

  on_resumed(e, at) { this.tell(e, at, 'run', 'a new coordinator took over: ' + e.reason); }
  on_broken(e, at) { this.tell(e, at, 'loss', 'the coordinator could not go on: ' + e.reason); }
  on_waits(e, at) { this.tell(e, at, 'run', 'waits for ' + e.what + '; ' + e.next); }

  on_run(e, at) {
    if (e.to !== 'FORMING' && e.to !== 'TRAINING') {
      this.tell(e, at, e.to === 'FAILED' || e.to === 'INFEASIBLE' ? 'loss' : 'run', 'the run: ' + e.to.toLowerCase() + (e.reason ? ', ' + e.reason : ''));
    }
    if (e.to === 'TRAINING') {
      const generation = this.generations[this.generations.length - 1];
      if (generation && generation.formedMs === undefined) generation.formedMs = e.atMs - generation.atMs;
    }
  }

  on_priced(e, at) {
    const pool = this.pool(e.pool);
    pool.prices.push([at, e.microsPerHour / 1e6]);
  }

  pool(number) {
    if (!this.pools.has(number)) this.pools.set(number, {name: 'pool ' + number, prices: []});
    return this.pools.get(number);
  }

  on_rented(e, at) {
    this.pool(e.pool).name = e.poolName;
    this.nodes.set(e.node, {
      name: e.node, role: e.role.toLowerCase(), pool: e.pool, place: e.poolName, market: e.market.toLowerCase().replace('_', ' '),
      perHour: e.microsPerHour / 1e6, state: 'REQUESTED', reason: '', from: at, to: null, spans: [['REQUESTED', at]],
      notices: [], gone: false, bill: 0, handle: '', startedMs: null, takenMs: null,
    });
    this.tell(e, at, 'node', e.node + ' ordered: ' + e.poolName + ', ' + e.market.toLowerCase().replace('_', ' '));
  }

  node(name) {
    return this.nodes.get(name);
  }

  on_granted(e) { const node = this.node(e.node); if (node) node.handle = e.handle; }

  on_node(e, at) {
    const node = this.node(e.node);
    if (!node) return;
    node.state = e.to;
    node.reason = e.reason;
    node.spans.push([e.to, at]);
    if (e.to === 'BOOTING') node.startedMs = e.atMs;
    if (e.to === 'NOTICED') {
      node.notices.push(at);
      this.tell(e, at, 'notice', e.node + ' has notice' + why(e.reason));
      this.causes.push(e.node + ' ' + CAUSES.noticed);
    } else if (ENDED.has(e.to)) {
      node.to = at;
      const bad = e.to === 'LOST' || e.to === 'FAILED';
      this.tell(e, at, e.to === 'REFUSED' ? 'refusal' : bad ? 'loss' : 'node', e.node + ' ' + e.to.toLowerCase() + why(e.reason));
      if (bad) this.causes.push(e.node + ' ' + CAUSES[e.to.toLowerCase()] + why(e.reason));
    } else if (e.to === 'READY') {
      this.causes.push(e.node + ' ' + CAUSES.ready);
    }
  }

  on_taken(e, at) { this.tell(e, at, 'loss', e.node + ' was taken away' + why(e.reason)); }
  on_gone(e, at) { const node = this.node(e.node); if (node) node.gone = true; this.confirms = true; this.tell(e, at, 'node', e.node + ' is confirmed to be gone' + (e.cause ? ' (' + e.cause.toLowerCase().replace('_', ' ') + ')' : '')); }
  on_warned(e, at) { const node = this.node(e.node); if (node) node.takenMs = e.atMs + 1000 * e.leadSeconds / this.speed; this.tell(e, at, 'notice', e.node + ' will be taken in ' + Math.round(e.leadSeconds) + ' s'); }
  on_refused(e, at) { this.tell(e, at, 'refusal', (e.asked - e.granted) + ' of ' + e.asked + ' nodes refused in ' + this.pool(e.pool).name + why(e.reason)); }
  on_withheld(e, at) { this.tell(e, at, 'refusal', this.pool(e.pool).name + ' is not asked for a while' + why(e.reason)); }
  on_suspected(e, at) { this.tell(e, at, 'loss', e.by + ' cannot reach ' + e.node + why(e.reason)); }
  on_silenced(e, at) { this.tell(e, at, 'loss', e.node + (e.silent ? ' prints nothing for too long' : ' prints again')); }
  on_killed(e, at) { this.tell(e, at, 'loss', 'the process of ' + e.node + ' is killed' + why(e.reason)); }

  on_exited(e, at) {
    if (e.code !== 0) {
      this.tell(e, at, 'loss', 'the process of ' + e.node + ' ended with ' + e.code + (e.tail ? ': ' + e.tail.trim().split('\n').pop() : ''));
      this.causes.push(e.node + ' ' + CAUSES.exited);
    }
  }

  on_generation(e, at) {
    const before = this.generations[this.generations.length - 1];
    const old = new Set(before ? before.members : []);
    const now = new Set(e.members);
    this.generations.push({
      number: e.number, members: e.members, at, atMs: e.atMs, formedMs: undefined, step: undefined,
      joined: before ? e.members.filter(m => !old.has(m)) : [], left: [...old].filter(m => !now.has(m)),
      why: before ? this.cause(old, now) : 'the first nodes are ready',
    });
    this.causes = [];
    this.tell(e, at, 'generation', 'generation ' + e.number + ' with ' + e.members.length + (e.members.length === 1 ? ' member' : ' members'));
  }

  // Losses say more than nodes that came in the same moment.
  cause(old, now) {
    const all = [...new Set(this.causes)];
    const losses = all.filter(cause => !cause.endsWith(CAUSES.ready));
    const chosen = losses.length ? losses : all.filter(cause => !old.has(cause.split(' ')[0]) && now.has(cause.split(' ')[0]));
    return (chosen.length > 3 ? [...chosen.slice(0, 3), 'and ' + (chosen.length - 3) + ' more'] : chosen).join('; ')
      || 'the members met again';
  }

  on_joined(e, at) {
    const generation = this.generations[this.generations.length - 1];
    if (generation && generation.number === e.generation && e.step >= 0) {
      generation.step = generation.step === undefined ? e.step : Math.min(generation.step, e.step);
    }
    if (e.from === 'CHECKPOINT') this.tell(e, at, 'checkpoint', e.node + ' restored the checkpoint of step ' + e.step);
  }

  on_progress(e, at) {
    const s = this.steps;
    const last = s.at.length - 1;
    if (last >= 0 && s.at[last] >= at) {
      // The columns of a chart need moments that grow.
      s.step[last] = e.step; s.samples[last] = e.samples; s.loss[last] = e.loss; s.realMs[last] = e.atMs;
      return;
    }
    s.at.push(at); s.realMs.push(e.atMs); s.step.push(e.step); s.samples.push(e.samples); s.loss.push(e.loss);
  }

  on_saved(e, at) {
    this.saves.set(e.state, {level: e.state, step: e.step, at, atMs: e.atMs, node: e.node, reason: e.reason,
      count: ((this.saves.get(e.state) || {}).count || 0) + 1});
    if (e.state === 'FAILED' || e.state === 'DURABLE') {
      this.tell(e, at, e.state === 'FAILED' ? 'loss' : 'checkpoint', 'checkpoint of step ' + e.step + ' ' + e.state.toLowerCase() + why(e.reason));
    }
  }

  tell(e, at, kind, text) {
    this.news.push({number: this.news.length, at, atMs: e.atMs, kind, text});
  }

  // Nodes whose end was ordered or seen, and that the place has not confirmed to be gone. Places of old logs never did.
  owedEnds(ofAws) {
    const over = this.status && STILL.has(this.status.state);
    if (over && !this.confirms && !ofAws) return [];
    return [...this.nodes.values()].filter(node => ENDED.has(node.state) && node.state !== 'REFUSED' && !node.gone);
  }

  // The newest checkpoint that outlives all nodes.
  durable() {
    const saves = ['DURABLE', 'ARCHIVED'].map(level => this.saves.get(level)).filter(Boolean);
    return saves.sort((a, b) => b.step - a.step || b.atMs - a.atMs)[0];
  }

  // Takes how the run stands in.
  stand(status) {
    this.status = status;
    for (const [name, micros] of Object.entries(status.bills)) {
      const node = this.node(name);
      if (node) node.bill = micros / 1e6;
    }
    this.endSeconds = Math.max(this.endSeconds, status.marketMs / 1000);
  }

  // The samples a second over windows of the time, so that a line can be read at any length.
  speedColumns(from, to, windows) {
    const s = this.steps;
    const x = [], y = [];
    const width = (to - from) / windows;
    if (!(width > 0)) return [x, y];
    let i = 0;
    for (let w = 0; w < windows; w++) {
      const end = from + (w + 1) * width;
      const first = i;
      while (i < s.at.length && s.at[i] <= end) i++;
      const a = Math.max(0, first - 1), b = i - 1;
      x.push(end - width / 2);
      const ms = b > a ? s.realMs[b] - s.realMs[a] : 0;
      y.push(b >= first && ms > 0 ? Math.max(0, (s.samples[b] - s.samples[a]) / (ms / 1000)) : w > 0 && y.length ? 0 : null);
    }
    return [x, y];
  }

  // What a moment of the market's time had cost.
  costAt(at) {
    const [x, y] = this.cost;
    let low = 0, high = x.length - 1;
    if (high < 0) return 0;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (x[middle] <= at) low = middle; else high = middle - 1;
    }
    if (low === x.length - 1 || x[low] > at) return y[low];
    return y[low] + (y[low + 1] - y[low]) * (at - x[low]) / (x[low + 1] - x[low]);
  }

  /*
   * How long a node lives if nobody renews its lease, in words.
   * lease: of the place; renewedSeconds from the coordinator's last sign of life, limitSeconds from the node's start,
   * untilMs at the latest
   */
  leaseLeft(node, lease) {
    const status = this.status;
    if (node.to !== null || !status) return '';
    if (node.takenMs !== null && node.state === 'NOTICED') return 'taken in ' + duration((node.takenMs - status.nowMs) / 1000);
    const ends = [];
    if (lease.renewedSeconds) {
      if (status.coordinated && !(lease.untilMs && lease.untilMs - status.nowMs < 1000 * lease.renewedSeconds)) {
        return duration(lease.renewedSeconds) + ', renewed';
      }
      ends.push(status.aliveMs + 1000 * lease.renewedSeconds);
    }
    if (lease.limitSeconds && node.startedMs !== null) ends.push(node.startedMs + 1000 * lease.limitSeconds);
    if (lease.untilMs) ends.push(lease.untilMs);
    if (!ends.length) return lease.limitSeconds ? 'not begun' : 'the coordinator’s life';
    const left = (Math.min(...ends) - status.nowMs) / 1000;
    return left > 0 ? duration(left) : 'over';
  }

  // When a step was reached, in the market's seconds.
  timeOfStep(step) {
    const s = this.steps;
    for (let i = s.step.length - 1; i >= 0; i--) if (s.step[i] <= step) return s.at[i];
    return 0;
  }
}

function why(reason) {
  return reason ? ': ' + reason : '';
}
