// The types of viewer/src: a copy of it beside its packages is checked, so that none have to be in the source tree.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const viewer = join(dirname(fileURLToPath(import.meta.url)), '../../viewer'), work = process.env.HOLONOM_VIEWER;

test('the types of the viewer fit', () => {
  rmSync(join(work, 'src'), { recursive: true, force: true });
  for (const name of ['src', 'tsconfig.json']) cpSync(join(viewer, name), join(work, name), { recursive: true });
  const checked = spawnSync(process.execPath, [join(work, 'node_modules/typescript/bin/tsc'), '-p', work], { encoding: 'utf8' });
  assert.equal(checked.status, 0, checked.stdout);
});
