'use strict';

// Of two colours, as WCAG has it.
function contrast(left, right) {
  const [low, high] = [left, right].map((colour) => {
    const [red, green, blue] = colour.match(/[\d.]+/g).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  }).sort((one, other) => one - other);
  return high / low;
}

// Those of `elements` that do not stand out from what is behind them, with their ratio.
function unreadable(elements) {
  const transparent = 'rgba(0, 0, 0, 0)';
  return [...elements].map((element) => {
    let behind = element;
    while (behind !== document.documentElement &&
           getComputedStyle(behind).backgroundColor === transparent) behind = behind.parentElement;
    const back = getComputedStyle(behind).backgroundColor;
    return [element.textContent.slice(0, 20), contrast(getComputedStyle(element).color,
      back === transparent ? getComputedStyle(document.body).backgroundColor : back)];
  }).filter(([, ratio]) => ratio < 4.5);
}
