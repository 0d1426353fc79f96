import { describe, expect, it } from 'vitest';
import { sampleWorkflow } from '../../testing/sample-workflows';
import { createMatcher } from './match';

const notes = sampleWorkflow({
  WorkflowId: 'release_notes',
  Title: 'Write release notes',
  UserIntentPatterns: ['Draft the changelog', 'Write release notes', 'Summarise the commits'],
});
const decide = sampleWorkflow({
  WorkflowId: 'create_ddr',
  Title: 'Create a new DDR',
  UserIntentPatterns: ['Write a design record', 'Record why we decided this'],
});
const match = createMatcher([notes, decide]);

describe('the explanation of a match', () => {
  it.each([
    ['write the release notes', 'Like “Write release notes”: “write”, “release notes”'],
    ['please draft a changelog for 2.4', 'Like “Draft the changelog”: “draft”, “changelog”'],
    ['put together an ADR', 'Like “Write a design record”: “put together”, “adr”'],
  ])('[T6-3-1-nearest] for %s names the nearest pattern and the user’s own words', (line, explanation) => {
    expect(match(line)[0]).toMatchObject({ explanation });
  });

  it('[T6-3-1-nearest] ranks patterns that fit equally, whatever their order', () => {
    const turned = { ...notes, UserIntentPatterns: notes.UserIntentPatterns.toReversed() };
    expect(createMatcher([turned])('compile release notes')).toEqual(
      createMatcher([notes])('compile release notes'),
    );
  });
});

describe('a line that is not a request', () => {
  it.each(['why did we decide this?', 'how do I write a design record?', 'where are the release notes?'])(
    '[T6-3-2-no-misfire] asks for information: %s',
    (line) => expect(match(line)).toEqual([]),
  );

  it.each([
    'do not write a design record yet',
    'Don’t draft the changelog, fix the test first',
    'we should never write release notes by hand',
    'I’d rather not write a design record',
    'what is a design record?',
  ])('[T6-3-2-not-wanted] negates: %s', (line) => expect(match(line)).toEqual([]));

  it.each([
    ['write a design record, but do not publish it', 'create_ddr'],
    ['why don’t we write a design record?', ''],
    ['shouldn’t we write release notes?', 'release_notes'],
  ])('[T6-3-2-not-wanted] loses only its negated clause: %s', (line, workflowId) =>
    expect(match(line)[0]?.workflowId ?? '').toBe(workflowId),
  );

  it('[T6-3-2-no-misfire] does not match because of one pattern word in another context', () => {
    expect(match('fix the typo in the changelog')).toEqual([]);
    expect(match('write a decision tree')).toEqual([]);
  });
});

describe('a workflow that the user names', () => {
  const plain = sampleWorkflow({
    WorkflowId: 'deploy',
    Title: 'Ship it',
    UserIntentPatterns: ['Roll out a build'],
  });
  const hidden = sampleWorkflow({
    WorkflowId: 'self_test',
    Title: 'Look at itself',
    Visibility: 'hidden',
    UserIntentPatterns: ['Examine the machine room'],
  });
  const named = createMatcher([notes, decide, plain, hidden]);
  const ids = (line: string) =>
    named(line).flatMap(({ workflowId, score }) => (score === 1 ? [workflowId] : []));

  it.each([
    ['an id anywhere', 'hmm, create_ddr, perhaps', ['create_ddr']],
    ['an id of any width and case', 'ＣＲＥＡＴＥ_DDR!', ['create_ddr']],
    ['an id as words', 'use workflow: create ddr', ['create_ddr']],
    ['its title', 'start the workflow write release notes for me', ['release_notes']],
    ['its title before the word', 'please run the write release notes workflow', ['release_notes']],
    ['its title without “the”', 'Use the the ship it workflow', []],
    ['its title with “the” in the request', 'Open the ship it workflow', ['deploy']],
    ['a plain word where a workflow is asked for', 'trigger workflow deploy', ['deploy']],
    ['a plain word elsewhere', 'deploy', []],
    ['a plain word without a verb', 'the deploy workflow', []],
    ['a plain word with the verb after it', 'the deploy workflow, use it', []],
    ['a part of an id', 'my_create_ddr_2', []],
    ['two ids, in their order', 'self_test or create_ddr', ['create_ddr', 'self_test']],
    ['the id of a hidden one', 'use self_test', ['self_test']],
    ['the title of a hidden one', 'use workflow: look at itself', []],
    ['the hidden one’s id as words', 'use workflow: self test', []],
    ['another name', 'use workflow: release', []],
    ['a name between and another after', 'use the deploy workflow create ddr', ['deploy']],
  ])('[T6-3-3-explicit] is found by %s', (_what, line, found) => {
    expect(ids(line)).toEqual(found);
  });

  it('[T6-3-3-explicit] comes first, once, before those that only fit', () => {
    expect(named('use workflow: create_ddr to draft the changelog')).toMatchObject([
      { workflowId: 'create_ddr', score: 1, explanation: 'The message names it.' },
    ]);
    const both = named('release_notes: write a design record');
    expect(both.map(({ workflowId }) => workflowId)).toEqual(['release_notes', 'create_ddr']);
    expect(both[1]?.score).toBeLessThan(1);
    expect(named('create_ddr: write a design record')).toHaveLength(1);
  });

  it('[T6-7-8-hidden] is never a hidden one because of its patterns', () => {
    expect(named('examine the machine room')).toEqual([]);
  });
});

