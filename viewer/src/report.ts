// Tables and diagrams of `certify` and `compare`.

import uPlot from 'uplot';
import type { Diagram, Table } from './data';
import { make } from './dom';
import { axis, range } from './plots';
import { dash, mark_of, on_theme, palette } from './theme';

const height = 300;
const longest_word = 24; // what is longer may be broken into lines

export function table_card(table: Table): HTMLElement {
  const kind = (text: string): string =>
    [/^holds/.test(text) ? 'good' : /^(FAILS|failed)/.test(text) ? 'bad' : '', text.length > longest_word ? 'sentence' : ''].join(' ').trim();
  const cell = (text: string): HTMLTableCellElement => make('td', { className: kind(text) }, [text]);
  return make('section', { className: 'card wide' }, [
    make('h2', {}, [table.title]),
    make('table', {}, [
      make('thead', {}, [make('tr', {}, table.columns.map((name) => make('th', {}, [name])))]),
      make('tbody', {}, table.rows.map((row) => make('tr', {}, row.map(cell)))),
    ]),
  ]);
}

// Curves with numbers of their own on the first axis: all of them there. Points are joined as they come, since those of work and
// precision come by their steps, and times of short runs go up and down.
export class DiagramCard {
  readonly element = make('section', { className: 'card plot' });
  readonly data: uPlot.AlignedData;
  private readonly plot: uPlot;

  constructor(readonly diagram: Diagram) {
    const frame = make('div');
    this.element.append(make('div', { className: 'title' }, [make('h2', {}, [diagram.title])]));
    this.element.append(make('div', { className: 'curves' }, diagram.curves.map((curve, k) => make('span', {}, [mark_of(k), curve.name]))));
    this.element.append(frame);
    const single = (curve: Diagram['curves'][number]): uPlot.AlignedData => {
      const order = curve.x.map((_, i) => i).sort((a, b) => curve.x[a] - curve.x[b]);
      return [order.map((i) => curve.x[i]), order.map((i) => (diagram.log_y && !(curve.y[i]! > 0) ? null : curve.y[i]))];
    };
    this.data = diagram.curves.length > 0 ? uPlot.join(diagram.curves.map(single)) : [[]];
    const few = Math.max(0, ...diagram.curves.map((c) => c.x.length)) < 40;
    const plot = new uPlot({
      width: 300,
      height,
      legend: { show: false },
      cursor: { drag: { x: true, y: true } },
      scales: {
        x: { time: false, distr: diagram.log_x ? 3 : 1, range: range(diagram.log_x) },
        y: { distr: diagram.log_y ? 3 : 1, range: range(diagram.log_y) },
      },
      axes: [axis(false, diagram.x, diagram.log_x), axis(true, diagram.y, diagram.log_y)],
      series: [{}, ...diagram.curves.map((_, k) => ({
        stroke: palette[k % palette.length], dash: dash(k), width: 1.5, paths: (u: uPlot) => ({ stroke: this.path(u, k) }), points: { show: few, size: 6, fill: palette[k % palette.length] } }))],
    }, this.data, frame);
    on_theme(() => plot.redraw(false, true));
    this.plot = plot;
    new ResizeObserver(() => {
      const width = frame.clientWidth;
      if (width > 0 && width !== plot.width) plot.setSize({ width, height });
    }).observe(frame);
  }

  // The points that a curve goes through, in pixels
  line(k: number, u = this.plot): [number, number][] {
    const { x, y } = this.diagram.curves[k];
    return x.flatMap((a, i): [number, number][] => {
      const at: [number, number] = [u.valToPos(a, 'x', true), y[i] === null ? NaN : u.valToPos(y[i]!, 'y', true)];
      return Number.isFinite(at[0] + at[1]) ? [at] : [];
    });
  }
  private path(u: uPlot, k: number): Path2D {
    const path = new Path2D();
    for (const [x, y] of this.line(k, u)) path.lineTo(x, y);
    return path;
  }
}
