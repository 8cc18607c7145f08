// What can be done with the page, and how it begins.

function addressOf(item) {
  return `#${encodeURIComponent(timeline.head.name)}/${item}`;
}

function choose(item, zoom) {
  chosen = Math.max(0, Math.min(timeline.times.length - 1, item));
  const time = timeline.at[chosen];
  const span = zoom ? Math.min(view[1] - view[0], (timeline.whole[1] - timeline.whole[0]) / 20)
    : view[1] - view[0];
  if (zoom || time < view[0] || time > view[1]) view = [time - span / 2, time + span / 2];
  history.replaceState(null, '', addressOf(chosen));
  showItem();
  draw();
}

function showItem() {
  const panel = part('item');
  const list = make('ol');
  for (let item = Math.max(0, chosen - 6); item < Math.min(timeline.times.length, chosen + 9); item++) {
    const [lane] = timeline.shapes[timeline.which[item]];
    const line = make('li', { 'data-item': item }, make('span', {}, milliseconds(timeline.times[item])),
      make('span', {}, timeline.lanes[lane].name), textOf(item));
    if (item === chosen) line.setAttribute('aria-current', 'true');
    list.append(line);
    const failure = timeline.broken.get(item);
    if (failure === undefined) continue;
    for (const [at, name, sentence] of timeline.head.failures)
      if (at === item)
        list.append(make('li', { class: 'broken', 'data-item': item },
          name === '' ? sentence : `${name} is broken here: ${sentence}`));
  }
  panel.replaceChildren(make('h2', {}, `At ${milliseconds(timeline.times[chosen])}`), list);
  panel.hidden = false;
}

function chooseBuffer(area, x, y, width) {
  const { rows, thick, height } = area.shown;
  const row = Math.min(rows - 1, rows * thick <= MAP_HEIGHT ? Math.floor(y / thick)
    : Math.floor(y * rows / height));
  if (row < 0) return;
  const time = realTime(timeline.gaps, timeAt(x, width));
  const changes = area.rows[row];
  const next = firstNotBelow(changes.length, (at) => area.times[changes[at]], time);
  const from = next === 0 ? area.from : area.times[changes[next - 1]];
  const to = next === changes.length ? area.to : area.times[changes[next]];
  const owner = next === 0 ? 0 : area.owners[changes[next - 1]];
  const item = area.items[changes[Math.max(0, next - 1)]];
  if (item >= 0) choose(item, false);
  part('item').prepend(make('p', {}, `Buffer ${area.used[row]} of area ${area.area}, ifq ${area.ifq}: `
    + `${data.owners[owner]} from ${milliseconds(from)} to ${milliseconds(to)}`));
  part('item').hidden = false;
}

function chooseInLane(lane, x, width) {
  const time = timeAt(x, width);
  const next = firstNotBelow(lane.members.length, (at) => timeline.at[lane.members[at]], time);
  let best = -1;
  for (const at of [next - 1, next]) {
    if (at < 0 || at >= lane.members.length) continue;
    const item = lane.members[at];
    if (best < 0 || Math.abs(timeline.at[item] - time) < Math.abs(timeline.at[best] - time)) best = item;
  }
  if (best >= 0 && Math.abs(place(timeline.at[best], width) - x) <= 12) choose(best, false);
}

function move(by, factor) {
  const middle = (view[0] + view[1]) / 2 + by * (view[1] - view[0]);
  const half = Math.max((view[1] - view[0]) / 2 * factor, 500);
  view = [middle - half, middle + half];
  draw();
}

// A drag moves what is seen, a click chooses.
function listen(canvas, click) {
  let began = null, moved = false;
  canvas.addEventListener('pointerdown', (event) => {
    began = { x: event.clientX, view: [...view] };
    moved = false;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (began === null) return;
    if (Math.abs(event.clientX - began.x) > 4) moved = true;
    if (!moved) return;
    const by = (event.clientX - began.x) / canvas.clientWidth * (began.view[1] - began.view[0]);
    view = [began.view[0] - by, began.view[1] - by];
    requestAnimationFrame(draw);
  });
  canvas.addEventListener('pointercancel', () => { began = null; });
  canvas.addEventListener('pointerup', (event) => {
    if (began !== null && !moved) {
      const box = canvas.getBoundingClientRect();
      click(event.clientX - box.left, event.clientY - box.top, box.width);
    }
    began = null;
  });
  canvas.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const at = timeAt(event.clientX - canvas.getBoundingClientRect().left, canvas.clientWidth);
    const factor = event.deltaY > 0 ? 1.25 : 0.8;
    view = [at - (at - view[0]) * factor, at + (view[1] - at) * factor];
    draw();
  }, { passive: false });
}

// ---- the page

function aboutGaps() {
  const { gaps } = timeline;
  if (gaps.length === 0) return '';
  const sum = gaps.reduce((all, gap) => all + gap.to - gap.from, 0);
  return `; ${gaps.length} ${gaps.length === 1 ? 'gap' : 'gaps'} of ${milliseconds(sum)} in which nothing `
    + `happens ${gaps.length === 1 ? 'is' : 'are'} cut short (‖)`;
}

