// Pages in Chromium: what is drawn, what is plotted, what is said, and that nothing else is asked for.
//   HOLONOM_PROGRAM, HOLONOM_VIEWER (where node_modules is), HOLONOM_CHROMIUM, HOLONOM_SCREENSHOTS (optional, a folder)
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { browser, csv, folder, holonom, look_at, models, picture, pictures, shown, sizes } from './support.mjs';

function make_page(name, model, run, view = []) {
  holonom('run', model, ...run, '--out', `${name}.h5`, '--force');
  holonom('run', model, ...run, '--out', `${name}.csv`, '--force');
  holonom('view', `${name}.h5`, '--force', ...view);
  return join(folder(), `${name}.html`);
}

// A page that must ask for nothing but itself, and make no error
async function open(file, { context = {} } = {}) {
  const address = pathToFileURL(file).href, { page, errors, requests, close } = await look_at(address, context);
  const check = () => {
    assert.deepEqual(errors, []);
    assert.deepEqual(requests, [address]);
  };
  return { page, check, close };
}

// At two sizes, light and dark, for people to look at
async function screenshots(file, name) {
  if (!pictures) return;
  for (const [what, context] of sizes) {
    const { page, close } = await open(file, { context });
    await page.evaluate(() => window.holonom.player?.seek(window.holonom.player.last_row * 0.62));
    await page.screenshot({ path: join(pictures, `${name}-${what}.png`) });
    await close();
  }
}

const cases = [
  ['pendulum', 'pendulum.toml', ['--steps', 200], ['x', 'y']],
  ['torus', 'geodesic-torus.toml', ['--steps', 1500], ['x', 'z']],
  ['body', 'rigid-body-heavy.toml', ['--steps', 400], ['Q11', 'Q33']],
  ['chain', 'hanging-chain.toml', ['--set', 'N=40', '--steps', 1000], ['r[0].x', 'r[39].y']],
];
for (const [name, model, run, columns] of cases)
  test(`the page of a ${name}`, async () => {
    const file = make_page(name, join(models, model), run), table = csv(name);
    const { page, check, close } = await open(file);
    const rows = table('t').length;
    assert.equal(await page.evaluate(() => window.holonom.store.rows), rows);
    // Drawn, and drawn anew
    const first = await picture(page, 0), later = await picture(page, Math.floor(rows * 0.4));
    assert.ok(first.colours > 20, `${first.colours} colours`);
    assert.notEqual(first.sum, later.sum);
    assert.deepEqual(await picture(page, 0), first);
    // What is plotted is in the file.
    const cards = await page.evaluate(() => window.holonom.plots.cards.map((c) => ({ card: c.card, data: c.data().map((x) => [...x]) })));
    const energy = cards.find((c) => c.card.title === 'Energy error'), H = table('energy');
    assert.deepEqual(energy.data[0], table('t'));
    assert.deepEqual(energy.data[1], H.map((e) => e - H[0]));
    const residuals = cards.find((c) => c.card.title === 'Constraint residuals');
    assert.deepEqual(residuals.data[1], table('position_residual').map((r) => (r > 0 ? r : null)));
    for (const column of columns) {
      const values = await page.evaluate((c) => [...window.holonom.store.column(window.holonom.store.index(c))], column);
      assert.deepEqual(values, table(column), column);
    }
    // The slider, keys, a click into a plot, and playing
    await page.locator('.transport input').fill(String(rows - 1));
    assert.equal(await page.evaluate(() => window.holonom.player.row), rows - 1);
    assert.equal(await page.locator('.transport .time').textContent(), `t = ${shown(table('t')[rows - 1])}`);
    await page.locator('.scene canvas').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.evaluate(() => window.holonom.player.row), 1);
    const over = await page.locator('.plot .u-over').first().boundingBox();
    await page.mouse.click(over.x + over.width / 2, over.y + over.height / 2);
    const clicked = await page.evaluate(() => window.holonom.player.row);
    assert.ok(Math.abs(clicked / rows - 0.5) < 0.05, `row ${clicked} of ${rows}`);
    await page.locator('.scene canvas').focus();
    for (let k = 0; k < 3; ++k) await page.keyboard.press('-');  // so slowly that it does not end by itself
    // Signs are drawn, since fonts lack them: the box of a letter that is missing would be text.
    const sign = () => page.locator('.play').evaluate((b) => ({ text: b.textContent, path: b.querySelector('path').getAttribute('d'), width: b.querySelector('path').getBoundingClientRect().width }));
    const play = await sign();
    await page.keyboard.press(' ');
    await page.waitForFunction((row) => window.holonom.player.row > row, clicked);
    const pause = await sign();
    await page.keyboard.press(' ');
    assert.equal(await page.evaluate(() => window.holonom.player.playing), false);
    assert.deepEqual(await sign(), play);
    assert.notEqual(pause.path, play.path);
    for (const { text, width } of [play, pause]) assert.ok(text === '' && width > 6, `${text} ${width}`);
    check();
    await close();
    await screenshots(file, name);
  });

