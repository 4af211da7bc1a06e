// What the program sends to a live page: messages in one answer that lasts as long as the run (src/view/live_store.hpp).

import type { Frames } from './live_store';

export interface End {
  status: 'done' | 'failed' | 'interrupted';
  message: string;
}
export type Message = { frames: Frames } | { end: End };

const head_bytes = 8, frames_kind = 1;

// Bytes as they come, and as many of them as are wanted
class Pieces {
  private pieces: Uint8Array[] = [];
  length = 0;

  add(piece: Uint8Array): void {
    this.pieces.push(piece);
    this.length += piece.length;
  }
  take(length: number): ArrayBuffer {
    const taken = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const first = this.pieces[0], part = first.subarray(0, length - filled);
      taken.set(part, filled);
      filled += part.length;
      if (part.length === first.length) this.pieces.shift();
      else this.pieces[0] = first.subarray(part.length);
    }
    this.length -= length;
    return taken.buffer;
  }
}

function message_of(kind: number, payload: ArrayBuffer): Message {
  if (kind !== frames_kind) return { end: JSON.parse(new TextDecoder().decode(payload)) as End };
  const [stride, count] = new Float64Array(payload, 0, 2);
  return { frames: { stride, count, bytes: payload.slice(16) } };
}

// Ends after the message of the end; throws if the connection breaks before it.
export async function* messages(address: string): AsyncGenerator<Message> {
  const response = await fetch(address, { cache: 'no-store' });
  if (!response.ok || !response.body) throw new Error(`the program answered ${response.status}`);
  const reader = response.body.getReader(), pieces = new Pieces();
  for (let next: { kind: number; bytes: number } | null = null;;) {
    while (pieces.length >= (next ? next.bytes : head_bytes)) {
      if (!next) {
        const [kind, bytes] = new Uint32Array(pieces.take(head_bytes));
        next = { kind, bytes };
        continue;
      }
      const message = message_of(next.kind, pieces.take(next.bytes));
      next = null;
      yield message;
      if ('end' in message) return;
    }
    const { done, value } = await reader.read();
    if (done) throw new Error('the program sends nothing more');
    pieces.add(value);
  }
}
