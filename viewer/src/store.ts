// The recorded states of a run, row by row.

import type { Head, Numbers } from './data';

export class Store {
  rows: number;
  series: Float64Array[]; // one array a column
  points: Float32Array;
  bodies: Float32Array;
  generation = 0; // changes when rows that were there before are others

  constructor(readonly head: Head, arrays: Map<string, Numbers>) {
    this.rows = head.rows;
    const all = (arrays.get('series') as Float64Array) ?? new Float64Array();
    this.series = head.series.map((_, k) => all.subarray(k * head.rows, (k + 1) * head.rows));
    this.points = (arrays.get('points') as Float32Array) ?? new Float32Array();
    this.bodies = (arrays.get('bodies') as Float32Array) ?? new Float32Array();
  }

  get point_numbers(): number {
    return this.head.stage.points * 3;
  }
  get body_numbers(): number {
    return this.head.stage.bodies.length * 7;
  }
  get time(): Float64Array {
    return this.series[0];
  }
  column(k: number): Float64Array {
    return this.series[k];
  }
  index(name: string): number {
    return this.head.series.findIndex((s) => s.name === name);
  }
  points_at(row: number): Float32Array {
    return this.points.subarray(row * this.point_numbers, (row + 1) * this.point_numbers);
  }
  bodies_at(row: number): Float32Array {
    return this.bodies.subarray(row * this.body_numbers, (row + 1) * this.body_numbers);
  }
}
