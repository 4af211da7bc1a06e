// The stage in three dimensions: points, links, bodies, surfaces and trails of one row at a time.

import * as three from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { Extent } from './extent';
import type { Head, Numbers, StageHead } from './data';
import type { Store } from './store';
import { colour, on_theme, palette } from './theme';
import { Trails } from './trails';

// Beyond these, points are discs and links are lines: what a small graphics card draws sixty times a second.
const most_balls = 600;

// A disc that looks like a ball
const disc = {
  vertexShader: `
    attribute vec3 tint;
    uniform float radius, pixels;
    varying vec3 shade;
    void main() {
      shade = tint;
      gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      gl_PointSize = max(2.0, pixels * radius * projectionMatrix[1][1] / gl_Position.w);
    }`,
  fragmentShader: `
    varying vec3 shade;
    void main() {
      vec2 at = 2.0 * gl_PointCoord - 1.0;
      float square = dot(at, at);
      if (square > 1.0) discard;
      float light = 0.55 + 0.45 * dot(normalize(vec3(at.x, -at.y, sqrt(1.0 - square))), normalize(vec3(-0.4, 0.6, 0.7)));
      gl_FragColor = vec4(shade * light, 1.0);
      #include <colorspace_fragment>
    }`,
};

export class Scene {
  private readonly renderer: three.WebGLRenderer;
  private readonly scene = new three.Scene();
  private readonly camera: three.PerspectiveCamera | three.OrthographicCamera;
  private readonly controls: OrbitControls;
  private readonly stage: StageHead;
  private readonly flat: boolean;
  private readonly links: Uint32Array;
  private readonly extent: Extent;
  private touched = false; // the view was chosen by hand
  private share: number[] = []; // of the radius, for each ball
  private row = 0;
  private unit = 1; // of what was built
  private balls: three.InstancedMesh | null = null;
  private discs: three.Points | null = null;
  private rods: three.InstancedMesh | null = null;
  private lines: three.LineSegments | null = null;
  private readonly surfaces: three.Mesh[] = [];
  private readonly bodies: three.Group[] = [];
  private grid: three.GridHelper | null = null;
  private squares: [number, number] = [0, 0]; // of the grid: how many, and how large
  readonly trails: Trails;

  // Throws if there is no WebGL.
  constructor(private readonly place: HTMLElement, head: Head, private readonly store: Store, private readonly arrays: Map<string, Numbers>) {
    this.stage = head.stage;
    this.flat = head.stage.dimension === 2;
    this.links = (arrays.get('links') as Uint32Array) ?? new Uint32Array();
    this.renderer = new three.WebGLRenderer({ antialias: true });
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    place.append(this.renderer.domElement);
    this.renderer.domElement.tabIndex = 0;
    this.renderer.domElement.setAttribute('aria-label', 'The motion. Drag to turn, scroll to come closer.');
    this.extent = new Extent(head.stage, store, arrays);
    this.camera = this.flat ? new three.OrthographicCamera() : new three.PerspectiveCamera(38);
    if (!this.flat) this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    if (this.flat) {
      this.controls.enableRotate = false;
      this.controls.mouseButtons.LEFT = three.MOUSE.PAN;
      this.controls.touches.ONE = three.TOUCH.PAN;
    }
    this.controls.addEventListener('change', () => this.render());
    this.controls.addEventListener('start', () => (this.touched = true));
    this.add_lights();
    this.build_solids();
    this.add_points();
    this.add_links();
    this.trails = new Trails(this.stage, store, this.extent, (k) => this.colour_of(k));
    this.scene.add(this.trails.group);
    this.paint();
    on_theme(() => {
      this.paint();
      this.render();
    });
    new ResizeObserver(() => this.resize()).observe(place);
    this.resize();
    this.reset();
  }

  // ---- measures
  // There are more rows, or others.
  grow(): void {
    if (this.extent.grow()) this.reframe();
    else this.trails.grow();
  }
  // All rows are there.
  fit(): void {
    this.extent.fit();
    this.reframe();
  }
  // A view that was chosen by hand stays.
  private reframe(): void {
    if (this.unit !== this.extent.unit) this.build_solids();
    this.trails.grow();
    if (this.discs) (this.discs.material as three.ShaderMaterial).uniforms.radius.value = this.extent.radius;
    this.paint();
    if (this.touched) this.resize();
    else this.reset();
    this.show(this.row);
  }

