import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { expect, it } from 'vitest';
import type { WireName } from '#shared/model';
import { providerFaults, type ProviderFault } from '../../../testing/provider-faults';
import { wireNames } from '../../../testing/scripted-model-client';

const titles: Readonly<Record<WireName, string>> = {
  chat: 'OpenAI chat completions',
  responses: 'OpenAI Responses',
  anthropic: 'Anthropic Messages',
};

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (heads: readonly string[], rows: readonly string[]): string =>
  [row(...heads), row(...heads.map(() => '---')), ...rows].join('\n');

/** The titles of the tests that run once for each protocol. */
function features(): readonly string[] {
  const source = readFileSync(resolve('src/main/adapters/llm/wires.test.ts'), 'utf8');
  const [, each = ''] = /\ndescribe\.each\(wireNames\)(.*?)\n\}\);\n/s.exec(source) ?? [];
  return [...each.matchAll(/^ {2}it\('(?:\[[^\]]+\] )*([^']+)'/gm)].map(([, title = '']) => title);
}

function requestWords(requests: number): string {
  if (requests === 1) return '';
  return requests === 0 ? ', before any request' : `, after ${requests} requests`;
}

function resultOf({ result }: ProviderFault): string {
  const requests = requestWords(result.requests ?? (result.waits ?? []).length + 1);
  if (result.code === 'reply') return `the whole reply${requests}`;
  return `\`LLM/${result.code}\`${requests}${result.text === undefined ? '' : '; the text so far is kept'}`;
}

function faultRow(fault: ProviderFault, at: number): string {
  const cells = wireNames
    .map((wire) => fault.impossible?.[wire])
    .map((why) => (why ? `cannot: ${why}` : 'yes'));
  return row(`${at + 1}`, fault.does, resultOf(fault), ...cells);
}

function page(): string {
  const heads = wireNames.map((wire) => titles[wire]);
  const good = features();
  const all = providerFaults.filter(({ impossible }) => impossible === undefined).length;
  return `# Conformance of the three protocols

Patina speaks three protocols with models. Tests hold each of them to the same behaviour, against servers on loopback that send the shapes of the public references. \`npm run docs\` writes this page from the tables that the tests run over; a test fails when the two differ.

## What each protocol does

${table(
  ['the client', ...heads],
  good.map((title) => row(title, ...wireNames.map(() => 'yes'))),
)}

Tested by \`src/main/adapters/llm/wires.test.ts\`.

## What each protocol does when a server misbehaves

${providerFaults.length} faults, ${all} of which every protocol can meet; a cell says why a protocol cannot. An error is typed, says in plain words what happened and what to do next, and never contains the key, in whatever form the server repeats it.

${table(['#', 'the server …', 'result', ...heads], providerFaults.map(faultRow))}

Tested by \`src/main/adapters/llm/provider-faults.test.ts\` over \`src/testing/provider-faults.ts\`.
`;
}

it('[LLM-faults] docs/providers-conformance.md is what the tests of the protocols run over', async () => {
  expect(features().length).toBeGreaterThan(8);
  const file = resolve('docs/providers-conformance.md');
  const text = await format(page(), { ...(await resolveConfig(file)), parser: 'markdown' });
  await expect(text).toMatchFileSnapshot(file);
});
