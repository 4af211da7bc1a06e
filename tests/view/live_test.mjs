// A live page in Chromium: it fills while the run goes on, follows it or not, and ends with the rows of the file.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { browser, csv, folder, holonom, look_at, models, picture, pictures, sizes } from './support.mjs';

// A program with its address; `ended` is its exit code.
async function run_live(t, ...arguments_) {
  const child = spawn(process.env.HOLONOM_PROGRAM, ['run', ...arguments_.map(String), '--live'],
    { cwd: folder(), stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, PATH: `${folder()}/bin:${process.env.PATH}` } });
  t.after(() => child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const address = await new Promise((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
      const found = said.match(/live at (\S+)\n/);
      if (found) resolve(found[1]);
    });
    child.on('exit', () => reject(new Error(said)));
  });
  return { child, address, ended };
}
const state = (page) => page.evaluate(() => {
  const { live, store, player } = window.holonom;
  return { live: live.state, rows: store.rows, row: player.row, following: player.following };
});
// With --open a run that is over waits for its first page: the page comes from the test, not from a browser of the desktop.
function open_by_hand() {
  mkdirSync(join(folder(), 'bin'));
  writeFileSync(join(folder(), 'bin', 'xdg-open'), '#!/bin/sh\n', { mode: 0o755 });
}
const badge = (page) => page.locator('.badge').textContent();

// (Of runs without an end: a machine may be so busy that a run that has one is over before somebody clicks.)
test('a page fills while the run goes on, and follows it or not', async (t) => {
  const { address } = await run_live(t, join(models, 'double-pendulum.toml'), '--steps', 1e12, '--every', 4000);
  const { page, errors, close } = await look_at(address);
  // It follows the run: other rows, other pictures, other plots.
  const first = await state(page), drawn = await page.evaluate(() => window.holonom.scene.fingerprint());
  assert.equal(first.live, 'live');
  assert.equal(first.following, true);
  assert.match(await badge(page), /^live · \d+\u2009%$/);
  assert.ok(drawn.colours > 20, `${drawn.colours} colours`);
  await page.waitForFunction((rows) => window.holonom.store.rows > rows + 300, first.rows);
  assert.notEqual((await page.evaluate(() => window.holonom.scene.fingerprint())).sum, drawn.sum);
  assert.ok((await state(page)).row > first.row + 200);
  await page.waitForFunction((rows) => window.holonom.plots.cards[0].shown_rows() > rows, first.rows);
  // Who scrubs stays there, until he follows again.
  await page.locator('.transport input').fill('5');
  const stay = await state(page);
  assert.deepEqual([stay.row, stay.following], [5, false]);
  await page.waitForFunction((rows) => window.holonom.store.rows > rows + 100, stay.rows);
  assert.equal((await state(page)).row, 5);
  await page.getByRole('button', { name: 'Show the last row' }).click();
  const again = await state(page);
  assert.ok(again.following && again.row > 100);
  await page.locator('.scene canvas').focus();
  await page.keyboard.press('ArrowLeft');
  assert.equal((await state(page)).following, false);
  await page.keyboard.press('f');
  assert.equal((await state(page)).following, true);
  assert.deepEqual(errors, []);
  await close();
});

test('a page ends with the rows of the file, and outlives the program', async (t) => {
  const model = join(models, 'double-pendulum.toml'), run = ['--steps', 300000, '--every', 100];
  open_by_hand();
  const { address, ended } = await run_live(t, model, ...run, '--out', 'live.csv', '--open');
  const { page, errors, requests, close } = await look_at(address);
  await page.waitForFunction(() => window.holonom.live.state === 'done');
  assert.equal(await ended, 0);
  assert.equal(await badge(page), 'ended');
  assert.equal(await page.getByRole('button', { name: 'Show the last row' }).isVisible(), false);
  const table = csv('live'), rows = table('t').length;
  assert.equal((await state(page)).rows, rows);
  assert.equal((await state(page)).row, rows - 1);
  for (const column of ['t', 'x1', 'z2', 'energy', 'lambda_rod1'])
    assert.deepEqual(await page.evaluate((c) => [...window.holonom.store.column(window.holonom.store.index(c))], column), table(column), column);
  const H = table('energy');
  const energy = await page.evaluate(() => window.holonom.plots.cards.find((c) => c.card.title === 'Energy error').data().map((x) => [...x]));
  assert.deepEqual(energy, [table('t'), H.map((e) => e - H[0])]);
  assert.equal(await page.evaluate(() => window.holonom.plots.cards[0].shown_rows()), rows);
  // The program is gone, and the page still works.
  const early = await picture(page, 10), late = await picture(page, rows - 10);
  assert.notEqual(early.sum, late.sum);
  assert.deepEqual(await picture(page, 10), early);
  assert.deepEqual(errors, []);
  assert.deepEqual(requests, [address, `${address}rows`]);
  // It is the picture of the recorded run.
  holonom('run', model, ...run, '--out', 'recorded.h5');
  holonom('view', 'recorded.h5');
  const recorded = await look_at(`file://${join(folder(), 'recorded.html')}`);
  assert.deepEqual(await picture(recorded.page, 10), early);
  await recorded.close();
  await close();
});