test('plots without WebGL', async () => {
  const file = make_page('plain', join(models, 'pendulum.toml'), ['--steps', 50]);
  const context = await browser().newContext();
  await context.addInitScript(() => {
    const get = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return kind.startsWith('webgl') ? null : get.call(this, kind, ...rest);
    };
  });
  const page = await context.newPage(), errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => window.holonom?.ready === true);
  assert.match(await page.locator('.scene .message').textContent(), /no WebGL/);
  assert.ok((await page.locator('.plot canvas').count()) >= 3);
  await page.locator('.transport input').fill('20');
  assert.equal(await page.evaluate(() => window.holonom.player.row), 20);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a model that is named like a script is shown as text', async () => {
  const name = '<img src=x onerror=alert(1)></script><script>alert(2)</script>';
  const text = readFileSync(join(models, 'pendulum.toml'), 'utf8').replace('name = "pendulum"', `name = "${name}"`) + `\n[units]\nx = "<b onclick=alert(3)>m</b>"\n`;
  writeFileSync(join(folder(), 'evil.toml'), text);
  const { page, check, close } = await open(make_page('evil', 'evil.toml', ['--steps', 20]));
  assert.equal(await page.locator('h1').textContent(), name);
  assert.equal(await page.title(), name);
  assert.equal(await page.locator('pre').textContent(), text);
  assert.equal(await page.locator('img, b[onclick]').count(), 0);
  check();
  // And if there were one, it would not run.
  await page.evaluate(() => document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.ran = true' })));
  assert.equal(await page.evaluate(() => window.ran), undefined);
  await close();
});

test('a page without rows, and one with numbers that are none, say so', async () => {
  const file = make_page('rows', join(models, 'pendulum.toml'), ['--steps', 40]);
  const html = readFileSync(file, 'utf8');
  // As the program describes them; that it does is tested in tests/cli/view_test.py.
  const empty = html.replace(/"rows": 41/, '"rows": 0').replace(/"notes": \[\]/, '"notes": ["The file has no rows."]')
    .replace(/("name": "(?:series|points|bodies)", "type": "f(?:32|64)", )"count": \d+/g, '$1"count": 0');
  assert.notEqual(empty, html);
  writeFileSync(join(folder(), 'empty.html'), empty);
  const { page, check, close } = await open(join(folder(), 'empty.html'));
  assert.match(await page.locator('.notes').textContent(), /no rows/);
  assert.equal(await page.locator('.transport .time').textContent(), 'no rows');
  assert.equal(await page.locator('.scene').count(), 0);
  check();
  await close();
});

// A run that fails leaves the rows that it has.
function make_page_of_failing(name, text, run = []) {
  writeFileSync(join(folder(), `${name}.toml`), text);
  assert.throws(() => holonom('run', `${name}.toml`, ...run, '--out', `${name}.h5`, '--force'), /evaluation gave NaN or infinity/);
  holonom('view', `${name}.h5`, '--force');
  return join(folder(), `${name}.html`);
}
const sizes_of = (page) => page.evaluate(() => {
  const { half, reach, radius, centre } = window.holonom.scene.extent;
  return [half, reach, radius, ...centre.toArray()];
});
// Single precision holds them also when they are squared.
function check_sizes(sizes) {
  assert.ok(sizes.every((size) => Number.isFinite(size) && Math.abs(size) < 1e8), `${sizes}`);
}
// Drawn, and drawn anew
async function check_motion(page, rows) {
  const pictures = [];
  for (const row of rows) pictures.push(await picture(page, row));
  for (const { colours } of pictures) assert.ok(colours > 20, `${colours} colours`);
  assert.equal(new Set(pictures.map((p) => p.sum)).size, rows.length);
  check_sizes(await sizes_of(page));
}

