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
