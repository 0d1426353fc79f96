import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { startMain } from '../../testing/main-harness';
import { calls } from '../../testing/workflow-harness';
import { createEventLogFile } from '../adapters/telemetry/event-log-file';
import { createSystemClock } from '../adapters/system/system-clock';

let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'patina-log-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const rowsOf = (file: string): readonly Readonly<Record<string, unknown>>[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('the event log', () => {
  it('[LOG-bounded] never exceeds its size limit, and is private to the user', () => {
    const folder = join(home, 'logs');
    const redact = (text: string) => text;
    const log = createEventLogFile({
      folder,
      clock: createSystemClock(),
      redact,
      bytesEach: 2_000,
      files: 3,
    });
    for (let count = 0; count < 200; count += 1)
      log.write('notice-raised', { count, detail: 'x'.repeat(100) });
    const files = readdirSync(folder);
    expect(files.sort()).toEqual(['patina-1.jsonl', 'patina-2.jsonl', 'patina.jsonl']);
    for (const file of files) {
      const { size, mode } = statSync(join(folder, file));
      expect(size).toBeLessThanOrEqual(2_000);
      expect(mode & 0o777).toBe(0o600);
    }
    expect(rowsOf(log.file).at(-1)).toMatchObject({ event: 'notice-raised', count: 199, pid: process.pid });
  });

  it('[LOG-bounded] loses only its own line when the disk refuses a write', () => {
    writeFileSync(join(home, 'logs'), 'no folder');
    const log = createEventLogFile({
      folder: join(home, 'logs'),
      clock: createSystemClock(),
      redact: String,
    });
    expect(() => log.write('app-started')).not.toThrow();
  });

  it('[LOG-events] [LOG-redacted] records servers, workers and notices without keys, and doctor names it', async () => {
    const key = 'sk-log-canary-7a1c93e5';
    mkdirSync(join(home, 'mcp'));
    mkdirSync(join(home, 'project/.patina'), { recursive: true });
    const gone = { command: process.execPath, args: ['-e', `console.error('${key}'); process.exit(1)`] };
    const mcpServers = { gone, project: { bundled: 'project', trusted: true } };
    writeFileSync(join(home, 'mcp/registry.json'), JSON.stringify({ mcpServers }));
    const code = 'return { summary: String((await tools.project.list_files({})).files.length) };';
    const replies = [calls('submit_plan', planOf([scriptNode('a', code)]))];
    const harness = await startMain({
      replies,
      env: { OTHER_API_KEY: key },
      at: home,
      project: join(home, 'project'),
    });
    harness.app.notices.raise({ id: 'n', level: 'warning', title: 'Look', detail: `The key is ${key}.` });
    expect((await harness.say('count the files here', { runMode: 'agent' })).run?.status).toBe('done');
    const { file } = harness.app.eventLog;
    expect(await harness.app.doctor()).toContainEqual({ name: 'log', ok: true, detail: file });
    await harness.close();
    const rows = rowsOf(file);
    const events = new Set(rows.map(({ event }) => event));
    for (const event of [
      'server-started',
      'server-refused',
      'server-stopped',
      'worker-started',
      'notice-raised',
    ])
      expect(events, event).toContain(event);
    expect(rows.find(({ event }) => event === 'server-refused')).toMatchObject({ server: 'gone' });
    expect(rows.find(({ event }) => event === 'notice-raised')).toMatchObject({
      detail: 'The key is [key].',
    });
    expect(readFileSync(file, 'utf8')).not.toContain(key);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }, 60_000);

  it.each(['quickjs', 'null'])(
    '[DOC-engine] is complemented by doctor, which names the engine in use: %s',
    async (engine) => {
      const harness = await startMain({ env: { SANDBOX_ENGINE: engine }, at: home });
      const found = (await harness.app.doctor()).find(({ name }) => name === 'sandbox');
      await harness.close();
      expect(found).toMatchObject({ ok: true });
      expect(found?.detail).toMatch(new RegExp(`^engine ${engine}: .*; a script can use `));
    },
    60_000,
  );
});
