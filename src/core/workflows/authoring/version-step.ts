import { gte, inc } from 'semver';
import { canonicalJson, type JsonObject } from '#shared/json';
import { WorkflowDefinition } from '#shared/workflow';
import { VersionStep, type RequiredBump } from '#shared/workflow-authoring';

type Step = RequiredBump['step'];
type Rule = (before: WorkflowDefinition, after: WorkflowDefinition) => readonly [Step, string] | null;

const text = (value: unknown): string => canonicalJson(value ?? null);
const same = (a: unknown, b: unknown): boolean => text(a) === text(b);

/** A list with only new entries is an addition; a list with lost or changed entries changes behaviour. */
function ofList<T>(read: (one: WorkflowDefinition) => readonly T[] | undefined, lost: Step): Rule {
  return (before, after) => {
    const [old, now] = [(read(before) ?? []).map(text), (read(after) ?? []).map(text)];
    if (same(old, now)) return null;
    if (old.some((entry) => !now.includes(entry))) return [lost, 'entries were changed or removed'];
    return now.some((entry) => !old.includes(entry))
      ? ['minor', 'entries were added']
      : ['patch', 'the order changed'];
  };
}

function always(read: (one: WorkflowDefinition) => unknown, step: Step, because: string): Rule {
  return (before, after) => (same(read(before), read(after)) ? null : [step, because]);
}

const withoutQuestion = ({ RequiredInputs }: WorkflowDefinition) =>
  RequiredInputs.map((input) => ({ ...input, question: '' }));

const inputs: Rule = (before, after) => {
  if (same(before.RequiredInputs, after.RequiredInputs)) return null;
  const [old, now] = [withoutQuestion(before), withoutQuestion(after)];
  if (same(old, now)) return ['patch', 'a question was reworded'];
  const unchanged = old.every((input, index) => same(input, now[index]));
  const optional = now.slice(old.length).every(({ required }) => !required);
  return unchanged && optional
    ? ['minor', 'an optional input was added']
    : ['major', 'the required inputs changed'];
};

const words = (instruction: string): string => instruction.replaceAll(/\s+/g, ' ').trim();
const instruction: Rule = ({ InstructionText: old }, { InstructionText: now }) => {
  if (old === now) return null;
  return words(old) === words(now) ? ['patch', 'only spaces changed'] : ['major', 'the steps changed'];
};

const visibility: Rule = ({ Visibility: old }, { Visibility: now }) => {
  if (old === now) return null;
  return now === 'public' ? ['minor', 'more users can find it'] : ['major', 'fewer users can find it'];
};

const status: Rule = ({ Status: old }, { Status: now }) => {
  if (old === now) return null;
  const stops = old === 'disabled' || now === 'disabled';
  return stops ? ['major', 'whether it runs changed'] : ['minor', 'its warning changed'];
};

const unexplained = ({ Preconditions = [] }: WorkflowDefinition) =>
  Preconditions.map((row) => ({ ...row, because: '' }));
const preconditions: Rule = (before, after) => {
  if (same(before.Preconditions, after.Preconditions)) return null;
  return same(unexplained(before), unexplained(after))
    ? ['patch', 'an explanation was reworded']
    : ['major', 'when it may run changed'];
};

/**
 * The version step that a change of each field requires: behaviour is major, an addition minor, a correction
 * patch (TUL-006 §8.4).
 */
const rules: Readonly<Record<Exclude<keyof WorkflowDefinition, 'WorkflowId' | 'Version'>, Rule>> = {
  Title: always((one) => one.Title, 'patch', 'a label changed'),
  Description: always((one) => one.Description, 'patch', 'a label changed'),
  Notes: always((one) => one.Notes, 'patch', 'a note changed'),
  Ddr: always((one) => one.Ddr, 'patch', 'its design record changed'),
  Extensions: always((one) => one.Extensions, 'minor', 'additional metadata changed'),
  UserIntentPatterns: ofList((one) => one.UserIntentPatterns, 'major'),
  RequiredInputs: inputs,
  InstructionText: instruction,
  PermittedTools: ofList((one) => one.PermittedTools, 'major'),
  CompletionCriteria: always((one) => one.CompletionCriteria, 'major', 'its completion criteria changed'),
  FollowUpOptions: ofList((one) => one.FollowUpOptions, 'minor'),
  Preconditions: preconditions,
  Status: status,
  Visibility: visibility,
  AutoStart: always((one) => one.AutoStart, 'major', 'its automatic start changed'),
  RequiredApprovals: always((one) => one.RequiredApprovals, 'major', 'the calls that need approval changed'),
  AllowedTransitions: ofList(
    ({ AllowedTransitions: { workflows, modes } }) => [
      ...workflows.map((id) => ({ workflow: id })),
      ...modes.map((mode) => ({ mode })),
    ],
    'major',
  ),
};

const order: readonly VersionStep[] = VersionStep.options;

export interface VersionRequirement {
  readonly step: VersionStep;
  /** The fields that differ, largest step first. */
  readonly demands: readonly RequiredBump[];
  /** Null when nothing differs. */
  readonly minVersion: string | null;
}

/** The version step that the difference between two definitions requires. Pure. */
export function requiredBump(before: WorkflowDefinition, after: WorkflowDefinition): VersionRequirement {
  const demands = Object.entries(rules).flatMap(([field, rule]): RequiredBump[] => {
    const found = rule(before, after);
    return found ? [{ field, step: found[0], because: found[1] }] : [];
  });
  const sorted = demands.toSorted((a, b) => order.indexOf(b.step) - order.indexOf(a.step));
  const step = sorted[0]?.step ?? 'none';
  return {
    step,
    demands: sorted,
    minVersion: step === 'none' ? null : inc(before.Version, step),
  };
}

/** Whether a version reaches the minimum; a higher version does, too. */
export const meetsMinimumVersion = (version: string, min: string): boolean => gte(version, min);

/**
 * The fields of a draft with the smallest version that its difference from the published definition requires.
 * A version that `changes` sets stays as it is, and so does one that is high enough.
 */
export function withRequiredVersion(
  published: WorkflowDefinition | undefined,
  fields: JsonObject,
  changes: JsonObject,
): JsonObject {
  if (!published || 'Version' in changes) return fields;
  const draft = WorkflowDefinition.safeParse(fields);
  if (!draft.success) return fields;
  const { minVersion } = requiredBump(published, draft.data);
  if (minVersion === null || meetsMinimumVersion(draft.data.Version, minVersion)) return fields;
  return { ...fields, Version: minVersion };
}
