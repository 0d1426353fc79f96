import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FileChange } from '#shared/file-change';
import { coveragesOf, type Grant } from '#shared/grant';
import { grantsOf, findSavedPermission, type GrantedCall } from './grants';

const place = { project: '/p', sessionId: 'ses_1', runId: 'run_1', stage: 1 };
const call = (more: Partial<GrantedCall> = {}): GrantedCall => ({
  tool: 'mcp://fs.write',
  arguments: { path: 'docs/a.md', text: 'x' },
  tainted: false,
  context: place,
  ...more,
});
const grant = (more: Partial<Grant> = {}): Grant => ({
  id: 'g',
  decision: 'allow',
  tool: 'mcp://fs.write',
  where: {},
  at: 0,
  reach: { kind: 'always', project: '/p' },
  ...more,
});

const reach = fc.oneof(
  fc.record({ kind: fc.constant('run' as const), runId: fc.constantFrom('run_1', 'run_2') }),
  fc.record({ kind: fc.constant('session' as const), sessionId: fc.constantFrom('ses_1', 'ses_2') }),
  fc.record({ kind: fc.constant('always' as const), project: fc.constantFrom('/p', '/q') }),
);
const path = fc.constantFrom('docs/a.md', 'docs/b.md', 'docs/../etc', 'src/a.ts', '');
const where: fc.Arbitrary<Grant['where']> = fc.oneof(
  fc.constant({}),
  path.map((is) => ({ path: { is } })),
  fc.constantFrom('docs/', 'src/', 'd').map((beginsWith) => ({ path: { beginsWith } })),
);
const definition = fc.constantFrom(undefined, 'h1', 'h2');
const tool = fc.constantFrom('mcp://fs.write', 'mcp://fs.move');
const grants = fc.array(
  fc
    .record({
      id: fc.uuid(),
      decision: fc.constantFrom('allow' as const, 'never' as const),
      tool,
      where,
      reach,
      definition,
    })
    .map(({ definition: known, ...one }): Grant => ({
      ...one,
      at: 0,
      ...(known !== undefined && { definition: known }),
    })),
  { maxLength: 6 },
);
const calls = fc
  .record({
    tool,
    path,
    definition,
    tainted: fc.boolean(),
    sessionId: fc.constantFrom(undefined, 'ses_1', 'ses_2'),
    runId: fc.constantFrom('run_1', 'run_2'),
  })
  .map(({ path: to, sessionId, runId, ...rest }): GrantedCall => ({
    ...rest,
    arguments: { path: to, text: 'x' },
    context: { project: '/p', sessionId, runId },
  }));

const near = ({ reach: to }: Grant, { context: here }: GrantedCall): boolean =>
  [
    ['run', here.runId],
    ['session', here.sessionId],
    ['always', here.project],
  ].some(([kind, id]) => kind === to.kind && Object.values(to).includes(id ?? ''));

const pathFits = (rule: Grant['where'][string] | undefined, value: string): boolean =>
  [
    rule === undefined,
    rule && 'is' in rule && rule.is === value,
    rule && 'beginsWith' in rule && value.startsWith(rule.beginsWith) && !/(^|\/)\.\.(\/|$)/.test(value),
  ].some(Boolean);

/** Independent oracle, written as the inverse of the code: every reason why a grant does not apply. */
function silent(one: Grant, about: GrantedCall): boolean {
  if (one.tool !== about.tool || !near(one, about)) return true;
  const reasons = [
    about.tainted,
    about.context.sessionId === undefined,
    one.definition !== about.definition,
    !pathFits(one.where['path'], about.arguments['path'] as string),
  ];
  return one.decision === 'allow' && reasons.some(Boolean);
}