  private group_of(k: number): number {
    return this.stage.groups.findIndex((g) => k >= g.first && k < g.first + g.count);
  }
  private colour_of(k: number): three.Color {
    return this.group_colour(this.group_of(k));
  }
  group_colour(index: number): three.Color {
    const group = this.stage.groups[index];
    if (group.fixed && !group.colour) return new three.Color(palette[7]);
    const moving = this.stage.groups.slice(0, index).filter((g) => !g.fixed).length;
    return new three.Color(group.colour ?? palette[moving % 7]);
  }

  // ---- what there is
  private add_lights(): void {
    this.scene.add(new three.HemisphereLight(0xffffff, 0x6f757e, 1.7));
    const sun = new three.DirectionalLight(0xffffff, 2.1);
    sun.position.set(-0.4, -2, 3.2);
    if (this.flat) sun.position.set(-1, 2, 3);
    this.scene.add(sun);
  }

  // Surfaces and bodies, whose shapes are in units of the scene
  private build_solids(): void {
    for (const mesh of [...this.surfaces, ...this.bodies.flatMap((body) => body.children as three.Mesh[])]) {
      mesh.geometry.dispose();
      (mesh.material as three.Material).dispose();
    }
    this.scene.remove(...this.surfaces, ...this.bodies);
    this.surfaces.length = this.bodies.length = 0;
    this.unit = this.extent.unit;
    this.add_surfaces();
    this.add_bodies();
  }

  private add_surfaces(): void {
    const { arrays } = this;
    this.stage.surfaces.forEach((_, k) => {
      const geometry = new three.BufferGeometry();
      geometry.setAttribute('position', new three.BufferAttribute(this.extent.place(arrays.get(`surface ${k}`)!), 3));
      geometry.setIndex(new three.BufferAttribute(arrays.get(`triangles ${k}`) as Uint32Array, 1));
      geometry.computeVertexNormals();
      // The far side first, then the near one: so both are seen through.
      for (const side of [three.BackSide, three.FrontSide]) {
        const material = new three.MeshStandardMaterial({
          color: 0x7f9cc0, transparent: true, opacity: side === three.BackSide ? 0.22 : 0.3, side, roughness: 0.6, depthWrite: false });
        const mesh = new three.Mesh(geometry, material);
        mesh.renderOrder = side === three.BackSide ? -2 : 2;
        this.surfaces.push(mesh);
        this.scene.add(mesh);
      }
    });
  }

  private add_points(): void {
    const n = this.stage.points;
    if (n === 0) return;
    if (n <= most_balls) {
      const material = new three.MeshStandardMaterial({ roughness: 0.45 });
      this.balls = new three.InstancedMesh(new three.SphereGeometry(1, 28, 18), material, n);
      for (let k = 0; k < n; ++k) this.balls.setColorAt(k, this.colour_of(k));
      this.share = Array.from({ length: n }, (_, k) => (this.stage.groups[this.group_of(k)].fixed ? 0.65 : 1));
      this.balls.frustumCulled = false;
      this.scene.add(this.balls);
      return;
    }
    const geometry = new three.BufferGeometry();
    geometry.setAttribute('position', new three.BufferAttribute(new Float32Array(3 * n), 3));
    const tint = new Float32Array(3 * n);
    this.stage.groups.forEach((group, index) => {
      const c = this.group_colour(index);
      for (let k = group.first; k < group.first + group.count; ++k) c.toArray(tint, 3 * k);
    });
    geometry.setAttribute('tint', new three.BufferAttribute(tint, 3));
    geometry.boundingSphere = new three.Sphere(); // as of trails
    const material = new three.ShaderMaterial({ ...disc, uniforms: { radius: { value: this.extent.radius }, pixels: { value: 1 } } });
    this.discs = new three.Points(geometry, material);
    this.discs.frustumCulled = false;
    this.scene.add(this.discs);
  }

