// The states of a run that goes on: frames are appended as they come, and thinned as the program thins its own
// (src/view/live_store.hpp), so that every page of a run shows the same rows.

import type { Head, Numbers } from './data';
import { Store } from './store';

export interface Frames {
  stride: number; // rows 0, stride, 2 stride, ... are kept, and the newest one
  count: number;
  bytes: ArrayBuffer; // the frames, one after the other
}

const first_room = 1024;

export class LiveStore extends Store {
  stride = 1;
  numbers = new Float64Array(first_room); // of the rows, among all that were recorded
  private room = first_room;
  private columns: Float64Array[];
  private all_points: Float32Array;
  private all_bodies: Float32Array;

  constructor(head: Head, arrays: Map<string, Numbers>) {
    super(head, arrays);
    this.columns = head.series.map(() => new Float64Array(this.room));
    this.all_points = new Float32Array(this.room * this.point_numbers);
    this.all_bodies = new Float32Array(this.room * this.body_numbers);
    this.cut();
  }

  append(frames: Frames): void {
    if (frames.stride > this.stride) this.thin(frames.stride);
    while (this.rows + frames.count > this.room) this.grow();
    const columns = this.columns.length, places = this.point_numbers + this.body_numbers;
    const size = 8 * (1 + columns) + 4 * (places + (places % 2));
    for (let k = 0; k < frames.count; ++k, ++this.rows) {
      const numbers = new Float64Array(frames.bytes, k * size, 1 + columns);
      const at = new Float32Array(frames.bytes, k * size + 8 * (1 + columns), places);
      this.numbers[this.rows] = numbers[0];
      for (let c = 0; c < columns; ++c) this.columns[c][this.rows] = numbers[1 + c];
      this.all_points.set(at.subarray(0, this.point_numbers), this.rows * this.point_numbers);
      this.all_bodies.set(at.subarray(this.point_numbers), this.rows * this.body_numbers);
    }
    this.cut();
  }
  clear(): void {
    this.rows = 0;
    this.stride = 1;
    ++this.generation;
    this.cut();
  }
  // The row that is shown for one of all that were recorded
  row_of(number: number): number {
    let low = 0, high = this.rows;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.numbers[middle] < number) low = middle + 1;
      else high = middle;
    }
    return Math.min(low, Math.max(0, this.rows - 1));
  }

  // What others see
  private cut(): void {
    this.series = this.columns.map((column) => column.subarray(0, this.rows));
    this.points = this.all_points.subarray(0, this.rows * this.point_numbers);
    this.bodies = this.all_bodies.subarray(0, this.rows * this.body_numbers);
  }
  private grow(): void {
    const longer = <T extends Float64Array | Float32Array>(old: T, make: (length: number) => T): T => {
      const made = make(2 * old.length);
      made.set(old);
      return made;
    };
    this.room *= 2;
    this.numbers = longer(this.numbers, (n) => new Float64Array(n));
    this.columns = this.columns.map((column) => longer(column, (n) => new Float64Array(n)));
    this.all_points = longer(this.all_points, (n) => new Float32Array(n));
    this.all_bodies = longer(this.all_bodies, (n) => new Float32Array(n));
  }
  private thin(stride: number): void {
    this.stride = stride;
    ++this.generation;
    let kept = 0;
    for (let row = 0; row < this.rows; ++row) {
      if (this.numbers[row] % stride !== 0) continue;
      this.numbers[kept] = this.numbers[row];
      for (const column of this.columns) column[kept] = column[row];
      this.all_points.copyWithin(kept * this.point_numbers, row * this.point_numbers, (row + 1) * this.point_numbers);
      this.all_bodies.copyWithin(kept * this.body_numbers, row * this.body_numbers, (row + 1) * this.body_numbers);
      ++kept;
    }
    this.rows = kept;
  }
}
