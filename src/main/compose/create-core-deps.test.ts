import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startMain } from '../../testing/main-harness';

it('a folder of --project that cannot be the project is reported by a notice', async () => {
  const project = mkdtempSync(join(tmpdir(), 'patina-project-'));
  const opened = await startMain({ kind: 'app', project });
  expect(opened.app.settings.get().project).toBe(project);
  expect(opened.app.notices.all().filter(({ id }) => id === 'project-argument')).toEqual([]);
  await opened.close();
  rmSync(project, { recursive: true });
  const refused = await startMain({ kind: 'app', project });
  expect(refused.app.settings.get().project).toBeNull();
  expect(refused.app.notices.all()).toMatchObject([
    { id: 'project-argument', level: 'warning', detail: expect.stringContaining(project) as string },
  ]);
  await refused.close();
});
