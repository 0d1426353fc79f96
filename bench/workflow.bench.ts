import { performance } from 'node:perf_hooks';
import type { WorkflowDefinition } from '../src/shared/workflow';
import { createMatcher } from '../src/core/workflows/match';
import { median, report } from './lib/report';

const verbs =
  'create review refine approve publish triage summarise collect compare migrate archive deploy tune rename plan'.split(
    ' ',
  );
const things =
  'ddr release branch ticket invoice schema contract survey roadmap dataset pipeline dashboard budget manual glossary'.split(
    ' ',
  );
const owners = 'team customer partner auditor vendor board project region quarter product'.split(' ');

const pick = (list: readonly string[], at: number): string => list[at % list.length] ?? '';

/** Many share each word, as the workflows of one company do; only all words of a pattern together are unique. */
function definitionAt(at: number): WorkflowDefinition {
  const [verb, thing] = [pick(verbs, at), pick(things, Math.floor(at / verbs.length))];
  const owner = pick(owners, Math.floor(at / (verbs.length * things.length)) + at);
  return {
    WorkflowId: `${verb}_${thing}_${at}`,
    Title: `${verb} the ${thing} of the ${owner} ${at}`,
    Description: 'One of many.',
    UserIntentPatterns: [
      `${verb} a ${thing} for the ${owner}`,
      `${thing} ${verb} with the ${owner}`,
      `please ${verb} every open ${thing}`,
      `what does the ${owner} ${thing} need`,
      `${verb} ${thing} number ${at}`,
    ],
    RequiredInputs: [],
    InstructionText: 'Do it.',
    PermittedTools: [],
    Version: '1.0.0',
    CompletionCriteria: [{ text: 'It is done.' }],
    Status: 'active',
    Visibility: 'public',
    AutoStart: false,
    RequiredApprovals: [],
    AllowedTransitions: { workflows: [], modes: [] },
    Ddr: 'WFL-001',
  };
}

/** Lines that mean a workflow, name one, are vague, are long, and are about something else. */
function linesOver(count: number): readonly string[] {
  const pasted = `please look at this ${things.join(' ')} ${verbs.join(' ')} ${owners.join(' ')} `.repeat(20);
  return Array.from({ length: 300 }, (_, at): readonly string[] => {
    const { Title, WorkflowId } = definitionAt((at * 7_919) % count);
    return [
      `could you ${pick(verbs, at)} the ${pick(things, at * 3)} for our ${pick(owners, at * 5)} today?`,
      `use workflow: ${WorkflowId}`,
      `start the ${Title} workflow`,
      pick(things, at),
      'why does the build fail on the second run, and how do I find out?',
      ...(at % 10 === 0 ? [pasted] : []),
    ];
  }).flat();
}

function timeOf(work: () => void): number {
  const from = performance.now();
  work();
  return performance.now() - from;
}

for (const count of [100, 1_000]) {
  const definitions = Array.from({ length: count }, (_, at) => definitionAt(at));
  const started = performance.now();
  const match = createMatcher(definitions);
  const built = performance.now() - started;
  const lines = linesOver(count);
  for (const line of lines.slice(0, 200)) match(line);
  // The best of three: time that other processes take is not the matcher's.
  const times = lines
    .map((line) => Math.min(...Array.from({ length: 3 }, () => timeOf(() => match(line)))))
    .sort((a, b) => a - b);
  const of = `among ${count.toLocaleString('en')} workflows`;
  report({ name: `match p50 ${of}`, value: median(times), goal: 1, unit: 'ms' });
  report({
    name: `match p99 ${of}`,
    value: times[Math.floor(times.length * 0.99)] ?? 0,
    goal: 5,
    unit: 'ms',
  });
  report({ name: `match, longest ${of}`, value: times.at(-1) ?? 0, goal: 50, unit: 'ms' });
  report({
    name: `matcher built over ${count.toLocaleString('en')} workflows`,
    value: built,
    goal: 1_000,
    unit: 'ms',
  });
}
