// Columns of a run over time: cards with the time of the row that is shown, which a click changes.

import uPlot from 'uplot';
import { make, button, shorten } from './dom';
import type { Player } from './player';
import type { Store } from './store';
import { colour, on_theme, palette } from './theme';
import { longest, powers, tick_font, tick_texts, ticks } from './ticks';

export interface Card {
  title: string;
  columns: number[]; // of the store
  error?: boolean; // shown as the change since the first row
  log?: boolean;
}

const height = 146;

// What is plotted: numbers of the file, or their change since the first row; where there is no number, a gap.
export function plotted(store: Store, card: Card, column: number): (number | null)[] {
  const x = store.column(column), first = card.error ? x[0] : 0;
  return Array.from(x, (a) => {
    const y = a - first;
    return !Number.isFinite(y) || (card.log && !(y > 0)) ? null : y;
  });
}

// Numbers upward are as wide as they need to be, and stand 20 pixels apart; those across stand as far apart as they are wide.
const least_width = 58, least_height = 26, between_lines = 20, between_words = 54, about_word = 14, about_number = 12;

export function axis(upward: boolean, label?: string, log = false): uPlot.Axis {
  let length = 0;
  const across = (low: number, high: number): number[] => {
    for (let space = between_words; ; space *= 1.4) {
      const list = ticks(low, high, Math.floor(length / space));
      if (list.length < 3 || space > length || longest(tick_texts(list)) + about_word <= ((list[1] - list[0]) / (high - low)) * length) return list;
    }
  };
  return {
    // uPlot's own search for a step finds none for numbers that are very small or large: any step will do.
    incrs: (_, __, ___, ____, full) => {
      length = full;
      return [Infinity];
    },
    splits: (_, __, low, high) => (log ? powers(low, high) : upward ? ticks(low, high, Math.floor(length / between_lines)) : across(low, high)),
    filter: (_, splits) => splits,
    stroke: () => colour('faint'),
    grid: { stroke: () => colour('grid'), width: 1 },
    ticks: { stroke: () => colour('grid'), width: 1, size: 4 },
    font: tick_font,
    labelFont: tick_font,
    labelSize: 16,
    size: upward ? (_, texts) => Math.max(least_width, about_number + longest(texts ?? [])) : least_height,
    label,
    values: (_, splits) => (log ? splits.map((x) => shorten(x, 4)) : tick_texts(splits)),
  };
}

const largest_range = 8e307; // whose ends have a difference that is a number

// uPlot takes a range of nothing badly: of equal numbers, and of none.
export function range(log: boolean): uPlot.Range.Function {
  return (_, low, high) => {
    if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return log ? [1e-17, 1] : [-1, 1];
    if (log) return [10 ** Math.floor(Math.log10(low)), 10 ** Math.max(Math.ceil(Math.log10(high)), Math.floor(Math.log10(low)) + 1)];
    if (low === high) return low === 0 ? [-1, 1] : [low - Math.abs(low) * 1e-3, high + Math.abs(high) * 1e-3];
    const room = 0.06 * high - 0.06 * low;
    return [Math.max(low - room, -largest_range), Math.min(high + room, largest_range)];
  };
}

export class PlotCard {
  readonly element = make('section', { className: 'card plot' });
  readonly values = make('div', { className: 'values' });
  private readonly numbers: HTMLElement[] = [];
  private readonly now = make('div', { className: 'now' });
  private readonly frame = make('div');
  private readonly plot: uPlot;

  constructor(readonly card: Card, private readonly store: Store, private readonly player: Player, remove?: () => void) {
    const title = make('div', { className: 'title' }, [make('h2', {}, [card.title])]);
    if (remove) {
      const cross = button('\u00d7', 'Remove this plot', remove);
      cross.className = 'remove';
      title.append(cross);
    }
    card.columns.forEach((column, k) => {
      const { name, unit } = store.head.series[column];
      const mark = make('i'), number = make('b');
      mark.style.background = palette[k % palette.length];
      this.numbers.push(number);
      this.values.append(make('span', {}, [mark, `${name} `, number, unit ? ` ${unit}` : '']));
    });
    this.element.append(title, this.values, this.frame);
    const time = store.head.series[0].unit;
    this.plot = new uPlot({
      width: 300,
      height,
      legend: { show: false },
      cursor: { drag: { x: true, y: false }, points: { show: false }, sync: { key: 'time' } },
      scales: { x: { time: false }, y: { distr: card.log ? 3 : 1, range: range(card.log ?? false) } },
      axes: [axis(false, time ? `t (${time})` : 't'), axis(true, undefined, card.log)],
      series: [{}, ...card.columns.map((_, k) => ({ stroke: palette[k % palette.length], width: 1.3, points: { show: () => store.rows < 3 } }))],
      hooks: { ready: [(u) => this.ready(u)], setScale: [() => this.show()], setSize: [() => this.show()] },
    }, this.data(), this.frame);
    this.show();
    on_theme(() => this.plot.redraw(false, true));
    new ResizeObserver(() => {
      const width = this.frame.clientWidth;
      if (width > 0 && width !== this.plot.width) this.plot.setSize({ width, height });
    }).observe(this.frame);
  }

