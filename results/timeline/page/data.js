'use strict';
// Reads the timelines of #timeline-0, #timeline-1 ... Texts come from guests: they become text nodes, never
// markup.

const data = JSON.parse(document.getElementById('data').textContent);
const part = (id) => document.getElementById(id);

let timeline;          // the one that is shown
let view;           // [from, to] of it in nanoseconds
let chosen = -1;    // item of it

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}

const milliseconds = (time, digits = 3) => `${(time / 1e6).toFixed(digits)} ms`;

function summed(deltas) {
  const times = new Float64Array(deltas.length);
  let sum = 0;
  for (let i = 0; i < deltas.length; i++) times[i] = sum += deltas[i];
  return times;
}

// The first of `count` for which at(i) is not below `value`; at() never goes back.
function firstNotBelow(count, at, value) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(middle) < value) low = middle + 1; else high = middle;
  }
  return low;
}

function readArea(area) {
  const times = summed(area.times);
  const rows = area.used.map(() => []);
  for (let i = 0; i < times.length; i++) rows[area.rows[i]].push(i);
  return { ...area, times, rows };
}

function read(number) {
  const raw = JSON.parse(part(`timeline-${number}`).textContent);
  const head = data.tests[number];
  const times = summed(raw.times);
  const kindsOf = head.lanes.map(() => new Set());
  const members = head.lanes.map(() => []);
  for (let i = 0; i < times.length; i++) {
    const [lane, thread, kind] = raw.shapes[raw.which[i]];
    members[lane].push(i);
    kindsOf[lane].add(kind);
    if (thread >= 0) { members[thread].push(i); kindsOf[thread].add(kind); }
  }
  const lanes = head.lanes.map(([of, name], lane) => {
    const kinds = [...kindsOf[lane]].sort((left, right) => left - right);
    return { of, name, members: members[lane], kinds, row: new Map(kinds.map((kind, i) => [kind, i])) };
  });
  const areas = raw.areas.map(readArea);
  // Also what lies in front of the first event and behind the last.
  let from = times.length ? times[0] : 0, to = times.length ? times[times.length - 1] : 1;
  for (const area of areas) { from = Math.min(from, area.from); to = Math.max(to, area.to); }
  const edge = Math.max(to - from, 1) * 0.01;
  return { number, head, times, lanes, areas, shapes: raw.shapes, which: raw.which,
    numbers: raw.numbers, lines: null, whole: [from - edge, to + edge],
    broken: new Map(head.failures.map((failure) => [failure[0], failure])) };
}

function textOf(item) {
  if (timeline.lines === null) timeline.lines = timeline.numbers.split('\n');
  const numbers = timeline.lines[item].split(' ');
  let next = 0;
  return timeline.shapes[timeline.which[item]][3].replace(/\u0001/g, () => numbers[next++]);
}
