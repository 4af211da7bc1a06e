// How large the motion is: the frame about it, and the sizes of things that follow from it.

import * as three from 'three';
import type { Numbers, StageHead } from './data';
import type { Store } from './store';

const spot = new three.Vector3();
const room = 0.1; // of the size of the frame, about what has left it

export class Extent {
  readonly box = new three.Box3(); // the frame
  radius = 0.02; // of points
  reach = 1; // of what is seen from the middle of the frame: less than half its diagonal
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
    return this.box.getSize(new three.Vector3());
  }
  get centre(): three.Vector3 {
    return this.box.getCenter(new three.Vector3());
  }

  // There are more rows, or others. Whether the frame has changed: it gets some room, so that it does not change all the time.
  grow(): boolean {
    if (this.generation !== this.store.generation) this.measured = 0;
    this.generation = this.store.generation;
    this.measure();
    if (this.box.containsBox(this.known)) return false;
    this.box.union(this.known).expandByVector(this.size.multiplyScalar(room));
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
    this.reach = this.measure_reach();
    if (this.box.isEmpty()) this.box.set(new three.Vector3(-1, -1, -1), new three.Vector3(1, 1, 1));
    const size = this.size.length() || 1;
    this.radius = this.stage.size ?? size * Math.max(0.0025, 0.022 / Math.max(1, Math.sqrt(this.stage.points / 6)));
  }
  private measure_reach(): number {
    const middle = this.centre;
    let reach = 0;
    const take = (numbers: ArrayLike<number>, end: number): void => {
      for (let i = 0; i < end; i += 3) {
        const far = Math.hypot(numbers[i] - middle.x, numbers[i + 1] - middle.y, numbers[i + 2] - middle.z);
        if (far > reach) reach = far;
      }
    };
    take(this.store.points, this.store.rows * this.store.point_numbers);
    for (const vertices of this.surfaces) take(vertices, vertices.length);
    return this.stage.bodies.length > 0 || reach === 0 ? this.half : reach;
  }
}
