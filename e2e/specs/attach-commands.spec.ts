import { expect } from '@playwright/test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onModel, test } from '../fixtures/command-line';

test('[ITEM-commands] ask and agent send files with a line, and nothing when one cannot be attached', async ({
  startModel,
  patina,
  project,
}) => {
  const model = await startModel({ replies: [{ text: 'One.' }, { text: 'Two.' }] });
  const env = onModel(model);
  mkdirSync(join(project, 'docs'), { recursive: true });
  writeFileSync(join(project, 'docs/a.txt'), 'FIRSTFILE');
  writeFileSync(join(project, 'b.txt'), 'SECONDFILE');
  writeFileSync(join(project, '.env'), 'PORT=1');
  const at = (path: string) => join(project, path);
  await patina(['ask', 'read', '--attach', at('docs/a.txt'), '--attach', at('b.txt')], { env });
  const sent = await model.chat(0);
  expect(sent.text).toContain('FIRSTFILE');
  expect(sent.text).toContain('SECONDFILE');
  await patina(['agent', 'read', '--attach', at('b.txt')], { env });
  expect((await model.chat(1)).text).toContain('SECONDFILE');

  for (const [path, words] of [
    ['none.txt', 'There is no file'],
    ['.env', 'repeat the command with --attach-secrets'],
  ] as const) {
    const refused = await patina(['ask', 'read', '--attach', at(path)], { env });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(words);
  }
  const piped = await patina(['ask', 'read', '--attach', '-'], {
    env,
    input: '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----\n',
  });
  expect(piped.stderr).toContain('Standard input was not attached: it looks like a secret.');
  expect(model.chats()).toHaveLength(2);
});