  private add_links(): void {
    const n = this.links.length / 2;
    if (n === 0) return;
    if (n <= most_balls) {
      const geometry = new three.CylinderGeometry(1, 1, 1, 12, 1, true).rotateX(Math.PI / 2);
      this.rods = new three.InstancedMesh(geometry, new three.MeshStandardMaterial({ roughness: 0.6 }), n);
      this.rods.frustumCulled = false;
      this.scene.add(this.rods);
    } else {
      const geometry = new three.BufferGeometry();
      geometry.setAttribute('position', new three.BufferAttribute(new Float32Array(6 * n), 3));
      geometry.boundingSphere = new three.Sphere();
      this.lines = new three.LineSegments(geometry, new three.LineBasicMaterial());
      this.lines.frustumCulled = false;
      this.scene.add(this.lines);
    }
  }

  private add_bodies(): void {
    this.stage.bodies.forEach((body, k) => {
      const solid = new three.Group();
      const [length, width, height] = body.size.map((edge) => edge / this.unit);
      const geometry = new three.BoxGeometry(length, width, height);
      const tint = new three.Color(body.colour ?? palette[k % 7]);
      solid.add(new three.Mesh(geometry, new three.MeshStandardMaterial({ color: tint, roughness: 0.55 })));
      solid.add(new three.LineSegments(new three.EdgesGeometry(geometry), new three.LineBasicMaterial({ color: tint.clone().multiplyScalar(0.45) })));
      const reach = 0.75 * Math.max(length, width, height);
      const axes = new three.AxesHelper(reach);
      axes.setColors(palette[1], palette[2], palette[0]);
      solid.add(axes);
      this.bodies.push(solid);
      this.scene.add(solid);
    });
  }

  private paint(): void {
    this.scene.background = new three.Color(colour('scene'));
    const rod = new three.Color(colour('faint'));
    if (this.rods) (this.rods.material as three.MeshStandardMaterial).color = rod;
    if (this.lines) (this.lines.material as three.LineBasicMaterial).color = rod;
    this.squares = [0, 0];
    this.lay_grid();
  }

  // Squares of 1, 2 or 5 times a power of ten. A plane is covered as far as it is seen, and as far again.
  private lay_grid(): void {
    const wide = 3 * this.extent.half, power = 10 ** Math.floor(Math.log10(wide / 12)), step = [1, 2, 5, 10].map((k) => k * power).find((s) => wide / s <= 24)!;
    const seen = this.camera instanceof three.OrthographicCamera ? 4 * Math.max(this.camera.right, this.camera.top) : 0;
    const squares = 2 * Math.ceil(Math.max(wide, seen) / step / 2), centre = this.extent.centre;
    if (squares !== this.squares[0] || step !== this.squares[1]) {
      if (this.grid) {
        this.scene.remove(this.grid);
        this.grid.dispose();
      }
      const line = new three.Color(colour('grid'));
      this.grid = new three.GridHelper(squares * step, squares, line, line);
      this.grid.rotateX(Math.PI / 2);
      this.scene.add(this.grid);
      this.squares = [squares, step];
    }
    const snap = (x: number): number => Math.round(x / step) * step;
    this.grid!.position.set(snap(centre.x), snap(centre.y), this.flat ? -4 * this.extent.radius : this.extent.lowest - 0.02 * this.extent.half);
  }

  // ---- what is seen
  reset(): void {
    this.touched = false;
    const centre = this.extent.centre;
    this.controls.target.copy(centre);
    if (this.camera instanceof three.OrthographicCamera) {
      this.camera.zoom = 1;
      this.camera.position.set(centre.x, centre.y, 10 * this.extent.half);
    } else {
      const distance = (1.06 * this.extent.reach) / Math.sin((this.camera.fov * Math.PI) / 360) / Math.min(1, this.camera.aspect);
      this.camera.position.copy(centre).add(new three.Vector3(0.62, -1, 0.52).normalize().multiplyScalar(distance));
      this.camera.near = distance / 100;
      this.camera.far = distance * 20;
    }
    this.resize();
    this.controls.update();
  }

