// Which row is shown: played, paused, moved by hand.

import type { Store } from './store';

export class Player {
  row = 0;
  playing = false;
  speed = 1;
  live = false; // more rows are to come
  following = false; // the last one is shown, whichever it is
  private exact = 0;
  private last = 0;
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly store: Store) {}

  listen(call: () => void): void {
    this.listeners.push(call);
  }
  get last_row(): number {
    return Math.max(0, this.store.rows - 1);
  }
  // At speed 1 a run takes at most half a minute, and shows at least 30 rows a second.
  private get rows_a_second(): number {
    return this.speed * Math.max(30, this.store.rows / 30);
  }

  seek(row: number): void {
    this.following = false;
    this.move(row);
  }
  private move(row: number): void {
    this.exact = this.row = Math.max(0, Math.min(this.last_row, Math.round(row)));
    this.tell();
  }
  // The row at a time, or the one before it
  seek_time(t: number): void {
    const time = this.store.time, forward = time.length < 2 || time[time.length - 1] >= time[0];
    let low = 0, high = time.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (forward ? time[middle] < t : time[middle] > t) low = middle + 1;
      else high = middle;
    }
    const nearer = low > 0 && (low === time.length || Math.abs(time[low - 1] - t) <= Math.abs(time[low] - t));
    this.seek(nearer ? low - 1 : low);
  }
  follow(): void {
    this.playing = false;
    this.following = this.live;
    this.move(this.last_row);
  }
  // There are more rows, and `row` is where the one that is shown has gone.
  grown(row: number): void {
    this.exact += row - this.row;
    this.row = row;
    if (this.following) this.move(this.last_row);
    else this.tell();
  }
  // No more rows are to come.
  end(): void {
    this.live = this.following = false;
    this.tell();
  }
  toggle(): void {
    this.following = false;
    this.playing = !this.playing;
    if (this.playing && this.row === this.last_row) this.exact = this.row = 0;
    this.last = performance.now();
    this.tell();
    if (this.playing) requestAnimationFrame(this.advance);
  }
  pause(): void {
    if (this.playing) this.toggle();
  }

  private readonly advance = (now: number): void => {
    if (!this.playing) return;
    this.exact += (Math.max(0, now - this.last) / 1000) * this.rows_a_second;
    this.last = now;
    if (this.exact >= this.last_row) {
      this.exact = this.last_row;
      this.playing = false;
      this.following = this.live;
    }
    this.row = Math.floor(this.exact);
    this.tell();
    if (this.playing) requestAnimationFrame(this.advance);
  };
  private tell(): void {
    for (const call of this.listeners) call();
  }
}
