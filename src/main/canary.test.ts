import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planOf, scriptNode } from '../testing/agent-plans';
import { startMain, type MainRig } from '../testing/main-rig';
import { must } from '../testing/stored-session';

const modelKey = 'sk-canary-5b1f0c9e7a2d4866b0aa';
const serverKey = 'canary-of-a-server-93d1c7e55f20';

let project: string;
let rig: MainRig;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'patina-canary-'));
  mkdirSync(join(project, '.patina'));
});
afterEach(async () => {
  await rig.close();
  rmSync(project, { recursive: true, force: true });
});

/** The files below a folder whose bytes hold a text. */
function filesHolding(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

/** A server that says its key wherever a server can say something, and then is gone. */
const telling = "console.error('My key is ' + process.env.TOKEN); process.exit(1)";

const status = (code: number) => ({
  fault: { type: 'status' as const, status: code, message: `Bad key ${modelKey}: try another.` },
});

/** Adds a server with a key of its own. */
async function addLeaky() {
  const side = await rig.app.agentSide();
  must(
    await side.serverSettings.save(project, {
      name: 'leaky',
      server: {
        command: process.execPath,
        args: ['-e', telling],
        env: { TOKEN: { secrets_ref: 'leaky' } },
      },
      secret: { ref: 'leaky', value: serverKey },
    }),
  );
  return side;
}

describe('a key that is a canary', () => {
  it('[H51] is in no session, trace, error, notice or file, not even as it is kept', async () => {
    rig = await startMain({
      project,
      env: { OPENAI_API_KEY: modelKey },
      replies: [
        status(401),
        status(400),
        { text: 'Half', fault: { type: 'stream-error', after: 1, error: { message: `No: ${modelKey}` } } },
        { text: 'Half', fault: { type: 'garbage', after: 1, line: `data: {"key": "${modelKey}"` } },
        { toolCalls: [{ name: 'submit_plan', arguments: { code: 'return tools.leaky.tell({});' } }] },
        { toolCalls: [{ name: 'submit_plan', arguments: { code: 'return tools.leaky.tell({});' } }] },
      ],
    });
    const side = await addLeaky();
    for (const line of ['one', 'two', 'three', 'four']) await rig.say(line);
    const run = await rig.say('tell me', { runMode: 'agent' });
    expect(run.run?.status).toBeDefined();
    const servers = must(await side.checkServers(project));
    expect(JSON.stringify(servers)).toContain('leaky');

    const said = JSON.stringify([servers, must(rig.app.log.events(rig.sessionId)), rig.app.notices.all()]);
    expect(rig.model.chats().every(({ headers }) => headers['authorization'] === `Bearer ${modelKey}`)).toBe(
      true,
    );
    await rig.app.close();
    for (const key of [modelKey, serverKey]) {
      expect(said).not.toContain(key);
      expect([...filesHolding(project, key), ...filesHolding(rig.home, key)]).toEqual([]);
    }
  });

  it('[H50] is not what a reference to it turns into, in a line, a script or a call', async () => {
    const code =
      "const ref = { secrets_ref: ['lea', 'ky'].join('') }; await tools.project.search_text({ query: JSON.stringify(ref) }); return { summary: 'made', state: { ref: JSON.stringify(ref) } };";
    const plan = planOf([scriptNode('make', code)], 'It is {{make.ref}}.');
    rig = await startMain({
      project,
      replies: [{ text: 'No.' }, { toolCalls: [{ name: 'submit_plan', arguments: plan }] }],
    });
    await addLeaky();
    await rig.say('{"secrets_ref":"leaky"} ${secrets_ref:leaky}');
    const { run } = await rig.say('make it', { runMode: 'agent' });
    expect(JSON.stringify([run?.answer, run?.nodes])).toContain('secrets_ref');
    expect(rig.model.requests.map(({ text }) => text).join()).not.toContain(serverKey);
    expect(JSON.stringify(must(rig.app.log.events(rig.sessionId)))).not.toContain(serverKey);
  });
});
