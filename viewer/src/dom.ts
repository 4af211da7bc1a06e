// Elements, with text as text: nothing in a page is ever read as HTML.

type Properties<K extends keyof HTMLElementTagNameMap> = Partial<Omit<HTMLElementTagNameMap[K], 'style' | 'children'>>;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K, properties: Properties<K> = {}, children: (Node | string)[] = []): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  Object.assign(element, properties);
  element.append(...children);
  return element;
}

export function button(text: string, title: string, action: () => void): HTMLButtonElement {
  return make('button', { type: 'button', title, onclick: action, ariaLabel: title }, [text]);
}

// A drawing of 12 by 12, in the colour of the text: fonts lack many signs.
export function drawing(path: string): { element: SVGElement; draw(path: string): void } {
  const create = (tag: string): SVGElement => document.createElementNS('http://www.w3.org/2000/svg', tag) as SVGElement;
  const element = create('svg'), shape = create('path');
  element.setAttribute('viewBox', '0 0 12 12');
  element.setAttribute('aria-hidden', 'true');
  element.append(shape);
  const draw = (to: string): void => shape.setAttribute('d', to);
  draw(path);
  return { element, draw };
}

export function select(options: string[], chosen: number, title: string, action: (k: number) => void): HTMLSelectElement {
  const element = make('select', { title, ariaLabel: title }, options.map((text, k) => make('option', { value: String(k) }, [text])));
  element.selectedIndex = chosen;
  element.onchange = () => action(element.selectedIndex);
  return element;
}

// Minus signs that are as wide as plus signs, and exponents without a plus
export function minus_signs(text: string): string {
  return text.replace('e+', 'e').replaceAll('-', '\u2212');
}
// Few digits, as people read numbers
export function shorten(x: number | null, digits = 6): string {
  if (x === null || Number.isNaN(x)) return 'no number';
  if (!Number.isFinite(x)) return x > 0 ? 'infinite' : '\u2212infinite';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const text = size >= 1e-4 && size < 1e7 ? String(Number(x.toPrecision(digits))) : x.toExponential(3);
  return minus_signs(text.replace(/\.?0*e/, 'e'));
}