for (const [name, points] of [['plane', 'a = ["1/(x - 1)", "y"], b = ["x", "y"]'], ['space', 'a = ["x", "log(y)", "1/(x - 1)"], b = ["x", "y", "x*y"]']])
  test(`points in a ${name} that are nowhere are not drawn, and others are`, async () => {
    const text = readFileSync(join(models, 'pendulum.toml'), 'utf8');
    writeFileSync(join(folder(), 'nowhere.toml'), `${text}\n[view]\npoints = { ${points} }\ntrails = true\n`);
    const { page, check, close } = await open(make_page('nowhere', 'nowhere.toml', ['--steps', 60]));
    assert.match(await page.locator('.notes').textContent(), /first one in which a cannot be drawn/);
    await check_motion(page, [0, 20, 40]);
    check();
    await close();
  });

test('points that go to infinity', async () => {
  const escape = (names, potential, q) => `format = 1\n[coordinates]\nnames = ${JSON.stringify(names)}\n[energy]\nmass = [${names.map(() => 1)}]\npotential = "${potential}"\n[initial]\nq = { ${q} }\n[integrate]\nstep = 0.01\nuntil = 60\nmethod = "verlet-a"\n`;
  for (const [names, more] of [[['x', 'y'], ''], [['x', 'y', 'z'], ', z = 0']]) {
    const { page, check, close } = await open(make_page_of_failing('escape', escape(names, '-x^2 - y^4/4', `x = 1, y = 0.1${more}`)));
    assert.match(await page.locator('.notes').textContent(), /beyond single precision/);
    await check_motion(page, await page.evaluate(() => [window.holonom.store.rows - 3, window.holonom.store.rows - 2]));
    check();
    await close();
  }
  // And so many that they are discs
  const gas = `format = 1\n[coordinates]\nr = { count = 700, dim = 3 }\n[energy]\nmass = { r = 1 }\n[[energy.sum]]\nover = { i = "0..699" }\nterm = "dot(r[i], r[i])/2 - r[i].x^4"\n[initial]\nq.r = ["1.5/(1 + 10*i)", "sin(12.9898*i)", "sin(37.719*i)"]\n[integrate]\nstep = 0.05\nuntil = 3\nmethod = "verlet-a"\n`;
  const { page, check, close } = await open(make_page_of_failing('gas', gas, ['--watch', 'recorded']));
  await picture(page, await page.evaluate(() => window.holonom.store.rows - 1));
  check_sizes(await sizes_of(page));
  check();
  await close();
});

for (const [size, names] of [[1e-12, ['x', 'y']], [1e-12, ['x', 'y', 'z']], [1e25, ['x', 'y']], [1e25, ['x', 'y', 'z']], [1e-3, ['x', 'y']]])
  test(`a motion of the size ${size} in ${names.length} dimensions looks like one of the size 1`, async () => {
    const text = (L) => `format = 1\n[parameters]\nL = ${L}\n[coordinates]\nnames = ${JSON.stringify(names)}\n[energy]\nmass = [${names.map(() => 1)}]\npotential = "L*${names.at(-1)}"\n[constraints]\nrod = "(${names.map((x) => `${x}^2`).join(' + ')})/L^2 - 1"\n[initial]\nq = { ${names.map((x, k) => `${x} = "${k > 0 ? 0 : 'L'}"`).join(', ')} }\n[integrate]\nstep = 0.05\nuntil = 3\n`;
    const drawn = [];
    for (const L of [1, size]) {
      writeFileSync(join(folder(), 'size.toml'), text(L));
      const { page, check, close } = await open(make_page('size', 'size.toml', []));
      await check_motion(page, [0, 30]);
      drawn.push({ sizes: await sizes_of(page), colours: (await picture(page, 30)).colours });
      check();
      await close();
    }
    const [usual, other] = drawn;
    assert.ok(Math.abs(other.colours / usual.colours - 1) < 0.2, `${other.colours} and ${usual.colours} colours`);
    usual.sizes.forEach((x, k) => assert.ok(Math.abs(other.sizes[k] - x * (size === 1e-3 ? 1e-3 : 1)) < 1e-4, `${other.sizes} and ${usual.sizes}`));
  });

