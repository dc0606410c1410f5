// The button that stops a run: it asks twice, and says whether the stop went well.
import {byId, say} from './elements.js';

// name: what the run is called. The server wants its id again.
export function askBeforeStop(name) {
  let asked = 0;
  byId('stop').addEventListener('click', () => {
    asked = 0;
    say('stopText', 'All nodes of ' + name() + ' are ended. It cannot go on later.');
    say('stopYes', 'Stop it …');
    byId('stopYes').hidden = false;
    say('stopNo', 'Let it go on');
    byId('stopDialog').showModal();
  });
  byId('stopNo').addEventListener('click', () => byId('stopDialog').close());
  byId('stopYes').addEventListener('click', async () => {
    asked++;
    if (asked === 1) {
      say('stopText', 'Really? The nodes of ' + name() + ' end now, for good.');
      say('stopYes', 'Yes, stop it now');
      return;
    }
    byId('stopYes').hidden = true;
    say('stopNo', 'Close');
    const id = decodeURIComponent(location.pathname.split('/').filter(Boolean).pop());
    const answer = await fetch('stop', {method: 'POST', body: 'stop ' + id});
    if (!answer.ok) {
      say('stopText', 'That did not work: ' + await answer.text());
      return;
    }
    say('stopText', 'It was asked to stop.');
    followStop();
  });
}

// Says how the stop goes until it is done or has failed.
async function followStop() {
  try {
    const stop = await (await fetch('stop')).json();
    if (stop.failure) {
      say('stopText', 'It did not stop: ' + stop.failure);
      byId('stopFailed').hidden = false;
      say('stopFailed', 'This run was asked to stop, and did not: ' + stop.failure);
      return;
    }
    if (stop.done) {
      say('stopText', 'It has stopped.');
      byId('stopFailed').hidden = true;
      return;
    }
  } catch (e) {
    // The server is away; it may come back.
  }
  setTimeout(followStop, 500);
}
