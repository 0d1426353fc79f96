import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import ownTempFolder from './own-temp-folder.mjs';

test('a test run has its own temporary folder and removes what the tests leave in it', () => {
  const before = os.tmpdir();
  const remove = ownTempFolder();
  const left = fs.mkdtempSync(path.join(os.tmpdir(), 'left-'));
  expect(path.dirname(path.dirname(left))).toBe(fs.realpathSync(before));
  fs.writeFileSync(path.join(left, 'sessions.db'), 'rows');

  remove();

  expect(fs.existsSync(path.dirname(left))).toBe(false);
  expect(os.tmpdir()).toBe(before);
});
