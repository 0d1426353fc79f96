import { z } from 'zod';
import { ok } from '#shared/result';
import { withGoal } from './chapter-text';
import { block, id } from './fields';
import { editDocument, operation } from './operation';
import { refuse } from './refusal';

const goalOf = (document: { readonly ddr: { readonly goal: unknown } }) => ({
  goal: document.ddr.goal as null,
});

const setGoal = operation({
  name: 'set_goal',
  usage: 'set_goal {id, goal}: writes the goal; an approved goal is a draft again.',
  payload: z.strictObject({ id, goal: block(20_000) }),
  run: (payload, context) =>
    editDocument(context, payload.id, (document) =>
      ok({ change: { body: withGoal(document, payload.goal) }, extraResult: goalOf }),
    ),
});

const approveGoal = operation({
  name: 'approve_goal',
  usage: 'approve_goal {id}: the user is asked to approve the goal.',
  payload: z.strictObject({ id }),
  run: (payload, context) =>
    editDocument(context, payload.id, ({ ddr }) => {
      if (!ddr.goal) return refuse('conflict', `${ddr.id} has no goal yet. Set it with set_goal first.`);
      if (ddr.goal.status === 'approved') return ok({ change: {}, extraResult: goalOf });
      return ok({
        change: { approveGoal: context.approval() },
        question: { text: `Approve the goal of ${ddr.id} "${ddr.title}"?`, detail: ddr.goal.text },
        extraResult: goalOf,
      });
    }),
});

export const goalOperations = [setGoal, approveGoal];
