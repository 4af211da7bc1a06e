// Where points were in the rows before, fading away.

import * as three from 'three';
import type { StageHead } from './data';
import type { Extent } from './extent';
import type { Store } from './store';

const most_trails = 24;
export const trail_lengths: [string, number][] = [['no trails', 0], ['short trails', 120], ['long trails', 1200], ['whole trails', Infinity]];

const fading = {
  vertexShader: `
    attribute float row;
    uniform float now, length;
    varying float age;
    void main() {
      age = (now - row) / length;
      gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      gl_PointSize = 3.0;
    }`,
  fragmentShader: `
    uniform vec3 tint;
    uniform float least;
    varying float age;
    void main() {
      if (age < 0.0 || age > 1.0) discard;
      gl_FragColor = vec4(tint, 1.0 - (1.0 - least) * age);
      #include <colorspace_fragment>
    }`,
};

// Between rows that are further apart than this, of the size of the motion, lines would go where nothing was: dots instead.
const largest_leap = 0.25, rows_to_judge_by = 200;

export class Trails {
  readonly group = new three.Group();
  choice: number;
  private row = 0;
  private readonly moving: number[] = [];
  private room = 0; // rows in the buffers, of which so many are filled
  private filled = 0;
  private generation = 0;
  private unit = 1; // of the scene
  private leaps = false;

  constructor(stage: StageHead, private readonly store: Store, private readonly extent: Extent, private readonly colour_of: (k: number) => three.Color) {
    for (const g of stage.groups) if (!g.fixed) for (let k = g.first; k < g.first + g.count; ++k) this.moving.push(k);
    const few = this.moving.length <= most_trails;
    const wanted = stage.trails ?? few;
    if (!few) this.moving.length = 0;
    this.choice = wanted && few ? (stage.surfaces.length > 0 || this.moving.length === 1 ? 2 : 1) : 0;
    this.make_lines();
  }
  get possible(): boolean {
    return this.moving.length > 0;
  }

  // All rows, in buffers of the graphics card; with room for more, if there will be more
  private make_lines(): void {
    this.leaps = this.moves_in_leaps();
    this.room = this.store.head.live ? Math.max(1024, 2 * this.store.rows) : this.store.rows;
    this.generation = this.store.generation;
    this.unit = this.extent.unit;
    const row = new three.BufferAttribute(Float32Array.from({ length: this.room }, (_, i) => i), 1);
    for (const k of this.moving) {
      const geometry = new three.BufferGeometry();
      geometry.setAttribute('position', new three.BufferAttribute(new Float32Array(3 * this.room), 3));
      geometry.setAttribute('row', row);
      geometry.boundingSphere = new three.Sphere(); // three.js would measure it by all points, also by those that are nowhere
      const uniforms = {
        now: { value: 0 }, length: { value: 1 }, least: { value: 0 },
        tint: { value: this.colour_of(k) },
      };
      const material = new three.ShaderMaterial({ ...fading, uniforms, transparent: true, depthWrite: false });
      const line = this.leaps ? new three.Points(geometry, material) : new three.Line(geometry, material);
      line.frustumCulled = false;
      line.renderOrder = 3; // after surfaces, which are seen through
      this.group.add(line);
    }
    this.filled = 0;
    this.fill();
  }
  // By the last rows, of the point that leaps furthest
  private moves_in_leaps(): boolean {
    const { rows, points, point_numbers } = this.store, first = Math.max(0, rows - rows_to_judge_by);
    const distance = (i: number, j: number): number => Math.hypot(points[i] - points[j], points[i + 1] - points[j + 1], points[i + 2] - points[j + 2]);
    return rows > 2 && this.moving.some((k) => {
      let leaps = 0, size = 0;
      for (let row = first + 1; row < rows; ++row) {
        const here = row * point_numbers + 3 * k;
        const leap = distance(here, here - point_numbers), far = distance(here, first * point_numbers + 3 * k);
        if (!Number.isFinite(leap + far)) continue;
        leaps += leap;
        size = Math.max(size, far);
      }
      return leaps / (rows - 1 - first) > largest_leap * size;
    });
  }
  private fill(): void {
    const { rows, points, point_numbers } = this.store;
    (this.group.children as (three.Line | three.Points)[]).forEach((line, n) => {
      const attribute = line.geometry.getAttribute('position') as three.BufferAttribute, first = 3 * this.moving[n];
      for (let i = this.filled; i < rows; ++i) this.extent.place(points, i * point_numbers + first, 3, attribute.array as Float32Array, 3 * i);
      attribute.addUpdateRange(3 * this.filled, 3 * (rows - this.filled));
      attribute.needsUpdate = true;
    });
    this.filled = rows;
  }
  // There are more rows, or others, or another unit.
  grow(): void {
    const same = this.store.generation === this.generation && this.extent.unit === this.unit;
    if (this.store.rows <= this.room && same && this.moves_in_leaps() === this.leaps) return this.fill();
    this.each((line) => {
      line.geometry.dispose();
      (line.material as three.Material).dispose();
    });
    this.group.clear();
    this.make_lines();
  }
  private each(call: (line: three.Line | three.Points, uniforms: Record<string, three.IUniform>) => void): void {
    for (const line of this.group.children as (three.Line | three.Points)[]) call(line, (line.material as three.ShaderMaterial).uniforms);
  }

  show(row: number): void {
    this.row = row;
    const { rows } = this.store;
    const length = Math.min(trail_lengths[this.choice][1], Math.max(1, rows));
    const first = Math.max(0, row - length);
    this.group.visible = length > 0;
    this.each((line, uniforms) => {
      line.geometry.setDrawRange(first, row - first + 1);
      uniforms.now.value = row;
      uniforms.length.value = Math.max(1, length);
      uniforms.least.value = this.choice === 3 ? 0.35 : 0;
    });
  }
  choose(choice: number): void {
    this.choice = choice;
    this.show(this.row);
  }
}
