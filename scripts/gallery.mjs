// node scripts/gallery.mjs PROGRAM VIEWER CHROMIUM: runs the commands of docs/gallery/README.md, takes the pictures of the
// pages that they make, and keeps the page that the gallery links to. VIEWER: where node_modules is.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [program, viewer, executablePath] = process.argv.slice(2).map((path) => resolve(path));
const root = join(dirname(fileURLToPath(import.meta.url)), '..'), gallery = join(root, 'docs/gallery');
const { chromium } = createRequire(join(viewer, 'package.json'))('playwright-core');

const folder = mkdtempSync(join(tmpdir(), 'holonom-gallery-'));
for (const name of ['models', 'docs']) symlinkSync(join(root, name), join(folder, name));
const text = readFileSync(join(gallery, 'README.md'), 'utf8');
for (const [, commands] of text.matchAll(/```sh\n([^]*?)```/g))
  execFileSync('bash', ['-e', '-c', commands], { cwd: folder, stdio: 'inherit', env: { ...process.env, PATH: `${dirname(program)}:${process.env.PATH}` } });

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1000, height: 560 }, colorScheme: 'light' });
for (const file of readdirSync(folder).filter((name) => name.endsWith('.html'))) {
  await page.goto(pathToFileURL(join(folder, file)).href);
  await page.waitForFunction(() => window.holonom?.ready === true);
  await page.evaluate(() => window.holonom.player.seek(0.62 * window.holonom.player.last_row));
  await page.locator('.scene').screenshot({ path: join(gallery, file.replace('.html', '.png')) });
  if (file === 'geodesic.html') await page.screenshot({ path: join(gallery, 'page.png') });
}
await browser.close();
copyFileSync(join(folder, 'geodesic.html'), join(gallery, 'geodesic.html'));
rmSync(folder, { recursive: true });
