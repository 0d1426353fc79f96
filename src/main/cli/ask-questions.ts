import type { ApprovePolicy } from '../../core/ports/agent';
import type { App } from '../app';
import { askElicitations } from './ask-elicitation';
import { createQuestionPrompts } from './ask-question';
import { createWorkflowPrompts } from './ask-workflow';
import type { Terminal } from './output';

/** The parts through which the user answers questions of tools, servers and workflows. */
export type QuestionParts = Pick<App, 'elicitations' | 'lines' | 'log' | 'workflowController'>;

/**
 * Asks the user, if there is one, the questions of tools and workflows in a session; returns a function that
 * stops it.
 */
export function askQuestions(
  app: QuestionParts,
  terminal: Terminal,
  sessionId: string,
  approve?: ApprovePolicy,
): () => void {
  const { interactive } = terminal;
  const prompts = [
    createQuestionPrompts(app, terminal, interactive, approve),
    createWorkflowPrompts(app, terminal, { reads: interactive }),
  ];
  const unfollow = app.log.subscribe((events, id) => {
    if (id === sessionId) for (const prompt of prompts) prompt.onEvents(events);
  });
  const leave = askElicitations(app, terminal, interactive);
  return () => {
    unfollow();
    leave();
    for (const prompt of prompts) prompt.close();
  };
}
