import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { WorkflowDefinition } from '#shared/workflow';
import { sampleWorkflow } from '../../testing/sample-workflows';
import { createMatcher } from './match';

const top = path.resolve(import.meta.dirname, '../../..');
const read = (file: string): unknown => JSON.parse(readFileSync(path.join(top, file), 'utf8'));

interface Corpus {
  readonly lines: readonly { readonly line: string; readonly workflowId: string }[];
  readonly ordinary: readonly string[];
  readonly alsoOrdinary: readonly string[];
}
const corpus = read('e2e/corpus/workflows.json') as Corpus;
const ordinary = read('e2e/corpus/ordinary.json') as { lines: readonly string[] };
const heldOut = read('e2e/corpus/held-out.json') as { ordinary: readonly string[] };

const folder = 'seeds/workflows';
const definitions = readdirSync(path.join(top, folder)).map((name) =>
  WorkflowDefinition.parse(read(`${folder}/${name}`)),
);
const match = createMatcher(definitions);

describe('the corpus of sentences that start workflows', () => {
  it('has at least 200, and at least 30 for each workflow that is not hidden', () => {
    expect(corpus.lines.length).toBeGreaterThanOrEqual(200);
    for (const { WorkflowId, Visibility } of definitions) {
      const own = corpus.lines.filter(({ workflowId }) => workflowId === WorkflowId);
      expect(own.length, WorkflowId).toBeGreaterThanOrEqual(Visibility === 'hidden' ? 1 : 30);
    }
  });

  it('[T6-3-1-paraphrases] matches at least 95 of 100 at rank 1', () => {
    const missed = corpus.lines.flatMap(({ line, workflowId }) => {
      const [first] = match(line);
      return first?.workflowId === workflowId ? [] : [`${line} -> ${first?.workflowId ?? 'none'}`];
    });
    expect(missed.length / corpus.lines.length, missed.join('\n')).toBeLessThanOrEqual(0.05);
  });

  it('[T6-3-2-no-misfire] matches nothing in ordinary talk', () => {
    const matched = [...corpus.ordinary, ...ordinary.lines, ...heldOut.ordinary]
      .filter((line) => !corpus.alsoOrdinary.includes(line))
      .flatMap((line) =>
        match(line).map((fit) => `${line} -> ${fit.workflowId} (${fit.score}, ${fit.explanation})`),
      );
    expect(matched).toEqual([]);
  });
});

interface Sentences {
  readonly wanted: readonly (readonly [line: string, workflowId: string])[];
  readonly unwanted: readonly string[];
}
interface TeamCorpus {
  readonly definitions: readonly {
    readonly id: string;
    readonly title: string;
    readonly patterns: readonly string[];
  }[];
  readonly tuned: Sentences;
  readonly heldOut: Sentences;
}

describe('[WF-match-team] workflows that a team wrote', () => {
  const team = read('e2e/corpus/team-workflows.json') as TeamCorpus;
  const matchTeam = createMatcher([
    ...definitions,
    ...team.definitions.map(({ id, title, patterns }) =>
      sampleWorkflow({ WorkflowId: id, Title: title, UserIntentPatterns: [...patterns] }),
    ),
  ]);

  it.each(['tuned', 'heldOut'] as const)(
    'are found in at least 85 of 100 sentences that ask for them, and 90 of 100 matches are right (%s)',
    (part) => {
      const { wanted, unwanted } = team[part];
      const right = wanted.filter(([line, workflowId]) => matchTeam(line)[0]?.workflowId === workflowId);
      const lines = [...wanted.map(([line]) => line), ...unwanted];
      const matched = lines.filter((line) => matchTeam(line).length > 0);
      expect(wanted.length).toBeGreaterThanOrEqual(20);
      expect(unwanted.length).toBeGreaterThanOrEqual(20);
      expect(right.length / wanted.length).toBeGreaterThanOrEqual(0.85);
      expect(right.length / matched.length).toBeGreaterThanOrEqual(0.9);
    },
  );

  it('explain their match in the user’s words', () => {
    expect(matchTeam('please triage the attached issue')[0]).toMatchObject({
      workflowId: 'triage_bug',
      explanation: expect.stringMatching(/^Like “.+”: .*“(?:triage|issue)”/) as string,
    });
  });
});