describe('the candidates for a line', () => {
  const flows = ['g', 'b', 'f', 'a', 'e', 'c'].map((letter) =>
    sampleWorkflow({ WorkflowId: `flow_${letter}`, UserIntentPatterns: ['Water the garden plants'] }),
  );

  it('are at most five, by score and then by id', () => {
    const found = createMatcher(flows)('water the garden plants');
    expect(found.map(({ workflowId }) => workflowId)).toEqual([
      'flow_a',
      'flow_b',
      'flow_c',
      'flow_e',
      'flow_f',
    ]);
    const two = [
      sampleWorkflow({ WorkflowId: 'aa_near', UserIntentPatterns: ['Water the garden plants daily'] }),
      sampleWorkflow({ WorkflowId: 'zz_exact', UserIntentPatterns: ['Water the garden plants'] }),
    ];
    expect(createMatcher(two)('water the garden plants').map(({ workflowId }) => workflowId)).toEqual([
      'zz_exact',
      'aa_near',
    ]);
  });

  it('have the highest score below a name for the words of a pattern', () => {
    expect(createMatcher(flows.slice(0, 1))('Water the garden plants!')).toEqual([
      {
        workflowId: 'flow_g',
        score: 0.99,
        explanation: 'Like “Water the garden plants”: “water”, “garden”, “plants”',
      },
    ]);
  });

  it('lose their place with what else the line says', () => {
    const garden = createMatcher(flows.slice(0, 1));
    const score = (line: string) => garden(line)[0]?.score ?? 0;
    const scores = [
      'water the garden plants',
      'water the garden plants tomorrow',
      'water the garden plants tomorrow morning',
    ].map(score);
    expect(scores).toEqual([0.99, 0.875, 0.8]);
    expect(score('water the garden')).toBe(0.667);
    expect(score('water')).toBe(0);
    expect(score('plants grow under glass houses')).toBe(0);
  });

  it('are none for a line of one letter or none', () => {
    for (const line of ['', 'a', '?', ' x ']) expect(createMatcher(flows)(line)).toEqual([]);
  });

  it('are none about another topic of developers, unless the workflow is about it', () => {
    const ci = sampleWorkflow({
      WorkflowId: 'ci_flow',
      UserIntentPatterns: ['Water the garden plants on GitHub'],
    });
    const found = (line: string) =>
      createMatcher([...flows.slice(0, 1), ci])(line).map(({ workflowId }) => workflowId);
    expect(found('water the garden plants on github')).toEqual(['ci_flow']);
    expect(found('water the garden plants')).toContain('flow_g');
    expect(found('water the garden plants in jenkins')).toEqual([]);
  });

  it('fit a question only with a pattern that asks the same', () => {
    const asks = sampleWorkflow({
      WorkflowId: 'why_red',
      UserIntentPatterns: ['Why is the build broken', 'How many lamps glow'],
    });
    const found = (line: string) => createMatcher([asks])(line).map(({ workflowId }) => workflowId);
    expect(found('why is the build broken?')).toEqual(['why_red']);
    expect(found('the build is broken')).toEqual(['why_red']);
    expect(found('when is the build broken?')).toEqual([]);
    expect(found('how many lamps glow?')).toEqual(['why_red']);
  });
});