describe('saved permissions', () => {
  it('[AGP-grant-cover] cover a call exactly when tool, scope, definition and bound arguments match, and a refusal wins', () => {
    fc.assert(
      fc.property(grants, calls, (all, one) => {
        const speaking = all.filter((each) => !silent(each, one));
        const never = speaking.some(({ decision }) => decision === 'never');
        const expected = never ? 'never' : speaking.length > 0 ? 'allow' : undefined;
        expect(findSavedPermission(all, one)?.decision).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('[AGP-grant-tainted] never cover a call that may contain untrusted text', () => {
    fc.assert(
      fc.property(grants, calls, (all, one) => {
        expect(findSavedPermission(all, { ...one, tainted: true })?.decision).not.toBe('allow');
      }),
    );
    expect(findSavedPermission([grant()], call())?.decision).toBe('allow');
    expect(findSavedPermission([grant()], call({ tainted: true }))).toBeNull();
  });

  it('do not accept a path that leads back up as one with the bound prefix', () => {
    const bound = [grant({ where: { path: { beginsWith: 'docs/' } } })];
    const to = (text: string) => findSavedPermission(bound, call({ arguments: { path: text } }))?.decision;
    expect([to('docs/b.md'), to('docs/../etc/passwd'), to('docs\\..\\x'), to('src/a.ts')]).toEqual([
      'allow',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('restrict bound arguments to what the card showed, one permission per binding', () => {
    const shown = ['a', 'b', 'b'].map((text) => ({
      tool: 'mcp://fs.write',
      arguments: { path: text, text: 'x' },
      approved: true,
    }));
    const request = { reach: 'session', decision: 'allow', where: { path: 'same' } } as const;
    expect(grantsOf(request, shown, place).map((one) => [one.where, one.reach])).toEqual([
      [{ path: { is: 'a' } }, { kind: 'session', sessionId: 'ses_1' }],
      [{ path: { is: 'b' } }, { kind: 'session', sessionId: 'ses_1' }],
    ]);
  });

  it('are created only for calls answered that way', () => {
    const shown = [
      { tool: 'mcp://fs.write', arguments: {}, approved: true },
      { tool: 'mcp://fs.move', arguments: {}, approved: false },
    ];
    const made = (decision: 'allow' | 'never') =>
      grantsOf({ reach: 'always', decision, where: {} }, shown, place).map((one) => one.tool);
    expect([made('allow'), made('never')]).toEqual([['mcp://fs.write'], ['mcp://fs.move']]);
  });

  it.each(['docs\\..\\..\\etc', 'docs/..\\x', 'docs/../x', 'docs/..'])(
    '[AGP-grant-cover] ask about a path that has the granted prefix and leads up by %j',
    (to) => {
      const one = grant({ where: { path: { beginsWith: 'docs' } } });
      expect(findSavedPermission([one], call({ arguments: { path: to, text: 'x' } }))).toBeNull();
    },
  );
});

describe('[APR-rules] a permission for a folder', () => {
  const files = (written: string, real: string | null, within = 'docs') =>
    findSavedPermission([grant({ where: { path: { within } } })], {
      ...call({ arguments: { path: written } }),
      paths: new Map([['path', { written, real }]]),
    });
  it('covers every path that leads into the folder, however it is written', () => {
    for (const written of ['docs/a.md', './docs//a.md', '/p/docs/a.md', 'src/../docs/a.md'])
      expect(files(written, 'docs/a.md')).toMatchObject({ decision: 'allow' });
    expect(files('a.md', 'a.md', '.')).toMatchObject({ decision: 'allow' });
  });
  it('does not cover paths that lead elsewhere', () => {
    expect(files('docs/../src/a.ts', 'src/a.ts')).toBeNull();
    expect(files('docs/link/a.ts', 'src/a.ts')).toBeNull();
    expect(files('docs/out/a', null)).toBeNull();
    expect(files('docs-secret/a', 'docs-secret/a')).toBeNull();
    expect(files('docs', 'docs')).toBeNull();
    expect(files('.patina/capabilities.json', '.patina/capabilities.json', '.')).toBeNull();
    expect(files('a/.GIT/hooks/x', 'a/.GIT/hooks/x', '.')).toBeNull();
  });
  it('needs to know where the path leads, and an edited path is not known', () => {
    const one = grant({ where: { path: { within: 'docs' } } });
    expect(findSavedPermission([one], call())).toBeNull();
    const paths = new Map([['path', { written: 'docs/b.md', real: 'docs/b.md' }]]);
    expect(findSavedPermission([one], { ...call(), paths })).toBeNull();
  });
  it('with a prefix does not follow a link out of it', () => {
    const one = grant({ where: { path: { beginsWith: 'docs/' } } });
    const through = (real: string) =>
      findSavedPermission([one], { ...call(), paths: new Map([['path', { written: 'docs/a.md', real }]]) });
    expect(through('docs/a.md')).not.toBeNull();
    expect(through('src/a.md')).toBeNull();
  });
});

describe('[APR-rules] a permission from a card with several file tools', () => {
  const file = (path: string): FileChange => ({ kind: 'folder', path, hash: '', exists: false });
  const write = {
    tool: 'mcp://filesystem.write_file',
    arguments: { path: 'docs/a.md', content: 'x' },
    file: file('docs/a.md'),
    approved: true,
  };
  const move = {
    tool: 'mcp://filesystem.move_file',
    arguments: { source: 'docs/a.md', destination: 'docs/b.md' },
    file: {
      kind: 'moved',
      path: 'docs/a.md',
      to: 'docs/b.md',
      hash: '',
      folder: false,
      taken: false,
    } as const,
    approved: true,
  };
  const folder = coveragesOf([write, move]).find(({ kind }) => kind === 'folder')?.where ?? {};
  const saved = grantsOf({ reach: 'always', decision: 'allow', where: folder }, [write, move], place).map(
    (one) => grant(one),
  );
  const allowed = (tool: string, args: GrantedCall['arguments']): boolean => {
    const paths = new Map(
      Object.entries(args).flatMap(([name, written]) =>
        typeof written === 'string' ? [[name, { written, real: written }] as const] : [],
      ),
    );
    return findSavedPermission(saved, call({ tool, arguments: args, paths })) !== null;
  };

  it('covers each tool in the folder, with each of its paths', () => {
    expect(saved.map(({ where }) => Object.keys(where))).toEqual([['path'], ['source', 'destination']]);
    expect(allowed(write.tool, { path: 'docs/deep/c.md', content: 'y' })).toBe(true);
    expect(allowed(write.tool, { path: 'src/c.md', content: 'y' })).toBe(false);
    expect(allowed(move.tool, { source: 'docs/c.md', destination: 'docs/d.md' })).toBe(true);
    expect(allowed(move.tool, { source: 'docs/c.md', destination: 'src/d.md' })).toBe(false);
    expect(allowed(move.tool, { source: 'src/c.md', destination: 'docs/d.md' })).toBe(false);
  });

  it('covers no call with a path of which it says nothing', () => {
    const one = grant({ where: { path: { within: 'docs' } } });
    const paths = new Map([['path', { written: 'docs/a.md', real: 'docs/a.md' }]]);
    const withMore = (args: object) =>
      findSavedPermission([one], call({ arguments: { path: 'docs/a.md', ...args }, paths }));
    expect(withMore({})).not.toBeNull();
    expect(withMore({ destination: 'src/d.md' })).toBeNull();
  });
});

it('[APR-rules] a permission for exactly these arguments covers no call without arguments', () => {
  const calls = [
    { tool: 'mcp://box.clear', arguments: {}, approved: true },
    { tool: 'mcp://box.put', arguments: { n: 1 }, approved: true },
  ];
  const same = coveragesOf(calls).find(({ kind }) => kind === 'same')?.where ?? {};
  const made = (where: typeof same) =>
    grantsOf({ reach: 'always', decision: 'allow', where }, calls, place).map((one) => [one.tool, one.where]);
  expect(made(same)).toEqual([['mcp://box.put', { n: { is: 1 } }]]);
  expect(made({})).toEqual([
    ['mcp://box.clear', {}],
    ['mcp://box.put', {}],
  ]);
});

describe('[APR-rules] a permission for a host', () => {
  const one = grant({ where: { url: { host: 'example.com' } } });
  const fetched = (url: string) => findSavedPermission([one], call({ arguments: { url } }));
  it('covers its pages and no address that only looks like them', () => {
    expect(fetched('https://example.com/a?b')).not.toBeNull();
    expect(fetched('HTTPS://EXAMPLE.com')).not.toBeNull();
    const others = [
      'https://example.com.evil.org',
      'https://evil.org/example.com',
      'https://example.com@evil.org/',
      'https://example.com\\@evil.org',
      'https://example.com:8443/',
      'https://example.com/ https://evil.org',
      'file:///example.com',
      'example.com',
      'javascript:example.com',
    ];
    for (const url of others) expect(fetched(url), url).toBeNull();
  });
});

describe('a permission that a request creates', () => {
  const shown = (more: object = {}) => ({
    tool: 'mcp://fs.write',
    arguments: { path: 'a' },
    approved: true,
    ...more,
  });

  it.each([
    ['run', { kind: 'run', runId: 'run_1', stage: 1 }],
    ['session', { kind: 'session', sessionId: 'ses_1' }],
    ['always', { kind: 'always', project: '/p' }],
  ] as const)('reaches as far as asked: %s', (to, expected) => {
    const [one] = grantsOf({ reach: to, decision: 'allow', where: {} }, [shown()], place);
    expect(one?.reach).toEqual(expected);
  });

  it('names the definition that the user knew, unless it refuses', () => {
    const calls = [shown({ definition: 'h' }), shown({ definition: 'h', approved: false })];
    const made = (decision: 'allow' | 'never') =>
      grantsOf({ reach: 'always', decision, where: {} }, calls, place);
    expect(made('allow')).toEqual([
      {
        ...{ decision: 'allow', tool: 'mcp://fs.write', where: {}, definition: 'h' },
        reach: { kind: 'always', project: '/p' },
      },
    ]);
    expect(made('never')[0]).not.toHaveProperty('definition');
    expect(
      grantsOf({ reach: 'always', decision: 'allow', where: {} }, [shown()], place)[0],
    ).not.toHaveProperty('definition');
  });

  it('is made once per tool and binding', () => {
    const calls = [shown(), shown({ tool: 'mcp://fs.move' }), shown()];
    const made = grantsOf({ reach: 'always', decision: 'allow', where: {} }, calls, place);
    expect(made.map(({ tool: name }) => name)).toEqual(['mcp://fs.write', 'mcp://fs.move']);
  });
});

describe('a bound argument', () => {
  const allows = (
    rule: Grant['where'][string],
    args: GrantedCall['arguments'],
    more: Partial<GrantedCall> = {},
  ) => findSavedPermission([grant({ where: { path: rule } })], call({ arguments: args, ...more })) !== null;

  it.each<[Grant['where'][string], GrantedCall['arguments'], boolean]>([
    [{ is: { a: [1, 2] } }, { path: { a: [1, 2] } }, true],
    [{ is: { a: [1, 2] } }, { path: { a: [2, 1] } }, false],
    [{ is: null }, { path: null }, true],
    [{ is: null }, {}, false],
    [{ is: 'x' }, { other: 'x' }, false],
    [{ beginsWith: '1' }, { path: 12 }, false],
    [{ beginsWith: 'docs' }, { path: 'docs..md' }, true],
    [{ within: 'docs' }, { path: 3 }, false],
    [{ host: 'a.b' }, { path: 3 }, false],
    [{ is: 'x' }, Object.create({ path: 'x' }) as GrantedCall['arguments'], false],
  ])('with the rule %j and the arguments %j allows: %s', (rule, args, expected) => {
    expect(allows(rule, args)).toBe(expected);
  });

  it.each([
    ['docs/./a.md', 'docs/a.md', true],
    ['docs//a.md', 'docs/a.md', true],
    ['/p/docs/a.md', 'docs/a.md', false],
    ['docs/a.md', 'docs/b.md', false],
    ['docs/a.md', null, false],
  ])('with a prefix allows %s leading to %s: %s', (written, real, expected) => {
    const paths = new Map([['path', { written, real }]]);
    expect(allows({ beginsWith: 'docs/' }, { path: written }, { paths })).toBe(expected);
    const absolute = new Map([['path', { written: '/p/docs/a.md', real: 'docs/a.md' }]]);
    expect(allows({ beginsWith: '/p/docs/' }, { path: '/p/docs/a.md' }, { paths: absolute })).toBe(true);
    const other = new Map([['path', { written: 'docs/other', real: 'docs/other' }]]);
    expect(allows({ beginsWith: 'docs/' }, { path: 'docs/a.md' }, { paths: other })).toBe(false);
  });

  it.each([
    ['docs/sub', 'docs/sub/a', true],
    ['docs/sub', 'docs/a', false],
    ['docs/sub', 'docs/other/a', false],
    ['docs', 'docs/.git/config', false],
    ['docs', 'docs/a/.PATINA/x', false],
    ['.git', '.git/hooks/x', true],
    ['.', 'a/b/c', true],
  ])('with the folder %s allows %s: %s', (within, real, expected) => {
    const paths = new Map([['path', { written: real, real }]]);
    expect(allows({ within }, { path: real }, { paths })).toBe(expected);
  });
});

it('a permission of a run lasts for the stage in which it was given, or for the run if none is noted', () => {
  const of = (stage: number | undefined, now: number | undefined) =>
    findSavedPermission(
      [grant({ reach: { kind: 'run', runId: 'run_1', ...(stage !== undefined && { stage }) } })],
      call({ context: { ...place, stage: now } }),
    ) !== null;
  expect([of(1, 1), of(1, 2), of(undefined, 2), of(undefined, undefined), of(1, undefined)]).toEqual([
    ...[true, false, true, true, false],
  ]);
});
