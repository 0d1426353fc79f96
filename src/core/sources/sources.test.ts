import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { SourceDefinition } from '#shared/resolver';
import { err, ok, type Result } from '#shared/result';
import type { SessionEvent } from '#shared/session-event';
import { noMarks } from '#shared/session-marks';
import type { SessionSummary } from '#shared/session-state';
import type { EventListener } from '../session/session-log';
import { providerDefinitions } from './provider-definitions';
import { createRecipesSource } from './create-sources';
import { createServersSource, type ServerRow } from './servers-source';
import { createSessionsSource } from './sessions-source';
import { createModelsSource } from './window-sources';

const scope = { sessionId: null, project: '/p' };
const signal = new AbortController().signal;

it('a command may name the definition of every provider', () => {
  for (const definition of providerDefinitions)
    expect(SourceDefinition.parse(definition)).toEqual(definition);
  expect(new Set(providerDefinitions.map(({ id }) => id)).size).toBe(providerDefinitions.length);
});

it('[SRC-recipes] recipes by id and title', async () => {
  const offered = [
    { id: 'count_todos', title: 'Count TODOs', description: 'Counts.', params: [] },
    { id: 'build', title: 'The build', params: [] },
  ];
  const source = createRecipesSource({ all: offered, version: () => 1 }, new Set(['count_todos']));
  expect(await source.load(scope, signal)).toEqual({
    ok: true,
    value: [
      {
        header: { id: 'count_todos', displayName: 'Count TODOs' },
        description: 'Counts.',
        aliases: [],
        keywords: [],
        userTitled: false,
      },
      { header: { id: 'build', displayName: 'The build' }, aliases: [], keywords: [], userTitled: true },
    ],
  });
});

describe('sessions', () => {
  const summary = (id: string, title: string): SessionSummary => ({
    id,
    title,
    turnCount: 1,
    project: null,
    archived: false,
    createdAt: 0,
    marks: noMarks,
    updatedAt: 0,
  });

  it('[SRC-sessions] are all that are not archived, also those without a name', async () => {
    const asked: (boolean | undefined)[] = [];
    const source = createSessionsSource({
      summaries: ({ archived }) => {
        asked.push(archived);
        return ok([summary('ses_1', 'Plan'), summary('ses_2', '')]);
      },
      subscribe: () => () => undefined,
    });
    expect(await source.load(scope, signal)).toMatchObject({
      value: [
        { header: { id: 'ses_1', displayName: 'Plan' } },
        { header: { id: 'ses_2', displayName: 'A session without a name' } },
      ],
    });
    expect(asked).toEqual([false]);
  });

  it('[SRC-sessions] report a new name, not every word of a reply', () => {
    let listener: EventListener = () => undefined;
    const source = createSessionsSource({
      summaries: () => ok([]),
      subscribe: (given) => {
        listener = given;
        return () => undefined;
      },
    });
    let told = 0;
    source.onChange?.(() => (told += 1));
    const event = (type: string) => [{ type }] as unknown as readonly SessionEvent[];
    listener(event('reply-extended'), 'ses_1');
    listener(event('message-sent'), 'ses_1');
    expect(told).toBe(0);
    listener(event('session-renamed'), 'ses_1');
    expect(told).toBe(1);
  });

  it('of an unreadable log are a failure of the source', async () => {
    const broken = err(appError('HOST', 'STORAGE', 'The disk is gone.'));
    const source = createSessionsSource({ summaries: () => broken, subscribe: () => () => undefined });
    expect(await source.load(scope, signal)).toBe(broken);
  });
});

describe('MCP servers', () => {
  it('[SRC-servers] show their trust and state, and change when one starts', async () => {
    let rows: Result<readonly ServerRow[]> = ok([
      { server: 'project', state: 'idle', detail: '', tools: 0, trusted: true },
      { server: 'x', state: 'failed', detail: 'exited with code 1', tools: 0, trusted: false },
    ]);
    const source = createServersSource(() => rows);
    const before = source.scopeKey(scope);
    const load = async () => {
      const loaded = await source.load(scope, signal);
      return loaded.ok ? loaded.value.map(({ description }) => description) : loaded.error.message;
    };
    expect(await load()).toEqual(['Trusted · Not started', 'Not trusted · Failed · exited with code 1']);
    rows = ok([{ server: 'project', state: 'ready', detail: '', tools: 4, trusted: true }]);
    expect(source.scopeKey(scope)).not.toBe(before);
    expect(await load()).toEqual(['Trusted · Running · 4 tools']);
    rows = err(appError('CONFIG', 'INVALID', 'registry.json is broken.'));
    expect(await load()).toBe('registry.json is broken.');
  });
});

it('[CPR-7-user-titles] a model whose name is an ordinary word counts as named by a user', async () => {
  const provider = { providerId: 'acme', name: 'Acme', source: 'configured', hasKey: true } as const;
  const models = [{ ...provider, models: ['gpt-5', 'team/production', 'Entwürfe'] }];
  const source = createModelsSource({
    listed: () => models,
    list: () => Promise.resolve(models),
    onChange: () => () => undefined,
  });
  const items = await source.load(scope, signal);
  expect(items.ok && items.value.map(({ userTitled }) => userTitled)).toEqual([undefined, true, true]);
});
