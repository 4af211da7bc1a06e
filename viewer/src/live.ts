// A page of a run that goes on: takes frames as they come, and says how the run is.

import { make } from './dom';
import { LiveStore } from './live_store';
import { type End, messages } from './live_stream';

// What a page does with it
export interface LivePage {
  grown(): void; // there are more rows, or others
  ended(note: string | null): void;
}

const most_tries = 3, between_tries = 300; // milliseconds
const words: Record<End['status'], string> = { done: 'ended', failed: 'failed', interrupted: 'interrupted' };

export class Live {
  readonly badge = make('span', { className: 'badge', role: 'status' }, ['connecting']);
  state: 'waiting' | 'live' | End['status'] | 'lost' = 'waiting';
  private page: LivePage | null = null;
  private scheduled = false;

  constructor(private readonly store: LiveStore) {}

  // Until the run ends. `show` makes the page when the first rows are there. A connection that breaks, as that of a computer
  // that slept, is made anew, and begins with the first row.
  async listen(show: () => LivePage): Promise<void> {
    for (let tries = 0; tries < most_tries; ++tries) {
      try {
        let is_first = true;
        for await (const message of messages('rows')) {
          if (is_first) this.store.clear();
          is_first = false;
          tries = 0;
          if ('end' in message) return this.end(message.end, show);
          this.take(message.frames, show);
        }
      } catch {
        await new Promise((resolve) => setTimeout(resolve, between_tries));
      }
    }
    this.finish('lost', 'connection lost', 'The program does not answer any more: it was stopped. What it had sent until then is here.', show);
  }

  private take(frames: Parameters<LiveStore['append']>[0], show: () => LivePage): void {
    this.store.append(frames);
    if (this.store.rows === 0) return;
    this.state = 'live';
    this.say();
    if (!this.page) this.page = show();
    else this.schedule();
  }
  // Once a picture, and not at all while nobody looks
  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.page!.grown();
    });
  }
  private say(): void {
    const last = this.store.numbers[this.store.rows - 1], expected = this.store.head.live!.expected;
    this.badge.dataset.state = this.state;
    this.badge.textContent = `live \u00b7 ${Math.min(99, Math.floor((100 * (last + 1)) / Math.max(1, expected)))}\u2009%`;
  }
  private end(how: End, show: () => LivePage): void {
    const note = how.status === 'failed' ? `The run failed: ${how.message}` : how.status === 'interrupted' ? `The run was stopped: ${how.message}.` : null;
    this.finish(how.status, words[how.status], note, show);
  }
  private finish(state: Live['state'], word: string, note: string | null, show: () => LivePage): void {
    this.state = state;
    this.badge.dataset.state = state;
    this.badge.textContent = word;
    this.page ??= show();
    this.page.grown();
    this.page.ended(note);
  }
}
