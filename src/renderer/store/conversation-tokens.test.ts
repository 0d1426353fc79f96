import { describe, expect, it } from 'vitest';
import { applyEvents } from '#shared/apply-event';
import { appError } from '#shared/app-error';
import type { SessionFact } from '#shared/session-event';
import { emptySession, type SessionState } from '#shared/session-state';
import { conversationTokens, draftTokens } from './session-view';

const model = { providerId: 'local', model: 'm' };

function sessionOf(facts: readonly SessionFact[]): SessionState {
  const events = facts.map((fact, at) => ({ sessionId: 's', seq: at + 1, at, v: 1, ...fact }));
  return applyEvents(emptySession('s'), events);
}

const asked = (turn: number, text: string): readonly SessionFact[] => [
  { type: 'message-sent', turn, text, runMode: 'ask', model },
  { type: 'reply-started', turn, model, providerName: 'Local' },
];
const answered = (turn: number, text: string, inputTokens: number): readonly SessionFact[] => [
  { type: 'reply-extended', turn, text },
  {
    type: 'reply-ended',
    turn,
    outcome: 'done',
    usage: { modelTurns: 1, inputTokens, outputTokens: 100, estimated: true },
  },
];

const first = [...asked(0, 'a'.repeat(40)), ...answered(0, 'b'.repeat(400), 2_000)];

describe('[CTX-meter] the tokens of the next request', () => {
  it('are without a line that was too long for the model', () => {
    const error = appError('LLM', 'CONTEXT_LIMIT', 'Too long.');
    const refused: readonly SessionFact[] = [
      ...asked(1, 'x'.repeat(40_000)),
      { type: 'reply-ended', turn: 1, outcome: 'failed', error },
    ];
    expect(conversationTokens(sessionOf([...first, ...refused]))).toBe(2_100);
  });

  it('include what precedes the conversation', () => {
    expect(conversationTokens(sessionOf(first))).toBe(2_100);
  });

  it('grow while a reply streams, and never drop to the conversation alone', () => {
    const streaming = [...first, ...asked(1, 'c'.repeat(40))];
    expect(conversationTokens(sessionOf(streaming))).toBe(2_110);
    const more = [...streaming, { type: 'reply-extended' as const, turn: 1, text: 'd'.repeat(400) }];
    expect(conversationTokens(sessionOf(more))).toBe(2_210);
  });

  it('count what is attached to a line once, while its reply streams and after', () => {
    const item = { kind: 'file' as const, ref: 'a.ts', hash: 'a'.repeat(64), bytes: 4_000, tokens: 1_000 };
    const [sent, started] = asked(1, 'c'.repeat(40));
    const streaming = [...first, { ...sent, items: [item, item] } as SessionFact, started!];
    expect(conversationTokens(sessionOf(streaming))).toBe(4_110);
    expect(conversationTokens(sessionOf([...streaming, ...answered(1, 'd', 4_000)]))).toBe(4_100);
  });

  it('count every turn of a long session once, wherever a summary or a counted reply begins', () => {
    const plain = (turn: number) => [
      ...asked(turn, 'a'.repeat(40)),
      { type: 'reply-extended' as const, turn, text: 'b'.repeat(400) },
    ];
    const long = Array.from({ length: 200 }, (_, turn) => plain(turn)).flat();
    expect(conversationTokens(sessionOf(long))).toBe(200 * 110);
    expect(conversationTokens(sessionOf([...long, ...plain(200)]))).toBe(201 * 110);
    const counted = [...long.slice(0, 3 * 70), ...asked(70, 'c'), ...answered(70, 'd', 9_000)];
    const after = Array.from({ length: 130 }, (_, at) => plain(71 + at)).flat();
    expect(conversationTokens(sessionOf([...counted, ...after]))).toBe(9_100 + 130 * 110);
    const summary = { type: 'history-compacted' as const, upTo: 99, summary: '', by: 'rule' as const };
    const left = conversationTokens(sessionOf([...long, summary])) - 100 * 110;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(20);
  });

  it('count the items of the next line that are read', () => {
    const item = { kind: 'file' as const, ref: 'a.ts', hash: 'a'.repeat(64), bytes: 4_000, tokens: 1_000 };
    const read = { key: 1, name: 'a.ts', status: 'ready' as const, item };
    expect(draftTokens([read, { ...read, key: 2 }, { key: 3, name: 'b.ts', status: 'reading' }])).toBe(2_000);
    expect(draftTokens([])).toBe(0);
  });

  it('shrink when earlier turns are summarised, but not below what precedes the conversation', () => {
    const summary = { type: 'history-compacted' as const, upTo: 0, summary: 'short', by: 'model' as const };
    const tokens = conversationTokens(sessionOf([...first, summary]));
    expect(tokens).toBeGreaterThan(2_100 - 110);
    expect(tokens).toBeLessThan(2_100 - 60);
  });

  it('average the rounds of a reply that called tools', () => {
    const usage = { modelTurns: 2, inputTokens: 4_000, outputTokens: 50 };
    const facts: readonly SessionFact[] = [
      ...asked(0, 'one'),
      { type: 'reply-ended', turn: 0, outcome: 'done', usage },
    ];
    expect(conversationTokens(sessionOf(facts))).toBe(2_050);
  });
});