function show(number) {
  timeline = read(number);
  view = [...timeline.whole];
  chosen = -1;
  part('item').hidden = true;
  part('test').value = String(number);
  const head = timeline.head;
  part('name').replaceChildren(head.name, ' ', ...(head.status === '' ? []
    : [make('span', { class: `state ${head.status}` }, head.status)]));
  part('about').textContent = `${timeline.times.length} items in `
    + `${milliseconds(timeline.times.length ? timeline.times[timeline.times.length - 1] - timeline.times[0] : 0)}`
    + aboutGaps()
    + (head.left_out ? `; ${head.left_out} events were not kept by the run` : '')
    + (head.judged ? '' : '; not judged again, since not all of it is here');
  part('message').replaceChildren(...(head.message === '' ? [] : [make('pre', {}, head.message)]));
  part('failures').replaceChildren(...head.failures.map(([item, name, sentence]) => {
    const button = make('button', { type: 'button' },
      `${name === '' ? '' : `${name} at `}${milliseconds(timeline.times[item])}: ${sentence}`);
    button.addEventListener('click', () => choose(item, true));
    return make('li', {}, button);
  }));

  const lanes = part('lanes');
  timeline.ruler = make('canvas', { 'aria-label': 'time' });
  lanes.replaceChildren(timeline.ruler);
  listen(timeline.ruler, () => {});
  for (const lane of timeline.lanes) {
    lane.canvas = make('canvas', { 'data-lane': lane.name });
    lanes.append(make('h3', {}, `${lane.name} (${lane.members.length})`), lane.canvas);
    listen(lane.canvas, (x, y, width) => chooseInLane(lane, x, width));
  }
  const maps = part('maps');
  maps.replaceChildren();
  for (const area of timeline.areas) {
    area.canvas = make('canvas', { 'data-area': area.area });
    maps.append(make('h3', {}, `area ${area.area} of ifq ${area.ifq}: ${area.used.length} of `
      + `${area.buffers} buffers were used, a row each (${area.size} bytes)`), area.canvas);
    listen(area.canvas, (x, y, width) => chooseBuffer(area, x, y, width));
  }
  const kinds = new Set(timeline.lanes.flatMap((lane) => lane.kinds));
  part('kinds').replaceChildren(...[...kinds].sort((left, right) => left - right)
    .map((kind) => make('li', {}, make('i', { style: `background:var(--kind-${data.kinds[kind]})` }),
      data.kinds[kind])));
  part('owners').replaceChildren(...(timeline.areas.length === 0 ? [] : data.owners.map((owner, number_) =>
    make('li', {}, make('i', { style: `background:var(--owner-${OWNER_CLASS[number_]})` }), owner))));
  draw();
}

// What the address names, "#TEST/ITEM"; else the first test that has failed.
function follow() {
  let name = '', item = '';
  try {
    [name, item] = location.hash.slice(1).split('/').map(decodeURIComponent);
  } catch { /* an address that somebody has cut names nothing */ }
  let number = data.tests.findIndex((test) => test.name === name);
  if (number < 0) number = data.tests.findIndex((test) => test.failures.length > 0);
  show(Math.max(0, number));
  if (/^\d+$/.test(item || '') && timeline.times.length > 0) choose(Number(item), true);
  else if (timeline.head.failures.length > 0) {
    chosen = timeline.head.failures[0][0];
    showItem();
    draw();
  }
}

const STEPS = {
  gaps: () => {
    layOut(timeline, timeline.gaps.length === 0);
    view = [...timeline.whole];
    draw();
  },
  whole: () => { view = [...timeline.whole]; draw(); },
  in: () => move(0, 0.5), out: () => move(0, 2), left: () => move(-0.4, 1), right: () => move(0.4, 1),
  before: () => choose(chosen - 1, false), next: () => choose(chosen + 1, false),
};

readColours();
part('terms').textContent = data.title;
data.tests.forEach((test, number) => part('test').append(make('option', { value: number },
  `${test.status === '' || test.status === 'passed' ? '' : `${test.status}: `}${test.name}`
  + (test.failures.length && test.status !== 'failed' && test.status !== 'known'
  && test.status !== 'blocked' ? ' (!)' : ''))));
if (data.untraced.length > 0) {
  const count = data.untraced.length;
  part('untraced').querySelector('summary').textContent = `${count} ${count === 1 ? 'test has' : 'tests have'}`
    + ' no trace';
  part('untraced').querySelector('ul').append(...data.untraced.map(([name, status, why]) =>
    make('li', {}, `${name}: ${status}${why === '' ? '' : `: ${why}`}`)));
  part('untraced').hidden = false;
}
part('choice').hidden = data.tests.length === 1;
part('test').addEventListener('change', (event) => {
  history.replaceState(null, '', '#');
  show(Number(event.target.value));
});
for (const button of document.querySelectorAll('[data-do]'))
  button.addEventListener('click', () => STEPS[button.dataset.do]());
part('item').addEventListener('click', (event) => {
  const line = event.target.closest('[data-item]');
  if (line !== null) choose(Number(line.dataset.item), false);
});
window.addEventListener('hashchange', follow);
window.addEventListener('resize', draw);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readColours(); draw(); });
if (data.tests.length > 0) follow();
