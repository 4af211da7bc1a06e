// Light and dark: as the system has it, or as chosen on the page.

export const palette = ['#3b7dd8', '#d9593d', '#3a9d5d', '#9a5fc4', '#c98a1b', '#1c9aa8', '#c94f8c', '#7d8590'];

// Of the k-th curve of many: when there are no more colours, they come again with dashes.
const dashes = [[], [6, 4], [2, 3]];
export function dash(k: number): number[] {
  return dashes[Math.floor(k / palette.length) % dashes.length];
}
// The same as a mark in a legend
export function mark_of(k: number): HTMLElement {
  const mark = document.createElement('i'), tint = palette[k % palette.length], [on, off] = dash(k);
  mark.style.background = on ? `repeating-linear-gradient(90deg, ${tint} 0 ${on}px, transparent ${on}px ${on + off}px)` : tint;
  if (on) mark.style.width = '26px';
  return mark;
}

type Call = () => void;
const calls: Call[] = [];
const system = matchMedia('(prefers-color-scheme: dark)');
let chosen: boolean | null = null;

export function is_dark(): boolean {
  return chosen ?? system.matches;
}
function apply(): void {
  document.documentElement.dataset.theme = is_dark() ? 'dark' : 'light';
  for (const call of calls) call();
}
export function on_theme(call: Call): void {
  calls.push(call);
}
export function toggle_theme(): void {
  chosen = !is_dark();
  apply();
}
export function start_theme(): void {
  system.addEventListener('change', apply);
  apply();
}
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
