// node build.mjs WORK: bundles src/ with the packages of WORK/node_modules into one page with places for its contents,
// WORK/page.html, and into a C++ source that holds it, WORK/page_template.cpp.
import { createHash } from 'node:crypto';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = join(dirname(fileURLToPath(import.meta.url)), 'src');
const work = resolve(process.argv[2]);
const packages = join(work, 'node_modules');
const { build } = createRequire(join(work, 'package.json'))('esbuild');

const bundle = await build({
  entryPoints: [join(source, 'main.ts')],
  absWorkingDir: work,
  nodePaths: [packages],
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  charset: 'ascii',
  legalComments: 'none',
  write: false,
});
// A script element ends at "</script", wherever that stands; in strings and comments a backslash changes nothing.
const script = bundle.outputFiles[0].text.replaceAll(/<(\/script|!--)/gi, '<\\$1');

// Whole licences, from the packages themselves: bundlers keep only comments that are marked, and not all are.
let licences = '';
for (const name of ['three', 'uplot']) {
  const file = (await readdir(join(packages, name))).find((entry) => /^licen[cs]e/i.test(entry));
  licences += `${name}\n\n${await readFile(join(packages, name, file), 'utf8')}\n`;
}

const style = await readFile(join(packages, 'uplot/dist/uPlot.min.css'), 'utf8') + (await readFile(join(source, 'page.css'), 'utf8'));
// This script and no other may run, whatever a model is called.
const hash = createHash('sha256').update(script).digest('base64');
const parts = { HASH: hash, STYLE: style, LICENCES: licences.replaceAll('--', '- -'), SCRIPT: script };
const page = (await readFile(join(source, 'page.html'), 'utf8')).replaceAll(/@(HASH|STYLE|LICENCES|SCRIPT)@/g, (_, name) => parts[name]);
await writeFile(join(work, 'page.html'), page);

// As raw strings of a length that compilers like; the mark occurs nowhere else.
const mark = 'holonom_page';
if (page.includes(`)${mark}"`)) throw new Error('the page contains the mark of raw strings');
const pieces = page.match(/[^]{1,15000}/gu).map((piece) => `R"${mark}(${piece})${mark}"`);
await writeFile(join(work, 'page_template.cpp'), `// Made by viewer/build.mjs.
#include <string_view>

namespace holonom {

std::string_view page_template() {
  static const char page[] = ${pieces.join('\n')};
  return {page, sizeof page - 1};
}

}  // namespace holonom
`);
