import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleWorkflow } from '../../testing/sample-workflows';
import { must } from '../../testing/stored-session';
import { approveWorkflows } from '../../testing/workflow-pack';
import { createNodeHost } from '../adapters/cli/node-host';
import { compose } from '../compose/compose';

const sample = sampleWorkflow({
  WorkflowId: 'sample_one',
  UserIntentPatterns: ['Do the sample thing'],
  Ddr: 'WFL-901',
});
const json = JSON.stringify(sample, null, 2);
const changed = (fields: object): string => JSON.stringify({ ...sample, ...fields });
const decision = { by: 'Ada', at: '', reason: 'First.', ddr: 'WFL-901' };

/** Where definitions are stored, and how a file there contains one. */
const places = {
  pack: { folder: 'packs/samples/workflows', file: (definition: string) => definition },
  published: {
    folder: 'workflows/published',
    file: (definition: string) =>
      `{"schema":1,"rows":[{"what":"published","definition":${definition},"hash":"","decision":${JSON.stringify(decision)}}]}`,
  },
} as const;
type Place = keyof typeof places;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'patina-files-'));
  for (const { folder } of Object.values(places)) mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, 'packs/samples/pack.json'), JSON.stringify({ id: 'samples', version: '1.0.0' }));
  approveWorkflows(home, [sample]);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const at = (place: Place, name = 'sample_one.json'): string => join(home, places[place].folder, name);

function start() {
  const host = must(createNodeHost(resolve('out/main'), { home, project: home }));
  return compose({ ...host, env: { PATINA_DISCOVERY: 'off' } });
}

/** The first problem of a refused start, with its file and field. */
async function refusedStart() {
  const app = start();
  if (app.ok) await app.value.close();
  if (app.ok || app.error.kind !== 'CONFIG') throw new Error('It started.');
  return app.error.problems?.[0];
}

/**
 * The problem that a start reports for a disabled file: the registry's first finding, or that of the disabled
 * pack.
 */
async function disabledBy(place: Place) {
  const app = must(start());
  const problems = app.workflows.problems();
  const { detail = '' } = app.notices.all().find(({ id }) => id === 'pack-samples') ?? {};
  const found = app.workflows.view(null).find('sample_one');
  await app.close();
  expect(found).toBeUndefined();
  if (place === 'published') return { file: problems[0]?.file, told: JSON.stringify(problems) };
  return { file: join(home, 'packs/samples', detail.split(':')[0] ?? ''), told: detail };
}

async function startedWith() {
  const app = must(start());
  const found = app.workflows.view(null).find('sample_one');
  const matches = app.workflows.view(null).match('please do the sample thing', () => false);
  await app.close();
  return { layer: found?.layer.kind, standing: found?.approval.kind, first: matches[0] };
}

const both: readonly Place[] = ['pack', 'published'];
const each = <T extends readonly [what: string, ...unknown[]]>(rows: readonly T[]) =>
  both.flatMap((place) => rows.map((row) => ({ place, what: row[0], row })));

