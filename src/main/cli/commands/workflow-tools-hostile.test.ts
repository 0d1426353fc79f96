import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  megabyte,
  nested,
  noOperation,
  wrongIds,
  wrongOperations,
} from '../../../testing/hostile-tool-arguments';
import { must } from '../../../testing/stored-session';
import { createNodeHost } from '../../adapters/cli/node-host';
import type { App } from '../../app';
import { compose } from '../../compose/compose';
import type { Terminal } from '../output';
import { toolCommand } from './tool';

const home = mkdtempSync(join(tmpdir(), 'patina-hostile-'));
let app: App;
beforeAll(() => {
  const host = must(createNodeHost(resolve('out/main'), { home, project: home }));
  app = must(compose({ ...host, env: { PATINA_DISCOVERY: 'off' } }));
});
afterAll(async () => {
  await app.close();
  rmSync(home, { recursive: true, force: true });
});

/** Everything that workflows and design records store on disk. */
function kept(): string {
  const hash = createHash('sha256');
  for (const folder of ['workflows', 'ddrs'].map((name) => join(home, name)).filter(existsSync)) {
    const names = readdirSync(folder, { recursive: true, withFileTypes: true });
    for (const entry of names.filter((one) => one.isFile())) {
      const file = join(entry.parentPath, entry.name);
      hash.update(file).update(readFileSync(file));
    }
  }
  return hash.digest('hex');
}

async function call(name: string, argumentsJson: string, typed: readonly string[] = []) {
  const left = [...typed];
  const out: string[] = [];
  const terminal = {
    json: true,
    interactive: false,
    out: (text: string) => void out.push(text),
    log: () => undefined,
    onInterrupt: () => () => undefined,
    readLine: () => Promise.resolve(left.shift() ?? null),
  } as unknown as Terminal;
  const mode = name === 'agent_workflow_authoring' ? { mode: 'workflow_authoring' } : {};
  const code = await toolCommand(app, terminal, { name, argumentsJson }, { ...mode, approve: 'none' });
  return { code, answer: JSON.parse(out.join('')) as Record<string, unknown>, text: out.join('') };
}
const registry = (argumentsJson: string) => call('agent_workflow_registry', argumentsJson);
const authoring = (argumentsJson: string) => call('agent_workflow_authoring', argumentsJson);

const maxLength = 2_000;

async function refusedByRegistry(argumentsJson: string): Promise<Record<string, unknown>> {
  const { code, answer, text } = await registry(argumentsJson);
  expect(code, argumentsJson.slice(0, 80)).toBe(1);
  expect(answer).toMatchObject({
    kind: expect.stringMatching(/^(TOOL|HOST)$/) as string,
    code: expect.stringMatching(/^(INVALID_ARGUMENTS|NOT_FOUND|STATE)$/) as string,
    message: expect.any(String) as string,
    tool: 'agent_workflow_registry',
  });
  expect(text.length).toBeLessThan(maxLength);
  return answer;
}

async function refusedByAuthoring(argumentsJson: string) {
  const { code, answer, text } = await authoring(argumentsJson);
  expect(code, argumentsJson.slice(0, 80)).toBe(1);
  expect(Object.keys(answer).toSorted()).toEqual(['errors', 'ok']);
  expect(answer).toMatchObject({ ok: false });
  const errors = answer['errors'] as readonly { readonly field: string; readonly message: string }[];
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors) {
    expect(Object.keys(error)).toEqual(['field', 'message']);
    expect(error.message.length).toBeGreaterThan(5);
  }
  expect(text.length).toBeLessThan(maxLength);
  return errors;
}

describe('both tools with invalid calls', () => {
  it('[T6-5-1-missing-operation] [T6-10-3-shapes] refuse them in their own shapes, with exit code 1, and write nothing', async () => {
    const before = kept();
    for (const text of noOperation) {
      expect(await refusedByRegistry(text)).toMatchObject({ code: 'INVALID_ARGUMENTS' });
      await refusedByAuthoring(text);
    }
    for (const value of wrongOperations) {
      const text = `{"operation":${value}}`;
      expect(await refusedByRegistry(text)).toMatchObject({ code: 'INVALID_ARGUMENTS' });
      expect((await refusedByAuthoring(text)).map(({ field }) => field)).toEqual(['operation']);
    }
    expect(kept()).toBe(before);
  }, 60_000);

  it('[T6-5-1-missing-operation] report an empty operation as missing, and name an unknown one', async () => {
    for (const value of ['null', '""', '"  "']) {
      const { message } = await refusedByRegistry(`{"operation":${value}}`);
      expect(message).toMatch(/^operation is missing\. There are: /);
      const [error] = await refusedByAuthoring(`{"operation":${value}}`);
      expect(error?.message).toMatch(/^operation is missing\. There are: /);
    }
    const { message } = await refusedByRegistry('{"operation":"run_workflow"}');
    expect(message).toMatch(/^Unknown operation ‘run_workflow’\. There are: /);
  });

  it('[T6-5-1-unknown-operation] [T6-10-3-shapes] accept no unknown argument, however it is called', async () => {
    for (const name of ['__proto__', 'constructor', 'WorkflowId', 'x'.repeat(100_000), '\u202eid', '']) {
      const given = `"operation":"list_workflows",${JSON.stringify(name)}:1`;
      expect((await refusedByRegistry(`{${given}}`))['message']).toContain('is not an argument');
      const errors = await refusedByAuthoring(`{${given.replace('list_', 'list_authoring_')}}`);
      expect(errors).toEqual([
        { field: name.slice(0, 100), message: expect.stringContaining('is not an argument') as string },
      ]);
    }
  });
});