test('a motion that leaves its powers of ten while it is seen', async () => {
  // As on a live page, whose rows become more: here the same rows become others.
  writeFileSync(join(folder(), 'leaves.toml'), `${readFileSync(join(models, 'geodesic-torus.toml'), 'utf8')}\n[view]\nbodies = { top = { quaternion = ["x", "y", "z", "1"], at = ["x", "y", "z"], size = [1, 0.5, 0.2] } }\n`);
  const { page, check, close } = await open(make_page('leaves', 'leaves.toml', ['--steps', 300]));
  const grown = (by) => page.evaluate((by) => {
    const { scene, store } = window.holonom;
    for (let i = 0; i < store.points.length; ++i) store.points[i] *= by;
    store.bodies.forEach((x, i) => i % 7 < 3 && (store.bodies[i] *= by));
    ++store.generation;
    scene.grow();
    const trail = scene.trails.group.children[0].geometry.getAttribute('position').array, box = scene.bodies[0].children[0].geometry.parameters;
    const mesh = scene.surfaces[0].geometry.getAttribute('position').array;
    return { unit: scene.extent.unit, largest: [trail, mesh].map((x) => x.reduce((a, b) => Math.max(a, Math.abs(b)), 0)), edge: box.width, solids: scene.surfaces.length + scene.bodies.length };
  }, by);
  const before = await grown(1);
  assert.equal(before.unit, 1);
  const after = await grown(1e20);
  assert.ok(after.unit > 1e19 && after.unit < 1e22 && after.largest[0] < 100 && after.largest[0] > 0.01, JSON.stringify(after));
  // The surface and the body stay as large as they are.
  assert.ok(Math.abs(after.largest[1] * after.unit / before.largest[1] - 1) < 1e-6);
  assert.ok(Math.abs(after.edge * after.unit / before.edge - 1) < 1e-6);
  assert.equal(after.solids, before.solids);
  check_sizes(await sizes_of(page));
  assert.notEqual((await picture(page, 0)).sum, (await picture(page, 150)).sum);
  check();
  await close();
});

test('ticks of small, large and nearly constant numbers', async () => {
  // Of observables that are so
  const ranges = { small: 'x*3e-19', large: '(x - 3)*7e33', least: 'x*1e-300', constant: '-1/6 + x*1e-7', nearly: '-1/6 + x*2e-13', negative: '-0.0001*(1 - x)', same: 'x/x + 1', around: '1e6 + x*1e-4' };
  const text = readFileSync(join(models, 'pendulum.toml'), 'utf8');
  writeFileSync(join(folder(), 'ticks.toml'), `${text}\n[observables]\n${Object.entries(ranges).map(([k, f]) => `${k} = "${f}"`).join('\n')}\n[view]\nplot = ${JSON.stringify(Object.keys(ranges))}\n`);
  const { page, check, close } = await open(make_page('ticks', 'ticks.toml', ['--steps', 60]));
  for (const [k, name] of Object.keys(ranges).entries()) {
    const { card, written } = await page.evaluate((k) => {
      const card = window.holonom.plots.cards[k];
      return { card: card.card, written: card.written() };
    }, k);
    assert.equal(card.title, name);
    const { across, upward, room } = written;
    assert.ok(across.length > 2, `${name}: ${across}`);
    assert.ok(upward.length >= 2 && new Set(upward).size === upward.length, `${name}: ${upward}`);
    assert.ok(room >= 9, `${name}: ${room} px beside ${upward}`);
    // Evenly spaced, as numbers
    const x = upward.map((t) => Number(t.replaceAll('\u2212', '-'))), step = x[1] - x[0];
    x.forEach((a, i) => assert.ok(i === 0 || Math.abs(a - x[i - 1] - step) <= 1e-3 * step + 4e-16 * Math.abs(a), `${name}: ${upward}`));
  }
  check();
  await close();
  await screenshots(join(folder(), 'ticks.html'), 'ticks');
});

