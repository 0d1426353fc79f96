import { afterEach, describe, expect, it } from 'vitest';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { askCommand } from './commands/ask';
import type { Terminal } from './output';

let harness: MainHarness;
afterEach(() => harness.close());

/** Sends a line with `patina ask --session`; returns its exit code and everything it prints. */
async function ask(text: string) {
  const printed: string[] = [];
  const write = (piece: string) => void printed.push(piece);
  const terminal = {
    interactive: false,
    json: false,
    out: write,
    log: write,
    onInterrupt: () => () => undefined,
  };
  const code = await askCommand(harness.app, terminal as Partial<Terminal> as Terminal, text, {
    session: harness.sessionId,
  });
  return { code, printed: printed.join('\n') };
}

describe('[CLI-line-acts] a line of a named session that is a command', () => {
  it('is executed, or refused with what to do instead', async () => {
    harness = await startMain({ replies: [{ text: 'An answer.' }] });
    const { app, sessionId } = harness;
    expect(await ask('rename this chat to Plans')).toMatchObject({ code: 0 });
    expect(app.log.state(sessionId)?.title).toBe('Plans');
    expect(await ask('pin this chat')).toMatchObject({ code: 0 });
    expect(app.log.state(sessionId)?.marks.pinned).toBe(true);
    expect(await ask('dark mode')).toMatchObject({ code: 0 });
    expect(app.settings.get().theme).toBe('dark');
    const turns = harness.state().turnCount;
    const refused = await ask('open settings');
    expect(refused.code).not.toBe(0);
    expect(refused.printed).toContain('“Settings” was not done: it needs the window.');
    expect((await ask('new chat')).printed).toContain('without --session');
    expect(harness.state().turnCount).toBe(turns);
  });

  it('that says no to a question is its answer, and reaches no model', async () => {
    harness = await startMain({ replies: [{ text: 'An answer.' }] });
    const { theme } = harness.app.settings.get();
    expect((await ask('/themee dark')).printed).toContain('Did you mean');
    expect(await ask('no')).toEqual({ code: 0, printed: 'Nothing was done.\n' });
    expect(harness.state().openQuestion).toBeNull();
    expect(harness.app.settings.get().theme).toBe(theme);
    expect(harness.model.chats()).toHaveLength(0);
  });

  it('[MODEL-slash] finds a model by its slash name before anybody has opened the list', async () => {
    harness = await startMain({ models: ['alpha-1', 'beta-2'] });
    expect(await ask('/model beta-2')).toMatchObject({ code: 0 });
    expect(harness.app.settings.get().model?.model).toBe('beta-2');
    const other = await ask('/model alpha');
    expect(other.code).toBe(0);
  });
});
