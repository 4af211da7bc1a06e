// What every page has: its head, notes, where it comes from.

import type { Head } from './data';
import { button, make } from './dom';
import { toggle_theme } from './theme';

export function header(head: Head, badge?: HTMLElement): HTMLElement {
  const about = head.subtitle ?? head.about.filter(([what]) => ['method', 'formulation', 'step', 'precision'].includes(what))
    .map(([what, value]) => (what === 'step' ? `h = ${value}` : value)).join(' \u00b7 ');
  return make('header', {}, [
    make('h1', {}, [head.title]),
    ...(badge ? [badge] : []),
    make('span', { className: 'about' }, [about]),
    make('span', { className: 'tools' }, [button('\u25d0', 'Light or dark', toggle_theme)]),
  ]);
}

export function notes(list: string[]): HTMLElement[] {
  return list.length === 0 ? [] : [make('div', { className: 'notes', role: 'status' }, list.map((note) => make('p', {}, [note])))];
}

function rows(list: [string, string][]): HTMLElement {
  return make('table', {}, list.map(([what, value]) => make('tr', {}, [make('th', {}, [what]), make('td', {}, [value])])));
}

export function provenance(head: Head): HTMLElement[] {
  const list = (title: string, content: HTMLElement, open = false): HTMLElement =>
    make('details', { className: 'card', open }, [make('summary', {}, [title]), content]);
  const parts = [list('How it was made', rows(head.about))];
  const parameters = Object.entries(head.parameters);
  if (parameters.length > 0) parts.push(list('Parameters', rows(parameters)));
  if (head.model_text) parts.push(list('The model', make('pre', {}, [head.model_text])));
  return parts;
}

export function keys(head: Head): HTMLElement {
  const list: [string, string][] = [
    ['Space', 'play, pause'], ['\u2190 \u2192', 'one row back, forth (with Shift: ten)'], ['Home End', 'the first row, the last one'],
    ['+ \u2212', 'faster, slower'], ['t', 'trails'], ['r', 'the view as at first'], ['d', 'light or dark']];
  if (head.live) list.splice(3, 0, ['f', 'follow the run']);
  return make('details', { className: 'card' }, [make('summary', {}, ['Keys']),
    make('table', {}, list.map(([key, what]) => make('tr', {}, [
      make('th', {}, key.split(' ').flatMap((k) => [make('kbd', {}, [k]), ' '])), make('td', {}, [what])])))]);
}

export function footer(head: Head): HTMLElement {
  return make('footer', {}, [`${head.file ? `${head.file}, ` : ''}shown by holonom ${head.version}`]);
}
