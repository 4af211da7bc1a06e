// Events of a run in a plane: a Poincaré section.

import type { Head } from './data';
import { make, select } from './dom';
import { colour, mark_of, on_theme, palette } from './theme';
import { longest, tick_font, tick_texts, ticks } from './ticks';

const margin = { left: 62, right: 12, top: 10, bottom: 26 }, about_number = 12, most_ticks = 6;

export class Section {
  readonly element = make('section', { className: 'card plot' });
  private readonly canvas = make('canvas');
  private x = 0;
  private y = 1;
  private event = -1; // all

  constructor(head: Head, private readonly numbers: Float64Array) {
    const events = head.events!;
    this.rows = events.rows;
    // The first two columns that change along the events; the event itself is a zero.
    const changing = events.columns.map((_, k) => k).filter((k) => k > 0 && this.spread(k) > 1e-9 && !/energy|residual/.test(events.columns[k]));
    this.x = changing[0] ?? 0;
    this.y = changing.find((k) => events.columns[k] === `p_${events.columns[this.x]}`) ?? changing[1] ?? 0;
    const axes = make('div', { className: 'axes' }, [
      select(events.columns, this.x, 'Across', (k) => this.choose({ x: k })), 'and',
      select(events.columns, this.y, 'Upward', (k) => this.choose({ y: k }))]);
    if (events.names.length > 1) axes.append('of', select(['all events', ...events.names], 0, 'Events', (k) => this.choose({ event: k - 1 })));
    this.element.append(make('div', { className: 'title' }, [make('h2', {}, [`Section: ${events.rows} events`]), axes]));
    if (events.names.length > 1) this.element.append(make('div', { className: 'curves dots' }, events.names.map((name, k) => make('span', {}, [mark_of(k), name]))));
    this.element.append(this.canvas);
    new ResizeObserver(() => this.draw()).observe(this.element);
    on_theme(() => this.draw());
  }
  private readonly rows: number;

  column(k: number): Float64Array {
    return this.numbers.subarray((k + 1) * this.rows, (k + 2) * this.rows);
  }
  private spread(k: number): number {
    const x = this.column(k);
    let low = Infinity, high = -Infinity;
    for (const a of x) if (Number.isFinite(a)) (low = Math.min(low, a)), (high = Math.max(high, a));
    return high - low;
  }
  private choose(change: { x?: number; y?: number; event?: number }): void {
    this.x = change.x ?? this.x;
    this.y = change.y ?? this.y;
    this.event = change.event ?? this.event;
    this.draw();
  }
  // The points that are drawn
  points(): [number, number, number][] {
    const x = this.column(this.x), y = this.column(this.y), list: [number, number, number][] = [];
    for (let i = 0; i < this.rows; ++i)
      if (Number.isFinite(x[i] + y[i]) && (this.event < 0 || this.numbers[i] === this.event)) list.push([x[i], y[i], this.numbers[i]]);
    return list;
  }

  private draw(): void {
    const width = Math.max(80, this.element.clientWidth - 20), height = Math.min(360, Math.max(220, 0.7 * width)), scale = devicePixelRatio;
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const pen = this.canvas.getContext('2d')!;
    pen.scale(scale, scale);
    pen.font = tick_font;
    const points = this.points();
    const extent = (c: 0 | 1): [number, number] => {
      let low = Infinity, high = -Infinity;
      for (const p of points) (low = Math.min(low, p[c])), (high = Math.max(high, p[c]));
      if (!(low <= high)) return [-1, 1];
      const room = 0.05 * (high - low) || 1e-3 * Math.abs(high) || 1;
      return [low - room, high + room];
    };
    const [x0, x1] = extent(0), [y0, y1] = extent(1);
    const numbers = ticks(y0, y1, most_ticks), left = Math.max(margin.left, about_number + longest(tick_texts(numbers)));
    const across = (x: number): number => left + ((x - x0) / (x1 - x0)) * (width - left - margin.right);
    const upward = (y: number): number => height - margin.bottom - ((y - y0) / (y1 - y0)) * (height - margin.top - margin.bottom);
    pen.strokeStyle = colour('grid');
    pen.fillStyle = colour('faint');
    for (const [list, horizontal] of [[ticks(x0, x1, most_ticks), true], [numbers, false]] as [number[], boolean][]) {
      tick_texts(list).forEach((text, k) => {
        pen.beginPath();
        if (horizontal) {
          pen.moveTo(across(list[k]), margin.top);
          pen.lineTo(across(list[k]), height - margin.bottom);
          pen.textAlign = 'center';
          pen.fillText(text, across(list[k]), height - 10);
        } else {
          pen.moveTo(left, upward(list[k]));
          pen.lineTo(width - margin.right, upward(list[k]));
          pen.textAlign = 'right';
          pen.fillText(text, left - 6, upward(list[k]) + 4);
        }
        pen.stroke();
      });
    }
    const size = points.length > 3000 ? 0.9 : 1.6;
    for (const [x, y, which] of points) {
      pen.fillStyle = palette[which % palette.length];
      pen.beginPath();
      pen.arc(across(x), upward(y), size, 0, 7);
      pen.fill();
    }
  }
}
