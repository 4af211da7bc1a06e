// What a page holds: a description (JSON), and arrays of numbers, packed as src/view/page_data.hpp says.

export interface Group {
  name: string;
  first: number;
  count: number;
  fixed: boolean;
  colour?: string;
}

export interface StageHead {
  dimension: number;
  points: number;
  groups: Group[];
  names: string[];
  bodies: { name: string; size: [number, number, number]; colour?: string }[];
  surfaces: string[];
  size?: number;
  trails?: boolean;
}

export interface Series {
  kind: string;
  name: string;
  unit?: string;
}

export interface Claim {
  property: string;
  claimed: boolean;
  verdict: string;
  measured: number | null;
  bound: number | null;
  at_least: boolean;
  remark: string;
}

export interface Curve {
  name: string;
  x: number[];
  y: (number | null)[];
}

export interface Diagram {
  title: string;
  x: string;
  y: string;
  log_x: boolean;
  log_y: boolean;
  curves: Curve[];
}

export interface Table {
  title: string;
  columns: string[];
  rows: string[][];
}

export interface Head {
  kind: 'run' | 'report';
  title: string;
  subtitle?: string;
  file?: string;
  version: string;
  about: [string, string][];
  parameters: Record<string, string>;
  model_text: string;
  notes: string[];
  arrays: { name: string; type: 'f64' | 'f32' | 'u32' | 'u16'; count: number; stride: number; differences: number; bytes: number; least?: number; largest?: number }[];
  // of a run
  stage: StageHead;
  series: Series[];
  rows: number;
  plot: string[];
  live?: { expected: number }; // of a run that goes on: about how many rows there will be
  events?: { rows: number; names: string[]; columns: string[] };
  // of a report
  tables?: Table[];
  diagrams?: Diagram[];
}

export type Numbers = Float64Array | Float32Array | Uint32Array;

function bytes_of(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Bytes of equal significance stand together: back to words.
function gather(planes: Uint8Array, count: number, size: number): ArrayBuffer {
  const bytes = new Uint8Array(count * size);
  for (let b = 0; b < size; ++b)
    for (let i = 0, from = b * count; i < count; ++i) bytes[i * size + b] = planes[from + i];
  return bytes.buffer;
}

function add_up(words: Uint16Array | Uint32Array, { stride, differences }: Head['arrays'][number]): void {
  for (let k = 0; stride > 0 && k < differences; ++k) for (let i = stride; i < words.length; ++i) words[i] += words[i - stride];
}

function unpack(planes: Uint8Array, array: Head['arrays'][number]): Numbers {
  const { type, count } = array;
  if (type === 'f64') return new Float64Array(gather(planes, count, 8));
  if (type === 'u16') {
    const words = new Uint16Array(gather(planes, count, 2));
    add_up(words, array);
    const least = array.least!, unit = (array.largest! - least) / 65534;
    const numbers = new Float32Array(count);
    for (let i = 0; i < count; ++i) numbers[i] = words[i] === 65535 ? NaN : least + unit * words[i];
    return numbers;
  }
  const words = new Uint32Array(gather(planes, count, 4));
  add_up(words, array);
  return type === 'u32' ? words : new Float32Array(words.buffer);
}

export function read_head(): Head {
  return JSON.parse(document.getElementById('head')!.textContent!) as Head;
}

export async function read_arrays(head: Head): Promise<Map<string, Numbers>> {
  const element = document.getElementById('data')!, all = bytes_of(element.textContent!);
  element.remove();
  const arrays = new Map<string, Numbers>();
  let offset = 0;
  for (const array of head.arrays) {
    arrays.set(array.name, unpack(await inflate(all.slice(offset, offset + array.bytes)), array));
    offset += array.bytes;
  }
  return arrays;
}
