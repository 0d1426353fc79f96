import { describe, expect, it } from 'vitest';
import type { SessionFact } from '#shared/session-event';
import { createManualClock } from '../../testing/manual-clock';
import { createApprovalCards } from './approval-cards';
import { createFactBuffer } from './fact-buffer';

/** Two turns of the queue: what a script starts in the same tick has arrived. */
const settled = async (): Promise<void> => {
  await Promise.resolve();
  await Promise.resolve();
};

function setUp() {
  const time = createManualClock();
  let [writable, made] = [true, 0];
  const shown: string[] = [];
  const commit = (facts: readonly SessionFact[]): boolean => {
    const names = facts.map((fact) => ('nodeId' in fact ? fact.nodeId : ''));
    return writable && shown.push(names.join(' ')) > 0;
  };
  const facts = createFactBuffer(time.clock, commit, () => undefined);
  const ids = { next: (prefix: string) => `${prefix}_${(made += 1)}` };
  const cards = createApprovalCards({ clock: time.clock, ids, facts });
  const withdrawn: string[] = [];
  const question = (name: string, order = 0) => ({
    order,
    request: (card: string): SessionFact => {
      return { type: 'node-started', turn: 0, runId: 'r', nodeId: `${name}@${card}` };
    },
    withdraw: () => void withdrawn.push(name),
  });
  return { cards, question, shown, withdrawn, time, fail: () => (writable = false) };
}

describe('a card with questions to the user', () => {
  it('is shown as soon as every call of the step waits, with its questions in the order of the calls', async () => {
    const { cards, question, shown, time } = setUp();
    const step = cards.begin();
    step.trackCall();
    step.trackCall();
    step.add(question('second', 2));
    await settled();
    expect(shown).toEqual([]);
    step.add(question('first', 1));
    await settled();
    expect(shown).toEqual(['first@card_1 second@card_1']);
    expect(time.timers()).toBe(0);
  });

  it('includes the questions that a script asks in the same tick', async () => {
    const { cards, question, shown } = setUp();
    const step = cards.begin();
    step.trackCall();
    step.add(question('a'));
    step.trackCall();
    step.add(question('b'));
    expect(shown).toEqual([]);
    await settled();
    expect(shown).toEqual(['a@card_1 b@card_1']);
  });

  it('waits 400 ms for a slow call of the step, and is not shown again', async () => {
    const { cards, question, shown, time } = setUp();
    const step = cards.begin();
    const end = step.trackCall();
    step.trackCall();
    step.add(question('a'));
    await settled();
    time.advance(399);
    expect(shown).toEqual([]);
    time.advance(1);
    expect(shown).toEqual(['a@card_1']);
    end();
    time.advance(10_000);
    expect(shown).toEqual(['a@card_1']);
  });

  it('is shown when the slow call ends first', async () => {
    const { cards, question, shown } = setUp();
    const step = cards.begin();
    const end = step.trackCall();
    step.trackCall();
    step.add(question('a'));
    await settled();
    end();
    expect(shown).toEqual(['a@card_1']);
  });

  it('has the questions of all running steps, in the order of the steps', async () => {
    const { cards, question, shown } = setUp();
    const [late, early] = [cards.begin(2), cards.begin(1)];
    late.trackCall();
    early.trackCall();
    late.add(question('late', 1));
    await settled();
    expect(shown).toEqual([]);
    early.add(question('early', 9));
    await settled();
    expect(shown).toEqual(['early@card_1 late@card_1']);
  });

  it('waits 3 s more for a step that has begun and made no call yet', async () => {
    const { cards, question, shown, time } = setUp();
    const step = cards.begin();
    cards.begin();
    step.trackCall();
    step.add(question('a'));
    await settled();
    time.advance(3_399);
    expect(shown).toEqual([]);
    time.advance(1);
    expect(shown).toEqual(['a@card_1']);
  });

  it('is shown after 400 ms when every step has made a call or asked', async () => {
    const { cards, question, shown, time } = setUp();
    const [one, other] = [cards.begin(), cards.begin()];
    other.trackCall();
    one.add(question('a'));
    await settled();
    time.advance(400);
    expect(shown).toEqual(['a@card_1']);
  });

  it('does not wait for a step that has ended', async () => {
    const { cards, question, shown } = setUp();
    const [step, other] = [cards.begin(), cards.begin()];
    step.trackCall();
    step.add(question('a'));
    await settled();
    other.end();
    expect(shown).toEqual(['a@card_1']);
  });

  it('does not wait for a call that waits for the answer to another', async () => {
    const { cards, question, shown } = setUp();
    const step = cards.begin();
    step.trackCall();
    step.trackCall();
    step.add(question('a'));
    await settled();
    const resume = step.suspendCall();
    expect(shown).toEqual([]);
    await settled();
    expect(shown).toEqual(['a@card_1']);
    // The suspended call runs again, so the next question waits for it.
    resume();
    step.add(question('b'));
    await settled();
    expect(shown).toEqual(['a@card_1', 'b@card_2']);
  });

  it('counts a resumed call as running again', async () => {
    const { cards, question, shown } = setUp();
    const step = cards.begin();
    step.trackCall();
    step.trackCall();
    step.trackCall();
    const resume = step.suspendCall();
    resume();
    step.add(question('a'));
    step.add(question('b'));
    await settled();
    expect(shown).toEqual([]);
    step.add(question('c'));
    await settled();
    expect(shown).toEqual(['a@card_1 b@card_1 c@card_1']);
  });

  it('never has a question that was withdrawn before it was shown, and is not shown empty', async () => {
    const { cards, question, shown, time } = setUp();
    const step = cards.begin();
    step.trackCall();
    step.trackCall();
    const [gone, kept] = [question('gone'), question('kept')];
    step.add(gone);
    step.add(kept);
    step.remove(gone);
    step.add(question('third'));
    await settled();
    expect(shown).toEqual(['kept@card_1 third@card_1']);
    const empty = cards.begin();
    const alone = question('alone');
    empty.add(alone);
    empty.remove(alone);
    time.advance(10_000);
    expect(shown).toHaveLength(1);
  });

  it('does not count an answered call as waiting', async () => {
    const { cards, question, shown } = setUp();
    const step = cards.begin();
    step.trackCall();
    step.trackCall();
    const first = question('a');
    step.add(first);
    step.add(question('b'));
    await settled();
    step.remove(first);
    step.trackCall();
    step.add(question('c'));
    await settled();
    expect(shown).toEqual(['a@card_1 b@card_1']);
  });

  it('withdraws its questions when it cannot be recorded', async () => {
    const { cards, question, withdrawn, fail } = setUp();
    const step = cards.begin();
    step.add(question('a'));
    step.add(question('b'));
    fail();
    await settled();
    expect(withdrawn).toEqual(['a', 'b']);
  });
});
