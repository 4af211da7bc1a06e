// A page of Holonom: of a run, or a report.

import { type Head, type Numbers, read_arrays, read_head } from './data';
import { make } from './dom';
import { footer, header, keys, notes, provenance } from './frame';
import { Live } from './live';
import { LiveStore } from './live_store';
import { Player } from './player';
import { Plots } from './plots';
import { DiagramCard, table_card } from './report';
import { Scene } from './scene';
import { Section } from './section';
import { Store } from './store';
import { start_theme } from './theme';
import { Transport } from './transport';

// For tests: what is shown, and what can be done
interface Hook {
  ready: boolean;
  store?: Store;
  player?: Player;
  plots?: Plots;
  scene?: Scene | null;
  section?: Section;
  diagrams?: DiagramCard[];
  live?: Live;
}
const hook: Hook = ((window as unknown as { holonom: Hook }).holonom = { ready: false });

function legend(head: Head, scene: Scene): HTMLElement {
  const entries = head.stage.groups.map((group, k) => {
    const mark = make('i');
    mark.style.background = `#${scene.group_colour(k).getHexString()}`;
    return make('span', {}, [mark, group.name]);
  });
  return make('div', { className: 'legend' }, entries.length > 1 && entries.length <= 12 ? entries : []);
}

// Nothing, if there is no WebGL: the plots do without.
function make_scene(place: HTMLElement, head: Head, store: Store, arrays: Map<string, Numbers>): Scene | null {
  try {
    const scene = new Scene(place, head, store, arrays);
    place.append(legend(head, scene));
    return scene;
  } catch {
    place.replaceChildren(make('div', { className: 'message' }, ['This browser has no WebGL: the motion cannot be drawn. All plots work.']));
    return null;
  }
}

interface Shown {
  player: Player;
  scene: Scene | null;
  plots: Plots;
}

function show_run(page: HTMLElement, head: Head, store: Store, arrays: Map<string, Numbers>, badge?: HTMLElement): Shown {
  const player = new Player(store);
  const main = make('main'), place = make('div', { className: 'scene' }), stage = make('section', { className: 'card stage' }, [place]);
  page.replaceChildren(header(head, badge), ...notes(head.notes), main);
  main.append(stage);
  const has_stage = head.stage.dimension > 0 && store.rows > 0;
  const scene = has_stage ? make_scene(place, head, store, arrays) : null;
  if (!has_stage) {
    place.remove();
    main.classList.add('plots-alone');
  }
  stage.append(new Transport(store, player, scene).element);
  const plots = new Plots(store, player);
  main.append(plots.element);
  if (head.events) {
    hook.section = new Section(head, arrays.get('events') as Float64Array);
    plots.element.prepend(hook.section.element);
  }
  main.append(make('div', { className: 'below' }, [...(head.tables ?? []).map(table_card), ...provenance(head), keys(head)]));
  page.append(footer(head));
  player.listen(() => scene?.show(player.row));
  if (store.rows > 0) player.seek(0);
  Object.assign(hook, { store, player, plots, scene, ready: true });
  return { player, scene, plots };
}

// Plots are drawn anew as often as leaves most of the time to the motion.
const least_wait = 150, share_of_plots = 0.2;

async function show_live(page: HTMLElement, head: Head, arrays: Map<string, Numbers>): Promise<void> {
  const store = new LiveStore(head, arrays), live = (hook.live = new Live(store));
  page.append(header(head, live.badge), make('div', { className: 'message' }, ['Waiting for the first state of the run\u2026']));
  await live.listen(() => {
    const { player, scene, plots } = show_run(page, head, store, arrays, live.badge);
    let shown = { number: store.numbers[0], generation: store.generation }, draw_after = 0;
    player.listen(() => (shown = { number: store.numbers[player.row], generation: store.generation }));
    const draw_plots = (): void => {
      const begin = performance.now();
      plots.grow();
      draw_after = performance.now() + Math.max(least_wait, (performance.now() - begin) / share_of_plots);
    };
    player.live = true;
    player.follow();
    return {
      grown: () => {
        scene?.grow();
        if (performance.now() > draw_after) draw_plots();
        player.grown(shown.generation === store.generation ? player.row : store.row_of(shown.number));
      },
      ended: (note) => {
        draw_plots();
        scene?.fit();
        player.end();
        if (note) page.querySelector('main')!.before(...notes([note]));
      },
    };
  });
}

function show_report(page: HTMLElement, head: Head): void {
  hook.diagrams = (head.diagrams ?? []).map((diagram) => new DiagramCard(diagram));
  const main = make('main', { className: 'report' }, [
    ...(head.tables ?? []).map((table) => make('div', { className: 'below' }, [table_card(table)])),
    ...hook.diagrams.map((card) => card.element),
    make('div', { className: 'below' }, provenance(head)),
  ]);
  page.append(header(head), ...notes(head.notes), main, footer(head));
}

async function start(): Promise<void> {
  start_theme();
  const page = document.getElementById('page')!, head = read_head(), arrays = await read_arrays(head);
  if (head.live) await show_live(page, head, arrays);
  else if (head.kind === 'report') show_report(page, head);
  else show_run(page, head, new Store(head, arrays), arrays);
  hook.ready = true;
}
void start();
