import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ok } from '#shared/result';
import { createDdrFolder } from '../adapters/ddrs/ddr-folder';
import { processAlive } from '../adapters/system/process-alive';
import { userName } from '../adapters/system/user-name';
import type { ModelQuestions } from '../../core/control-plane/model-questions';
import { createDdrs, type Ddrs } from '../../core/ddrs/create-ddrs';
import type { CoreDeps } from './core-deps';

const yes = 'Yes';

/** Formats a moment in local time with its UTC offset: `2026-01-02T10:11:12+01:00`. */
export function localTime(now: number): string {
  const date = new Date(now);
  const offset = -date.getTimezoneOffset();
  const local = new Date(now + offset * 60_000).toISOString().slice(0, 19);
  const two = (value: number): string => String(Math.trunc(Math.abs(value))).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(offset / 60)}:${two(offset % 60)}`;
}

/**
 * Stores design records in `PATINA_HOME/ddrs`, over those that ship with Patina; decisions that a model may
 * not make become cards.
 */
export function composeDdrs({ host, clock }: CoreDeps, questions: ModelQuestions): Ddrs {
  const store = createDdrFolder({
    folder: join(host.home, 'ddrs'),
    seeds: join(host.seeds, 'ddrs'),
    pid: process.pid,
    processAlive,
    now: clock.now,
    wait: () => sleep(20),
  });
  return createDdrs({
    store,
    userName: () => userName(host.env),
    localTime: () => localTime(clock.now()),
    askUser: async ({ text, detail }, context) => {
      const question = { text, detail, options: [yes, 'No'], mode: '', focusId: null };
      const answer = await questions.ask(context, question, () => ok({ facts: [] }));
      return answer.ok && answer.value === yes;
    },
  });
}