describe('[T6-8-1-startup] workflow definitions on disk', () => {
  it.each(both)('in a %s file are the same with other line endings and a byte order mark', async (place) => {
    writeFileSync(at(place), `\ufeff${places[place].file(json).replaceAll('\n', '\r\n')}\r\n`);
    const layer = place === 'pack' ? 'pack' : 'home';
    expect(await startedWith()).toMatchObject({
      layer,
      standing: 'approved',
      first: { workflowId: 'sample_one', runnable: true },
    });
  });

  const unreadable: readonly (readonly [what: string, definition: string, reason: RegExp])[] = [
    ['a name twice', json.replace('"Title"', '"Status": "disabled", "Title"'), /"?Status\\?"? appears twice/],
    ['a comma too many', json.replace(/\}$/, ',}'), /JSON/],
    ['nothing', '', /JSON/],
    ['lists without end', '['.repeat(100_000), /JSON/],
    ['a mark of a merge', `<<<<<<< HEAD\n${json}\n=======\n${json}\n>>>>>>> other\n`, /JSON/],
  ];
  const broken: readonly (readonly [what: string, definition: string, field: string, reason: RegExp])[] = [
    ['a version that is none', changed({ Version: '1.0' }), 'Version', /must look like 1\.0\.0/],
    ['an empty pattern', changed({ UserIntentPatterns: [' '] }), 'UserIntentPatterns.0', /must not be empty/],
    [
      '10,000 patterns',
      changed({ UserIntentPatterns: Array(10_000).fill('Do it so') }),
      'UserIntentPatterns',
      /50/,
    ],
    [
      'patterns that say too much together',
      changed({ UserIntentPatterns: Array(11).fill('x'.repeat(399)) }),
      'UserIntentPatterns',
      /at most 4,000 characters together/,
    ],
    [
      'patterns that say too much as they are matched',
      changed({ UserIntentPatterns: Array(2).fill('\ufdfa'.repeat(200)) }),
      'UserIntentPatterns',
      /at most 4,000 characters together/,
    ],
    ['a field there is none of', changed({ Colour: 'red' }), '', /Colour/],
    ['a prototype', json.replace('"Title"', '"__proto__": {}, "Title"'), '', /__proto__/],
    [
      'a tool by pattern',
      changed({ PermittedTools: ['mcp://*'] }),
      'PermittedTools.0',
      /exact name of one tool/,
    ],
  ];

  it.each(each(unreadable))(
    '[DAMAGE-one-item] in a $place file with $what disable only that item, with file and reason',
    async ({ place, row: [, definition, reason] }) => {
      writeFileSync(at(place), places[place].file(definition));
      const { file, told } = await disabledBy(place);
      expect(file).toBe(at(place));
      expect(told).toMatch(reason);
    },
  );

  it.each(broken)(
    'in a pack’s file with %s stop the start, with file, field and reason',
    async (_what, definition, field, reason) => {
      writeFileSync(at('pack'), definition);
      const problem = await refusedStart();
      expect(problem).toMatchObject({ file: at('pack'), field });
      expect(problem?.reason).toMatch(reason);
    },
  );

  it.each(broken)(
    '[DAMAGE-one-item] in a published file with %s disable only that workflow, with file, field and reason',
    async (_what, definition, field, reason) => {
      writeFileSync(at('published'), places.published.file(definition));
      const { file, told } = await disabledBy('published');
      expect(file).toBe(at('published'));
      expect(told).toContain(field);
      expect(told).toMatch(reason);
    },
  );

  it.each(
    each<readonly [what: string, make: (file: string, text: string) => void]>([
      ['that is UTF-16', (file, text) => writeFileSync(file, Buffer.from(`\ufeff${text}`, 'utf16le'))],
      ['that is a folder', (file) => mkdirSync(file)],
      ['that is a link to itself', (file) => symlinkSync(file, file)],
      ['that is a link that leads nowhere', (file) => symlinkSync(`${file}.gone`, file)],
      ['larger than any workflow', (file) => writeFileSync(file, `"${'x'.repeat(2_100_000)}"`)],
    ]),
  )('[DAMAGE-one-item] in a $place file $what disable only that item', async ({ place, row: [, make] }) => {
    make(at(place), places[place].file(json));
    const { file, told } = await disabledBy(place);
    expect(file).toBe(at(place));
    expect(told).toMatch(/UTF-8|not a file|link|ELOOP|larger/);
  });

  it('in a pack’s file of another name stop the start', async () => {
    for (const name of ['other_one.json', 'Sample One.json']) {
      writeFileSync(at('pack', name), json);
      expect(await refusedStart()).toMatchObject({ rule: 'file-name' });
      rmSync(at('pack', name));
    }
  });

  it.each(['other_one.json', 'Sample One.json'])(
    '[DAMAGE-one-item] in a published file named %s are ignored, and the file is reported',
    async (name) => {
      writeFileSync(at('published', name), places.published.file(json));
      expect((await disabledBy('published')).told).toContain('"rule":"file-name"');
    },
  );

  it('that are published are never read through a link, wherever it leads', async () => {
    writeFileSync(join(home, 'elsewhere.json'), places.published.file(json));
    symlinkSync(join(home, 'elsewhere.json'), at('published'));
    expect((await disabledBy('published')).told).toContain('"rule":"link"');
  });

  it('of a pack are never read through a link out of it, neither of a file nor of a folder', async () => {
    const outside = join(home, 'elsewhere');
    mkdirSync(outside);
    writeFileSync(join(outside, 'sample_one.json'), json);
    symlinkSync(join(outside, 'sample_one.json'), at('pack'));
    expect((await disabledBy('pack')).told).toContain('(link)');
    rmSync(dirname(at('pack')), { recursive: true });
    symlinkSync(outside, dirname(at('pack')));
    expect((await disabledBy('pack')).told).toContain('(link)');
  });

  it('of a pack may be a link to another of its files', async () => {
    writeFileSync(join(dirname(at('pack')), '..', 'one.json'), json);
    symlinkSync('../one.json', at('pack'));
    expect(await startedWith()).toMatchObject({ layer: 'pack', standing: 'approved' });
  });

  it.each([
    ['change the text direction', 'Sample \u202eeno', 'Title'],
    ['invisible control characters', 'Do it\u0007 so', 'InstructionText'],
  ])('of a pack with forbidden characters (%s) stop the start', async (what, value, field) => {
    writeFileSync(at('pack'), changed({ [field]: value }));
    const problem = await refusedStart();
    expect(problem).toMatchObject({ file: at('pack'), field, rule: 'text' });
    expect(problem?.reason).toContain(what);
  });

  it('of two packs with the same id stop the start', async () => {
    writeFileSync(at('pack'), json);
    const other = join(home, 'packs/zz_other');
    mkdirSync(join(other, 'workflows'), { recursive: true });
    writeFileSync(join(other, 'pack.json'), JSON.stringify({ id: 'other', version: '1.0.0' }));
    writeFileSync(join(other, 'workflows/sample_one.json'), json);
    const problem = await refusedStart();
    expect(problem?.file).toContain(join('zz_other', 'workflows', 'sample_one.json'));
    expect(problem?.reason).toContain('sample_one');
  });

  it.each(both)(
    '[T6-8-8-drift] in a %s file changed by hand halt the workflow, and a match says why',
    async (place) => {
      writeFileSync(at(place), places[place].file(changed({ InstructionText: 'Do something else.' })));
      expect(await startedWith()).toMatchObject({
        standing: 'drifted',
        first: {
          workflowId: 'sample_one',
          runnable: false,
          note: expect.stringContaining('halted') as string,
        },
      });
    },
  );

  it('[T6-8-2-ddr] with characters of regular expressions in patterns are plain words', async () => {
    const signs = sampleWorkflow({
      ...sample,
      UserIntentPatterns: ['(a+)+$ sample [thing', 'do .* sample thing'],
    });
    approveWorkflows(home, [signs]);
    writeFileSync(at('pack'), JSON.stringify(signs));
    expect(await startedWith()).toMatchObject({ first: { workflowId: 'sample_one', runnable: true } });
    expect(readdirSync(join(home, 'packs/samples/workflows'))).toEqual(['sample_one.json']);
  });
});