test('rows are thinned on the page as in the program, and a long run does not fill it', async (t) => {
  const { child, address, ended } = await run_live(t, join(models, 'pendulum.toml'), '--steps', 1e12, '--every', 1);
  const { page, errors, close } = await look_at(address);
  await page.locator('.transport input').fill('3');
  const time = await page.evaluate(() => window.holonom.store.time[window.holonom.player.row]);
  await page.waitForFunction(() => window.holonom.store.stride >= 64);
  await page.waitForFunction(() => window.holonom.player.row < window.holonom.store.rows);
  const seen = await page.evaluate(() => {
    const { store, player } = window.holonom, { rows, stride, numbers } = store;
    return { rows, even: numbers.subarray(0, rows - 1).every((n, k) => n === k * stride), time: store.time[player.row], step: store.time[1] };
  });
  assert.ok(seen.rows <= 20001 && seen.even, JSON.stringify(seen));
  assert.ok(Math.abs(seen.time - time) <= seen.step, 'the row that is shown stays near its time');
  child.kill('SIGINT');
  assert.equal(await ended, 130);
  await page.waitForFunction(() => window.holonom.live.state === 'interrupted');
  assert.match(await page.locator('.notes').textContent(), /stopped: interrupted after \d+ of/);
  assert.deepEqual(errors, []);
  await close();
});

test('a program that is killed is missed', async (t) => {
  const { child, address } = await run_live(t, join(models, 'pendulum.toml'), '--steps', 1e12, '--every', 1000);
  const { page, close } = await look_at(address);
  child.kill('SIGKILL');
  await page.waitForFunction(() => window.holonom.live.state === 'lost');
  assert.equal(await badge(page), 'connection lost');
  assert.match(await page.locator('.notes').textContent(), /does not answer any more/);
  const { row, rows } = await state(page);
  assert.equal(row, rows - 1);
  await close();
});

test('a page of another origin gets nothing', async (t) => {
  const { address } = await run_live(t, join(models, 'pendulum.toml'), '--steps', 1e12, '--every', 1000);
  const elsewhere = await run_live(t, join(models, 'pendulum.toml'), '--steps', 1e12, '--every', 1000);
  const context = await browser().newContext({ bypassCSP: true }), page = await context.newPage();
  await page.goto(elsewhere.address);
  const tried = await page.evaluate(async (other) => {
    const status = [];
    for (const mode of ['cors', 'no-cors', 'same-origin'])
      status.push(await fetch(other, { mode }).then((r) => `${r.type} ${r.status}`, () => 'failed'));
    const frame = document.createElement('iframe');
    frame.src = other;
    document.body.append(frame);
    await new Promise((resolve) => (frame.onload = resolve));
    return { status, frame: frame.contentDocument?.body?.textContent ?? '' };
  }, address);
  assert.deepEqual(tried, { status: ['failed', 'failed', 'failed'], frame: '' });
  await context.close();
});

test('pictures of live pages, for people to look at', { skip: !pictures }, async (t) => {
  const runs = [['pendulum', 'double-pendulum.toml', ['--steps', 1e12, '--every', 20]], ['torus', 'geodesic-torus.toml', ['--steps', 1e12, '--every', 10]],
    ['chain', 'hanging-chain.toml', ['--set', 'N=200', '--steps', 1e12, '--every', 4]], ['body', 'rigid-body-heavy.toml', ['--steps', 1e12]]];
  for (const [name, model, options] of runs) {
    const { child, address, ended } = await run_live(t, join(models, model), ...options);
    for (const [what, context] of sizes) {
      const { page, close } = await look_at(address, context);
      await page.waitForTimeout(1500);
      await page.screenshot({ path: join(pictures, `live-${name}-${what}.png`) });
      await close();
    }
    child.kill('SIGINT');
    await ended;
  }
});

// A port that is forwarded, as by ssh -L, and whose connections can be broken
async function forward(t, port) {
  const open = new Set(), proxy = createServer((from) => {
    const to = connect(port, '127.0.0.1');
    for (const [a, b] of [[from, to], [to, from]]) {
      open.add(a);
      a.pipe(b);
      a.on('error', () => b.destroy());
      a.on('close', () => b.destroy());
    }
  });
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.after(() => proxy.close());
  return { port: proxy.address().port, cut: () => open.forEach((socket) => socket.destroy()) };
}

test('a forwarded port, and a connection that breaks', async (t) => {
  const { child, address, ended } = await run_live(t, join(models, 'pendulum.toml'), '--steps', 1e12, '--every', 10000);
  const url = new URL(address), { port, cut } = await forward(t, Number(url.port));
  const { page, close } = await look_at(`http://localhost:${port}${url.pathname}`);
  await page.waitForFunction(() => window.holonom.store.rows > 50);
  cut();
  await page.waitForFunction(() => window.holonom.store.generation > 1 && window.holonom.store.rows > 60);
  const seen = await page.evaluate(() => ({ state: window.holonom.live.state, even: window.holonom.store.numbers.subarray(0, 60).every((n, k) => n === k) }));
  assert.deepEqual(seen, { state: 'live', even: true });
  child.kill('SIGINT');
  assert.equal(await ended, 130);
  await page.waitForFunction(() => window.holonom.live.state === 'interrupted');
  await close();
});
