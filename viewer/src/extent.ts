// How large the motion is: the frame about it, and the sizes of things that follow from it.

import * as three from 'three';
import type { Numbers, StageHead } from './data';
import type { Store } from './store';

const spot = new three.Vector3();
const room = 0.1; // of the size of the frame, about what has left it

// Graphics cards count in single precision, and square lengths: what is far from 1 is shown in units of a power of ten.
const usual_size = [1e-3, 1e3], finest = 1e-7; // of single precision

export class Extent {
  // In units of the scene, as all that is asked for:
  radius = 0.02; // of points
  reach = 1; // of what is seen from the middle of the frame: less than half its diagonal
  unit = 1; // of the scene, in those of the model
  private readonly box = new three.Box3(); // the frame
  private readonly known = new three.Box3(); // of what there is
  private measured = 0; // rows
  private generation = 0; // of the store
  private readonly surfaces: Numbers[];

  constructor(private readonly stage: StageHead, private readonly store: Store, arrays: Map<string, Numbers>) {
    this.surfaces = stage.surfaces.map((_, k) => arrays.get(`surface ${k}`)!);
    for (const vertices of this.surfaces) for (let i = 0; i < vertices.length; i += 3) this.take(vertices, i);
    this.measure();
    this.fit();
  }
  // Half the diagonal of the frame
  get half(): number {
    return this.size.length() / 2 || 1;
  }
  get size(): three.Vector3 {
    return this.box.getSize(new three.Vector3()).divideScalar(this.unit);
  }
  get centre(): three.Vector3 {
    return this.box.getCenter(new three.Vector3()).divideScalar(this.unit);
  }
  get lowest(): number {
    return this.box.min.z / this.unit;
  }
  // Places in units of the scene; where one is not finite in all directions, it is nowhere.
  place(from: ArrayLike<number>, first = 0, count = from.length, to: Float32Array = new Float32Array(count), at = 0): Float32Array {
    for (let i = 0; i < count; i += 3) {
      const x = from[first + i], y = from[first + i + 1], z = from[first + i + 2], known = Number.isFinite(x + y + z);
      to[at + i] = known ? x / this.unit : NaN;
      to[at + i + 1] = known ? y / this.unit : NaN;
      to[at + i + 2] = known ? z / this.unit : NaN;
    }
    return to;
  }

  // There are more rows, or others. Whether the frame has changed: it gets some room, so that it does not change all the time.
  grow(): boolean {
    if (this.generation !== this.store.generation) this.measured = 0;
    this.generation = this.store.generation;
    this.measure();
    if (this.box.containsBox(this.known)) return false;
    this.box.union(this.known);
    this.box.expandByVector(this.box.getSize(new three.Vector3()).multiplyScalar(room));
    this.settle();
    return true;
  }
  // All that there is, and nothing more
  fit(): void {
    this.box.copy(this.known);
    this.settle();
  }

  private take(numbers: ArrayLike<number>, first: number): void {
    spot.set(numbers[first], numbers[first + 1], numbers[first + 2]);
    if (Number.isFinite(spot.x + spot.y + spot.z)) this.known.expandByPoint(spot);
  }
  // Rows that are new
  private measure(): void {
    const { rows, points, point_numbers, bodies } = this.store, n = this.stage.bodies.length;
    for (let i = this.measured * point_numbers; i < rows * point_numbers; i += 3) this.take(points, i);
    for (let i = this.measured * n; i < rows * n; ++i) {
      const reach = Math.hypot(...this.stage.bodies[i % n].size) / 2, x = bodies[7 * i], y = bodies[7 * i + 1], z = bodies[7 * i + 2];
      if (!Number.isFinite(x + y + z)) continue;
      this.known.expandByPoint(spot.set(x - reach, y - reach, z - reach));
      this.known.expandByPoint(spot.set(x + reach, y + reach, z + reach));
    }
    this.measured = rows;
  }
  private settle(): void {
    if (this.box.isEmpty()) this.box.set(new three.Vector3(-1, -1, -1), new three.Vector3(1, 1, 1));
    this.unit = this.choose_unit();
    this.reach = this.measure_reach();
    const size = this.size.length() || 1;
    this.radius = this.stage.size !== undefined ? this.stage.size / this.unit : size * Math.max(0.0025, 0.022 / Math.max(1, Math.sqrt(this.stage.points / 6)));
  }
  private choose_unit(): number {
    const { min, max } = this.box, far = Math.max(...min.toArray().map(Math.abs), ...max.toArray().map(Math.abs));
    const size = Math.max(min.distanceTo(max) / 2, finest * far, this.stage.size ?? 0);
    return size === 0 || (size >= usual_size[0] && size <= usual_size[1]) ? 1 : 10 ** Math.round(Math.log10(size));
  }
  private measure_reach(): number {
    const middle = this.box.getCenter(new three.Vector3());
    let reach = 0;
    const take = (numbers: ArrayLike<number>, end: number): void => {
      for (let i = 0; i < end; i += 3) {
        const far = Math.hypot(numbers[i] - middle.x, numbers[i + 1] - middle.y, numbers[i + 2] - middle.z);
        if (Number.isFinite(far) && far > reach) reach = far;
      }
    };
    take(this.store.points, this.store.rows * this.store.point_numbers);
    for (const vertices of this.surfaces) take(vertices, vertices.length);
    return this.stage.bodies.length > 0 || reach === 0 ? this.half : reach / this.unit;
  }
}
