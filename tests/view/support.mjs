// What tests in a browser share: the program, Chromium, and a folder that is removed in the end.
//   HOLONOM_PROGRAM, HOLONOM_VIEWER (where node_modules is), HOLONOM_CHROMIUM, HOLONOM_SCREENSHOTS (optional, a folder)
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';

const { chromium } = createRequire(join(process.env.HOLONOM_VIEWER, 'package.json'))('playwright-core');
export const models = join(dirname(fileURLToPath(import.meta.url)), '../../models');
export const pictures = process.env.HOLONOM_SCREENSHOTS;
export const patience = { timeout: 120000 };
export const sizes = [['wide', 1280, 800], ['narrow', 480, 900]].flatMap(([size, width, height]) =>
  ['light', 'dark'].map((colorScheme) => [`${size}-${colorScheme}`, { viewport: { width, height }, colorScheme }]));

let the_folder, the_browser;
export const folder = () => the_folder, browser = () => the_browser;
before(async () => {
  the_folder = mkdtempSync(join(tmpdir(), 'holonom-view-'));
  if (pictures) mkdirSync(pictures, { recursive: true });
  the_browser = await chromium.launch({ executablePath: process.env.HOLONOM_CHROMIUM, args: ['--no-sandbox'], ...patience });
});
after(async () => {
  await the_browser?.close();
  rmSync(the_folder, { recursive: true, force: true });
});

export function holonom(...arguments_) {
  return execFileSync(process.env.HOLONOM_PROGRAM, arguments_.map(String), { cwd: the_folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
export function csv(name) {
  const [head, ...rows] = readFileSync(join(the_folder, `${name}.csv`), 'utf8').trim().split('\n').map((line) => line.split(','));
  return (column) => rows.map((row) => Number(row[head.indexOf(column)]));
}

// A page that is ready, with its errors and what it has asked for
export async function look_at(address, options = {}) {
  const context = await the_browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage(), errors = [], requests = [];
  page.setDefaultTimeout(patience.timeout);
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('request', (request) => /^(data|blob):/.test(request.url()) || requests.push(request.url()));
  page.on('dialog', (dialog) => errors.push(`dialog ${dialog.message()}`) && dialog.dismiss());
  await page.goto(address);
  await page.waitForFunction(() => window.holonom?.ready === true);
  return { page, errors, requests, close: () => context.close() };
}

// What is drawn of a row
export const picture = (page, row) => page.evaluate((k) => {
  window.holonom.player.seek(k);
  return window.holonom.scene.fingerprint();
}, row);

// As the page writes numbers
export function shown(x) {
  return String(Number(x.toPrecision(6))).replaceAll('-', '\u2212');
}
