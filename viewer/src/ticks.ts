// Where axes have ticks, and what is written at them: as many digits as tell neighbours apart.

import { minus_signs } from './dom';

// Multiples of 1, 2 or 5 times a power of ten: at most `most` intervals, if there are two ticks then.
export function ticks(low: number, high: number, most: number): number[] {
  const intervals = Math.max(1, most), power = Math.max(Number.MIN_VALUE, 10 ** Math.floor(Math.log10((high - low) / intervals)));
  const steps = [1, 2, 5, 10, 20].map((k) => k * power), fits = steps.findIndex((s) => (high - low) / s <= intervals);
  for (let k = fits; ; --k) {
    const list = multiples(low, high, steps[k]);
    if (list.length > 1 || k <= 0) return list;
  }
}
// Steps may be so small that neighbours are the same number.
function multiples(low: number, high: number, step: number): number[] {
  const list: number[] = [], first = Math.ceil(low / step), last = Math.floor(high / step);
  for (let k = 0; k <= last - first; ++k) {
    const x = (first + k) * step;
    if (x !== list.at(-1)) list.push(x);
  }
  return list;
}

const plain = [1e-4, 1e7]; // numbers without an exponent
const most_digits = 17; // of a double

export function tick_texts(list: number[]): string[] {
  const largest = Math.max(...list.map(Math.abs)), step = list.length > 1 ? (list.at(-1)! - list[0]) / (list.length - 1) : largest;
  const last_digit = Math.floor(Math.log10(step) + 1e-6);
  return list.map((x) => {
    if (x === 0) return '0';
    const size = Math.abs(x), digits = Math.max(1, Math.min(most_digits, Math.floor(Math.log10(size) + 1e-6) - last_digit + 1));
    const rounded = Number(x.toPrecision(digits));
    return minus_signs(largest >= plain[0] && largest < plain[1] ? String(rounded) : rounded.toExponential());
  });
}

// Few powers of ten, evenly chosen
export function powers(low: number, high: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9), step = Math.max(1, Math.ceil((last - first) / 4));
  return Array.from({ length: Math.max(0, Math.floor((last - first) / step) + 1) }, (_, k) => 10 ** (first + k * step));
}

export const tick_font = '11px system-ui, sans-serif';
let pen: CanvasRenderingContext2D | null = null;

// The width of the longest text, in pixels
export function longest(texts: string[]): number {
  const with_pen = (pen ??= document.createElement('canvas').getContext('2d')!);
  with_pen.font = tick_font;
  return Math.ceil(Math.max(0, ...texts.map((text) => with_pen.measureText(text).width)));
}