  data(): uPlot.AlignedData {
    return [Array.from(this.store.time), ...this.card.columns.map((c) => plotted(this.store, this.card, c))] as uPlot.AlignedData;
  }
  private ready(u: uPlot): void {
    u.over.append(this.now);
    let pressed = 0;
    u.over.addEventListener('mousedown', (event) => (pressed = event.clientX));
    u.over.addEventListener('mouseup', (event) => {
      if (Math.abs(event.clientX - pressed) < 4 && this.store.rows > 0) {
        this.player.pause();
        this.player.seek_time(u.posToVal(event.clientX - u.over.getBoundingClientRect().left, 'x'));
      }
    });
  }
  show(): void {
    if (!this.plot || this.store.rows === 0) return;
    const row = this.player.row, at = this.plot.valToPos(this.store.series[0][row], 'x');
    const inside = at >= 0 && at <= this.plot.over.clientWidth;
    this.now.style.display = inside ? 'block' : 'none';
    if (inside) this.now.style.transform = `translateX(${at}px)`;
    this.card.columns.forEach((column, k) => {
      const x = this.store.series[column];
      this.numbers[k].textContent = shorten(this.card.error ? x[row] - x[0] : x[row]);
    });
  }
  // What is written along the axes, and how much room is there for numbers upward: for tests
  written(): { across: string[]; upward: string[]; room: number } {
    const [x, y] = this.plot.axes as unknown as { _values: string[]; _size: number }[];
    return { across: x._values, upward: y._values, room: y._size - longest(y._values) };
  }
  // How many rows are drawn: for tests
  shown_rows(): number {
    return this.plot.data[0].length;
  }
  // There are more rows. A part of the time that was chosen stays chosen.
  grow(): void {
    const data = this.data(), time = this.plot.data[0], { min, max } = this.plot.scales.x;
    const is_part = time.length > 1 && (min! > Math.min(time[0], time[time.length - 1]) || max! < Math.max(time[0], time[time.length - 1]));
    this.plot.setData(data, !is_part);
    if (is_part) this.plot.redraw();
    this.show();
  }
  destroy(): void {
    this.plot.destroy();
    this.element.remove();
  }
}

// What a newcomer wants to see first; names that [view] gives come before it.
export function first_cards(store: Store): Card[] {
  const { series, plot } = store.head;
  const of = (kind: string): number[] => series.flatMap((s, k) => (s.kind === kind ? [k] : []));
  const cards: Card[] = [];
  const energy = of('energy'), residuals = of('residuals'), invariants = of('invariants').slice(0, 4);
  const energy_card: Card = { title: 'Energy error', columns: energy, error: true };
  const residual_card: Card = { title: 'Constraint residuals', columns: residuals, log: true };
  for (const name of plot) {
    if (name === 'energy') cards.push(energy_card);
    else if (name === 'residuals') cards.push(residual_card);
    else if (store.index(name) >= 0) cards.push({ title: name, columns: [store.index(name)] });
  }
  const add = (card: Card): void => {
    if (card.columns.length > 0 && !cards.some((c) => c.title === card.title)) cards.push(card);
  };
  add(energy_card);
  add(residual_card);
  add({ title: invariants.length === 1 ? `Error of ${series[invariants[0]].name}` : 'Errors of invariants', columns: invariants, error: true });
  if (plot.length === 0) {
    add({ title: 'Coordinates', columns: of('coordinates').slice(0, 4) });
    add({ title: 'Multipliers', columns: of('multipliers').slice(0, 3) });
    if (of('observables').length > 0) add({ title: 'Observables', columns: of('observables').slice(0, 4) });
  }
  return cards;
}

export class Plots {
  readonly element = make('div', { className: 'plots' });
  readonly cards: PlotCard[] = [];

  constructor(private readonly store: Store, private readonly player: Player) {
    const adder = make('select', { title: 'Add a plot', ariaLabel: 'Add a plot' }, [make('option', {}, ['Add a plot\u2026'])]);
    store.head.series.forEach((series, k) => {
      if (k > 0) adder.append(make('option', { value: String(k) }, [`${series.name} (${series.kind})`]));
    });
    adder.onchange = () => {
      const k = Number(adder.value);
      adder.selectedIndex = 0;
      if (k > 0) this.add({ title: store.head.series[k].name, columns: [k], log: store.head.series[k].kind === 'residuals' });
    };
    this.element.append(make('div', { className: 'adder' }, [adder]));
    for (const card of first_cards(store)) this.add(card);
    player.listen(() => this.cards.forEach((card) => card.show()));
  }

  grow(): void {
    for (const card of this.cards) card.grow();
  }

  private add(card: Card): void {
    const made = new PlotCard(card, this.store, this.player, () => {
      this.cards.splice(this.cards.indexOf(made), 1);
      made.destroy();
    });
    this.cards.push(made);
    this.element.insertBefore(made.element, this.element.lastElementChild);
  }
}
