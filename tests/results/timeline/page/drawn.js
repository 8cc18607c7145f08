// Put behind the page's own script: what it has drawn, and how many milliseconds after the browser
// was told to open it. Reading a pixel waits until everything is drawn.

const colours_ = all_('canvas').map((canvas) =>
  new Set(new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    .data.buffer)).size);
const events = data.tests[0] && timeline.shapes && [...timeline.which].filter(
  (shape) => !['write', 'frame'].includes(data.kinds[timeline.shapes[shape][2]])).length;
function all_(selector) { return [...document.querySelectorAll(selector)]; }
document.documentElement.dataset.drawn = [Math.round(performance.now()), events, colours_.length,
  Math.min(...colours_), timeline.broken.size].join(' ');
