// Play, pause, scrub, speed; and the same by keys.

import { button, drawing, make, select, shorten } from './dom';
import type { Player } from './player';
import type { Scene } from './scene';
import type { Store } from './store';
import { toggle_theme } from './theme';
import { trail_lengths } from './trails';

const play_sign = 'M2 1 11 6 2 11Z', pause_sign = 'M2 1H5V11H2ZM7 1H10V11H7Z';
const speeds = [0.1, 0.25, 0.5, 1, 2, 4, 8];

export class Transport {
  readonly element: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly sign = drawing(play_sign);
  private readonly slider = make('input', { type: 'range', min: '0', step: '1', title: 'The row that is shown', ariaLabel: 'The row that is shown' });
  private readonly time = make('span', { className: 'time' });
  private readonly speed: HTMLSelectElement;
  private trails: HTMLSelectElement | null = null;
  private readonly follow: HTMLButtonElement;

  constructor(private readonly store: Store, private readonly player: Player, private readonly scene: Scene | null) {
    this.play = button('', 'Play or pause (Space)', () => player.toggle());
    this.play.className = 'play';
    this.play.append(this.sign.element);
    this.follow = button('Follow', 'Show the last row as rows come (f)', () => player.follow());
    this.follow.className = 'follow';
    this.slider.oninput = () => {
      player.pause();
      player.seek(Number(this.slider.value));
    };
    this.speed = select(speeds.map((s) => `\u00d7${s}`), speeds.indexOf(1), 'Speed (+ and \u2212)', (k) => (player.speed = speeds[k]));
    const options = make('span', { className: 'options' }, [make('label', {}, ['speed ', this.speed])]);
    if (scene?.trails.possible) {
      this.trails = select(trail_lengths.map(([name]) => name), scene.trails.choice, 'Trails (t)', (k) => this.choose_trails(k));
      options.append(this.trails);
    }
    if (scene) options.append(button('Reset the view', 'The view as at first (r)', () => scene.reset()));
    this.element = make('div', { className: 'transport' }, [this.play, this.slider, this.time, this.follow, options]);
    player.listen(() => this.show());
    addEventListener('keydown', (event) => this.key(event));
    this.show();
  }

  private choose_trails(k: number): void {
    this.scene!.trails.choose(k);
    this.scene!.render();
    this.trails!.selectedIndex = k;
  }
  private show(): void {
    this.slider.max = String(this.player.last_row);
    this.slider.value = String(this.player.row);
    this.slider.disabled = this.play.disabled = this.store.rows < 2;
    this.follow.hidden = !this.player.live;
    this.follow.ariaPressed = String(this.player.following);
    this.sign.draw(this.player.playing ? pause_sign : play_sign);
    this.time.textContent = this.store.rows > 0 ? `t = ${shorten(this.store.series[0][this.player.row])}` : 'no rows';
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.altKey || event.metaKey || /^(SELECT|SUMMARY)$/.test(target.tagName)) return;
    if (target.tagName === 'INPUT' && event.key.startsWith('Arrow')) return; // the slider moves itself
    if (target.tagName === 'BUTTON' && event.key === ' ') return; // and a button is pressed
    const { player } = this, far = event.shiftKey ? 10 : 1;
    const faster = (by: number): void => {
      this.speed.selectedIndex = Math.max(0, Math.min(speeds.length - 1, this.speed.selectedIndex + by));
      player.speed = speeds[this.speed.selectedIndex];
    };
    const move = (row: number): void => {
      player.pause();
      player.seek(row);
    };
    const actions: Record<string, () => void> = {
      ' ': () => player.toggle(),
      ArrowLeft: () => move(player.row - far),
      ArrowRight: () => move(player.row + far),
      Home: () => move(0),
      End: () => player.follow(),
      f: () => player.follow(),
      '+': () => faster(1),
      '=': () => faster(1),
      '-': () => faster(-1),
      t: () => this.trails && this.choose_trails((this.trails.selectedIndex + 1) % trail_lengths.length),
      r: () => this.scene?.reset(),
      d: toggle_theme,
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