  private resize(): void {
    const width = Math.max(1, this.place.clientWidth), height = Math.max(1, this.place.clientHeight);
    this.renderer.setSize(width, height);
    if (this.camera instanceof three.OrthographicCamera) {
      const size = this.extent.size, room = 1.16;
      const half = Math.max((room * size.y) / 2 + 3 * this.extent.radius, ((room * size.x) / 2 + 3 * this.extent.radius) * (height / width));
      this.camera.top = half;
      this.camera.bottom = -half;
      this.camera.right = (half * width) / height;
      this.camera.left = -this.camera.right;
      this.camera.near = 0;
      this.camera.far = 20 * this.extent.half;
      this.lay_grid();
    } else {
      this.camera.aspect = width / height;
    }
    this.camera.updateProjectionMatrix();
    if (this.discs) (this.discs.material as three.ShaderMaterial).uniforms.pixels.value = height * this.renderer.getPixelRatio();
    this.render();
  }

  show(row: number): void {
    this.row = row;
    const points = this.extent.place(this.store.points_at(row)), matrix = new three.Matrix4();
    if (this.balls) {
      for (let k = 0; k < this.stage.points; ++k) {
        const x = points[3 * k], y = points[3 * k + 1], z = points[3 * k + 2];
        const known = Number.isFinite(x + y + z), r = known ? this.extent.radius * this.share[k] : 0;
        matrix.makeScale(r, r, r);
        if (known) matrix.setPosition(x, y, z);
        this.balls.setMatrixAt(k, matrix);
      }
      this.balls.instanceMatrix.needsUpdate = true;
    }
    if (this.discs) {
      const attribute = this.discs.geometry.getAttribute('position') as three.BufferAttribute;
      (attribute.array as Float32Array).set(points);
      attribute.needsUpdate = true;
    }
    this.show_links(points, matrix);
    this.show_bodies(row);
    this.trails.show(row);
    this.render();
  }

  private show_links(points: Float32Array, matrix: three.Matrix4): void {
    if (this.lines) {
      const attribute = this.lines.geometry.getAttribute('position') as three.BufferAttribute;
      const ends = attribute.array as Float32Array;
      this.links.forEach((k, i) => {
        for (let c = 0; c < 3; ++c) ends[3 * i + c] = points[3 * k + c];
      });
      attribute.needsUpdate = true;
    }
    if (!this.rods) return;
    const a = new three.Vector3(), b = new three.Vector3(), up = new three.Vector3(0, 0, 1), turn = new three.Quaternion();
    for (let i = 0; i < this.links.length / 2; ++i) {
      a.fromArray(points, 3 * this.links[2 * i]);
      b.fromArray(points, 3 * this.links[2 * i + 1]);
      const length = a.distanceTo(b);
      const thick = Number.isFinite(length) && length > 0 ? 0.32 * this.extent.radius : 0;
      if (thick > 0) turn.setFromUnitVectors(up, b.clone().sub(a).divideScalar(length));
      matrix.compose(thick > 0 ? a.add(b).multiplyScalar(0.5) : a.set(0, 0, 0), turn, b.set(thick, thick, thick > 0 ? length : 0));
      this.rods.setMatrixAt(i, matrix);
    }
    this.rods.instanceMatrix.needsUpdate = true;
  }

  private show_bodies(row: number): void {
    const poses = this.store.bodies_at(row);
    this.bodies.forEach((body, k) => {
      body.position.fromArray(poses, 7 * k).divideScalar(this.unit);
      body.quaternion.fromArray(poses, 7 * k + 3);
      body.visible = Number.isFinite(body.position.lengthSq() + body.quaternion.lengthSq());
    });
  }

  render(): void {
    this.renderer.render(this.scene, this.camera);
  }

  // How many colours the picture has, and a sum over it: for tests, in the task in which it was drawn
  fingerprint(): { colours: number; sum: number } {
    this.show(this.row);
    const gl = this.renderer.getContext(), width = gl.drawingBufferWidth, height = gl.drawingBufferHeight;
    const pixels = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    const words = new Uint32Array(pixels.buffer), colours = new Set<number>();
    let sum = 0;
    words.forEach((word, i) => {
      colours.add(word);
      sum = (sum * 31 + word + i) % 4294967291;
    });
    return { colours: colours.size, sum };
  }
}