describe('arguments too long for a command line', () => {
  it('[T6-5-2-user-message] come from standard input, with all their lines', async () => {
    const lines = [
      '{"operation": "match_workflow",',
      `"userMessage": "${'create a new ddr '.repeat(60_000)}"}`,
    ];
    const { code, answer } = await call('agent_workflow_registry', '-', lines);
    expect(code).toBe(0);
    expect(answer['matches']).toMatchObject([{ workflowId: 'create_ddr' }]);
    expect((await call('agent_workflow_registry', '-')).code).toBe(1);
  });
});

describe('ids of missing workflows', () => {
  it('[T6-5-1-not-found] [T6-4-3-unknown] are unknown to the registry', async () => {
    for (const id of wrongIds)
      await refusedByRegistry(`{"operation":"get_workflow_manifest","workflowId":${id}}`);
    await refusedByRegistry('{"operation":"get_workflow_manifest"}');
  }, 60_000);

  it('[T6-10-3-shapes] are reported by field in authoring, which writes nothing', async () => {
    const before = kept();
    const operations = ['get_workflow', 'update_workflow', 'validate_workflow', 'publish_workflow'];
    for (const operation of operations) {
      for (const id of wrongIds) {
        const fields = operation === 'update_workflow' ? ',"fields":{"Title":"x"}' : '';
        const errors = await refusedByAuthoring(`{"operation":"${operation}","workflowId":${id}${fields}}`);
        expect(errors.map(({ field }) => field)).toEqual(['workflowId']);
      }
      expect(await refusedByAuthoring(`{"operation":"${operation}"}`)).toMatchObject([
        { field: 'workflowId' },
      ]);
    }
    expect(kept()).toBe(before);
  }, 120_000);

  it('[T6-5-3-match] an empty message matches nothing; one that is not text is refused', async () => {
    for (const message of ['""', '" "', '"x"', '"\\u0000"', '"\\ud800"', '"\\u202e\\u200b"', '"...!?"']) {
      const { code, answer } = await registry(`{"operation":"match_workflow","userMessage":${message}}`);
      expect({ code, answer }).toEqual({ code: 0, answer: { matches: [] } });
    }
    for (const message of ['null', '5', '[]', '{}', nested(400)]) {
      await refusedByRegistry(`{"operation":"match_workflow","userMessage":${message}}`);
    }
    const long = JSON.stringify('create a ddr, '.repeat(80_000));
    expect((await registry(`{"operation":"match_workflow","userMessage":${long}}`)).code).toBe(0);
  }, 60_000);
});

describe('invalid fields of update_workflow', () => {
  const wrong: readonly (readonly [string, string])[] = [
    ...(['Title', 'Version', 'Status', 'PermittedTools', 'CompletionCriteria'] as const).map(
      (field) => [field, 'null'] as const,
    ),
    ...[
      ['Title', '5'] as const,
      ['Title', '""'] as const,
      ['Title', '"  "'] as const,
      ['Title', nested(400)] as const,
    ],
    ...[
      ['WorkflowId', '"other_one"'] as const,
      ['Extensions', '{}'] as const,
      ['__proto__', '{"Title":"x"}'] as const,
    ],
    ...[['constructor', '1'] as const, ['toString', '"x"'] as const, ['title', '"x"'] as const],
    ...[
      ['Status', '"published"'] as const,
      ['Status', '"draft"'] as const,
      ['Visibility', '"secret"'] as const,
    ],
    ...['"1"', '"v1.0.0"', '"1.0.0-a"', '"01.0.0"', '"1.0"', '"9999999.0.0"', '1'].map(
      (version) => ['Version', version] as const,
    ),
    ...['[]', '[""]', '"x"', `[${Array(51).fill('"a b"').join()}]`].map(
      (patterns) => ['UserIntentPatterns', patterns] as const,
    ),
    ...['[{}]', '[{"name":"__proto__","question":"q"}]', '[{"name":"a","question":"q","extra":1}]'].map(
      (inputs) => ['RequiredInputs', inputs] as const,
    ),
    ...[['PermittedTools', '["*"]'] as const, ['PermittedTools', '["mcp://*"]'] as const],
    ...[
      ['Preconditions', '[{"kind":"nope"}]'] as const,
      ['Ddr', '"x"'] as const,
      ['AutoStart', '"yes"'] as const,
    ],
    ...[['InstructionText', JSON.stringify('x'.repeat(32_001))] as const, ['Notes', megabyte] as const],
  ];

  it('[T6-10-2-update-fields] are each reported, and nothing else is written', async () => {
    const before = kept();
    for (const [field, value] of wrong) {
      const fields = `{"Description":"Taken by nobody.",${JSON.stringify(field)}:${value}}`;
      const text = `{"operation":"update_workflow","workflowId":"create_ddr","fields":${fields}}`;
      const errors = await refusedByAuthoring(text);
      expect(
        errors.map((error) => error.field),
        `${field}: ${value.slice(0, 60)}`,
      ).toEqual([field]);
    }
    for (const fields of ['null', '[]', '"x"', '5', '{}']) {
      const text = `{"operation":"update_workflow","workflowId":"create_ddr","fields":${fields}}`;
      expect(await refusedByAuthoring(text)).toMatchObject([{ field: 'fields' }]);
    }
    expect(kept()).toBe(before);
  }, 60_000);
});