test('more methods than colours, and messages that are long', async () => {
  const methods = ['rattle', 'kahan-li-8', 'suzuki-4', 'yoshida-4', 'yoshida-6', 'mclachlan-4', 'kahan-li-6', 'midpoint', 'lobatto-4', 'lobatto-6'];
  holonom('compare', join(models, 'pendulum.toml'), '--methods', methods.join(','), '--step', 'T/2,T/20,T/40,T/80', '--until', 'T', '--out', 'many', '--force');
  const { page, check, close } = await open(join(folder(), 'many/compare.html'));
  const marks = await page.locator('.curves').first().locator('i').evaluateAll((list) => list.map((i) => i.style.background));
  assert.ok(marks.length > 8, `${marks.length} methods`);
  assert.equal(new Set(marks).size, marks.length);
  // Points of work and precision are joined by their steps.
  const { curves, lines } = await page.evaluate(() => {
    const { diagram } = window.holonom.diagrams[0];
    return { curves: diagram.curves, lines: diagram.curves.map((_, k) => window.holonom.diagrams[0].line(k)) };
  });
  curves.forEach((curve, k) => {
    const order = (list) => list.map((x, i) => [x, i]).sort((a, b) => a[0] - b[0]).map(([, i]) => i);
    assert.deepEqual(order(lines[k].map((p) => p[0])), order(curve.x), curve.name);
  });
  // A card is as wide as the page, and so is its table.
  const failed = page.locator('td.bad');
  assert.ok((await failed.count()) > 0 && (await failed.first().textContent()).length > 60);
  for (const card of await page.locator('.wide').all()) assert.ok(await card.evaluate((c) => c.scrollWidth <= c.clientWidth));
  check();
  await close();
  await screenshots(join(folder(), 'many/compare.html'), 'many-methods');
});

test('a section of events', async () => {
  const run = ['--until', 2000, '--method', 'kahan-li-8', '--step', 0.2, '--every', 10];
  holonom('run', join(models, 'henon-heiles.toml'), ...run, '--event', 'x', '--events-out', 'events.csv', '--force');
  const file = make_page('section', join(models, 'henon-heiles.toml'), run, ['--events', 'events.csv']), table = csv('events');
  const { page, check, close } = await open(file);
  const points = await page.evaluate(() => window.holonom.section.points());
  assert.deepEqual(points.map((p) => p[0]), table('y'));
  assert.deepEqual(points.map((p) => p[1]), table('p_y'));
  check();
  await close();
  await screenshots(file, 'section');
});

test('a certificate and a comparison', async () => {
  const model = join(models, 'pendulum.toml');
  holonom('certify', model, '--method', 'rattle', '--no-advice', '--out', 'certificate.html', '--force');
  holonom('compare', model, '--methods', 'rattle,kahan-li-8', '--step', 'T/20,T/40,T/80', '--until', 'T', '--out', 'comparison', '--force');
  for (const [name, file, diagrams] of [['certificate', 'certificate.html', 2], ['comparison', 'comparison/compare.html', 4]]) {
    const { page, check, close } = await open(join(folder(), file));
    assert.equal(await page.locator('.plot canvas').count(), diagrams);
    assert.ok((await page.locator('table tbody tr').count()) > 5);
    const shown = await page.evaluate(() => window.holonom.diagrams.map((d) => ({ log: d.diagram.log_y, curves: d.diagram.curves, data: d.data.map((x) => [...x]) })));
    for (const { log, curves, data } of shown)
      curves.forEach((curve, k) => curve.x.forEach((x, i) =>
        assert.equal(data[k + 1][data[0].indexOf(x)], log && !(curve.y[i] > 0) ? null : curve.y[i])));
    check();
    await close();
    await screenshots(join(folder(), file), name);
  }
});

test('ten thousand points stay fluid', async () => {
  const file = make_page('many', join(models, 'hanging-chain.toml'), ['--set', 'N=10000', '--steps', 100, '--every', 1, '--watch', 'recorded']);
  const { page, check, close } = await open(file);
  // What our part of a frame takes; how long the graphics card takes is not ours, and here there is none.
  const milliseconds = await page.evaluate(() => {
    const { scene } = window.holonom, draw = scene.render;
    scene.render = () => {};
    const begin = performance.now();
    for (let k = 0; k < 50; ++k) scene.show(k);
    scene.render = draw;
    return (performance.now() - begin) / 50;
  });
  assert.ok(milliseconds < 16, `${milliseconds} ms a frame`);
  const first = await picture(page, 0), later = await picture(page, 100);
  assert.ok(first.colours > 20);
  assert.notEqual(first.sum, later.sum);
  check();
  await close();
});
