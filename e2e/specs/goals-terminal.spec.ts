import { expect } from '@playwright/test';
import { onModel, test } from '../fixtures/command-line';
import { goals, prepareGoal, repliesOf } from '../fixtures/goals';

for (const goal of goals) {
  test(`${goal.title}, in the terminal`, async ({ startModel, patina, project }) => {
    prepareGoal(project, goal);
    const model = await startModel({ replies: repliesOf(goal) });
    const env = onModel(model);
    let session: readonly string[] = [];
    for (const { line, answer, writes = 0, undoes, after } of goal.lines) {
      if (undoes) {
        const chat = await patina(['chat', ...session], { env, input: `${line}\nyes\n` });
        for (const part of answer) expect(chat.stdout + chat.stderr).toContain(part);
      } else {
        const ran = await patina(['agent', line, ...session, '--approve', 'all', '--json'], { env });
        expect(ran.code, ran.stdout + ran.stderr).toBe(0);
        const report = ran.json();
        for (const part of answer) expect(report['answer'], ran.stderr).toContain(part);
        expect(report['writes']).toEqual(
          Array.from({ length: writes }, () =>
            expect.objectContaining({ outcome: 'made', undo: 'possible' }),
          ),
        );
        session = ['--session', String(report['sessionId'])];
      }
      after?.(project);
    }
    goal.received?.(model);
    expect(model.chats()).toHaveLength(repliesOf(goal).length);
  });
}
