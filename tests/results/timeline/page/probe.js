// Put behind the page's own script: says to the frame around it what is wrong with the page.

const said = [];
const place_ = decodeURIComponent(location.hash.replace('%such', ''));
const expect = (what, fits, seen) => said.push(`${fits ? 'ok' : 'FAILED'} ${place_}: ${what}`
  + (fits ? '' : `; there is: ${seen}`));
const text = () => ['header', 'main'].map((tag) => document.querySelector(tag).textContent).join('\n');
const has = (words) => expect(`"${words}" can be read`, text().includes(words), text());
const all = (selector) => [...document.querySelectorAll(selector)];
const press = (name) => document.querySelector(`[data-do=${name}]`).click();

// How many pixels of a canvas have this colour of the page.
function pixels(canvas, name) {
  const hex = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const wanted = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const { data: bytes } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let at = 0; at < bytes.length; at += 4)
    if (bytes[at + 3] === 255 && wanted.every((part_, i) => bytes[at + i] === part_)) count++;
  return count;
}
const lane = (start) => all('canvas[data-lane]').find((each) => each.dataset.lane.startsWith(start));
const map = () => all('canvas[data-area]')[0];
// The first column of a canvas that has this colour, from 0 to 1; -1 if none has.
function column(canvas, name) {
  const slim = document.createElement('canvas');
  slim.width = 1;
  slim.height = canvas.height;
  for (let x = 0; x < canvas.width; x++) {
    slim.getContext('2d').clearRect(0, 0, 1, slim.height);
    slim.getContext('2d').drawImage(canvas, -x, 0);
    if (pixels(slim, name) > 0) return x / canvas.width;
  }
  return -1;
}

expect('no text of a guest was run', document.title === 'zcrxlab trace', document.title);
expect('there are no elements out of texts', all('b').length === 0, 'a <b>');
expect('it fits a phone', document.documentElement.scrollWidth <= 390,
  document.documentElement.scrollWidth);
const faint = unreadable(all('p, li, h1, h2, h3, label, button, .state, #item li span'));
expect('every text stands out', faint.length === 0, JSON.stringify(faint));
expect('there is nothing that is not', !/null|undefined|NaN|object/.test(text()), text());
said.push(`background ${getComputedStyle(document.body).backgroundColor}`);

has('1 test has no trace');
has('registration.each_step_fails: skipped: The kernel has no <b>fail-nth</b>.');
press('whole');
const names = all('#lanes h3').map((each) => each.textContent.replace(/ \(\d+\)$/, ''));
for (const name of ['device', 'kernel log', 'ring of ifq 1, eth0 queue 1', 'thread 312', 'thread 313'])
  expect(`there is the lane "${name}"`, names.includes(name), names.join());
expect('CQEs are drawn in the ring', pixels(lane('ring'), 'kind-data') > 40, 'nothing');
expect('returns are drawn in the ring', pixels(lane('ring'), 'kind-return') > 40, 'nothing');
expect('DMA writes are drawn', pixels(lane('device'), 'kind-write') > 40, 'nothing');
expect('what the peer sent is in its thread', pixels(lane('thread 313'), 'kind-sent') > 40, 'nothing');
expect('... and in no other', pixels(lane('thread 312'), 'kind-sent') === 0, 'there');
has('area 0 of ifq 1: ');
has('of 64 buffers were used, a row each (4096 bytes)');

if (location.hash === '' || location.hash.includes('such') || location.hash.includes('twice')) {
  // The test that failed is the one that is shown.
  has('refill.twice failed');
  has('I3 does not hold: <b>live</b> ranges overlap');
  has('I3 at 20.500 ms: live ranges overlap');
  expect('the failure is marked in each lane', all('canvas[data-lane]').every(
    (each) => pixels(each, 'failed') > 0), 'not in all');
  expect('a buffer handed out twice is seen', pixels(map(), 'owner-twice') > 10, 'none');
  const mark = column(map(), 'owner-twice'), failed = column(lane('ring'), 'failed');
  expect('... from the failure on', Math.abs(mark - failed) < 0.02, `${mark} and ${failed}`);
  has('I3 is broken here: live ranges overlap');
  expect('the event that broke it is chosen', document.querySelector('#item [aria-current]')
    .textContent.includes('stream position 40960 at offset 0x9000, buffer 9'), text());
  // A tap on what failed zooms to it.
  const before = pixels(map(), 'owner-twice');
  document.querySelector('#failures button').click();
  expect('a tap on the failure shows more of it', pixels(map(), 'owner-twice') > before, before);
  press('whole');
  expect('and "Whole" all again', Math.abs(pixels(map(), 'owner-twice') - before) <= before / 4,
    pixels(map(), 'owner-twice'));
} else if (location.hash.includes('good')) {
  has('receive.<good> passed');
  expect('nothing failed', all('#failures li').length === 0 && pixels(lane('ring'), 'failed') === 0,
    'a mark');
  for (const owner of ['free', 'posted', 'user', 'ring'])
    expect(`buffers are seen ${owner}`, pixels(map(), `owner-${owner}`) > 40, 'none');
  expect('and none twice', pixels(map(), 'owner-twice') === 0, 'some');
  const current = () => document.querySelector('#item [aria-current]');
  expect('the address chooses an event', current().dataset.item === '40', current().textContent);
  press('next');
  expect('the next one can be chosen', current().dataset.item === '41', current().textContent);
  expect('and has an address', location.hash.endsWith('/41'), location.hash);
  choose(timeline.times.length - 1, false);
  // This script stands in the page, and must not end where the text would end it.
  has("%/script>%script>document.title='broken'%/script>%b>x%/b>".replaceAll('%', '<'));
  // A click on the map says whose the buffer is.
  press('whole');
  const box = map().getBoundingClientRect();
  const at = (type, x, y) => map().dispatchEvent(new PointerEvent(type,
    { clientX: box.left + x, clientY: box.top + y, pointerId: 1, bubbles: true }));
  map().setPointerCapture = () => {};
  const x = place(1.2e7, box.width);
  at('pointerdown', x, 2);
  at('pointerup', x, 2);
  has('Buffer 0 of area 0, ifq 1: with the user from 10.500 ms to 18.600 ms');
} else if (location.hash.includes('late')) {
  has('2 gaps of 60014.000 ms');
  has('in which nothing happens are cut short');
  const spread = () => pixels(lane('ring'), 'kind-data');
  const short = spread();
  expect('the first view shows the events', short > 100, short);
  press('gaps');
  expect('in real time they are two strokes', spread() < short / 3, spread());
  press('gaps');
  expect('and all are there again', spread() === short, spread());
  choose(timeline.times.length - 1, false);
  expect('what is read is real time', document.querySelector('#item h2').textContent.startsWith('At 600'),
    document.querySelector('#item h2').textContent);
} else {
  has('receive.cut/1');
  has('3897 events were not kept by the run; not judged again');
  expect('what was not told is not drawn', pixels(map(), 'owner-posted') === 0, 'posted buffers');
}
window.parent.postMessage(said, '*');
