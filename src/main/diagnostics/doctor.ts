import { appError, problemLine, type AppError, type ConfigProblem } from '#shared/app-error';
import type { LocalModelsView } from '#shared/local-model';
import type { InstructionFilesView } from '#shared/instruction-files';
import type { Result } from '#shared/result';
import { describeCallLimits } from '#shared/servers';
import type { RecipeRegistry } from '../../core/agent/recipe-registry';
import type { AgentRuntime, DoctorCheck, ServerReport } from '../app';
import type { PackStatus } from '../../core/control-plane/merge-seed-layers';
import type { ProcessHost } from '../adapters/process-host';
import type { EncoderState } from '../adapters/sentence-encoder/sentence-encoder';
import { joinFew } from '../notices/pack-notices';
import type { EventLog } from '../../core/ports/event-log';
import type { ModelClient } from '../../core/ports/llm';
import type { LabelledArtifactStore } from '../../core/ports/sandbox';
import type { SessionLog } from '../../core/session/session-log';
import { damagedEvents } from '../../core/session/session-reader';

const gigabyte = 1024 ** 3;

/**
 * The artifact check of `patina doctor`: reports nothing until a project's artifacts take a notable amount of
 * space.
 */
export function checkArtifacts({ list }: Pick<LabelledArtifactStore, 'list'>): readonly DoctorCheck[] {
  const listed = list();
  if (!listed.ok) return [{ name: 'artifacts', ok: false, detail: listed.error.message }];
  const bytes = listed.value.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes <= gigabyte) return [];
  const size = `${(bytes / gigabyte).toFixed(1)} GB in ${listed.value.length} files`;
  const detail = `${size}; Patina never deletes artifacts. You can delete the folder: earlier runs then show only their answers.`;
  return [{ name: 'artifacts', ok: true, detail }];
}

export interface DoctorDeps {
  readonly host: ProcessHost;
  readonly models: ModelClient;
  readonly log: SessionLog;
  readonly eventLog: Pick<EventLog, 'file'>;
  readonly project: () => string | null;
  readonly artifacts: (project: string) => Pick<LabelledArtifactStore, 'list'>;
  readonly agentRuntime: () => Promise<AgentRuntime>;
  /** Checks the rows that a user can change: workflows and recipes. */
  readonly rows: () => readonly DoctorCheck[];
  /** The workspace that new sessions of a project start with. */
  readonly workspace: (project: string | null) => Result<string>;
  /** Reads the instructions that a project brings along. */
  readonly instructions: (project: string) => Promise<InstructionFilesView>;
  /** Reads every page of the sessions file; the problem, or null. */
  readonly checkSessions: () => Promise<Result<string | null>>;
}

const problem = (error: AppError): string =>
  (error.problems ?? [])
    .map(problemLine)
    .reduce((joined, line) => (joined.includes(line) ? joined : `${joined} ${line}.`), error.message);

const broken = (name: string, error: AppError): DoctorCheck => ({
  name,
  ok: false,
  detail: problem(error),
  ...(error.kind === 'CONFIG' && { error }),
});

function checkContent(found: Result<string>): DoctorCheck {
  if (found.ok) return { name: 'workspace', ok: true, detail: found.value };
  const check = broken('workspace', found.error);
  return { ...check, detail: [check.detail, found.error.hint ?? ''].join(' ').trim() };
}

/** What a project brings along, and whether models read it; a file that cannot be adopted is a fault. */
export function checkInstructions({
  files,
  problems,
  dropped,
}: Pick<InstructionFilesView, 'files' | 'problems' | 'dropped'>): readonly DoctorCheck[] {
  const statusText = {
    new: 'not adopted',
    adopted: 'adopted',
    changed: 'changed since',
    removed: 'removed since',
  };
  const parts = [
    ...files.map(({ path, status }) => `${path} (${statusText[status]})`),
    ...problems.map((found) => problemLine(found).replace(/[.]$/, '')),
  ];
  if (parts.length === 0) return [];
  const refused = dropped && files.length > 0 ? ['You refused them.'] : [];
  const detail = [`${parts.join('; ')}.`, ...refused].join(' ');
  return [{ name: 'project instructions', ok: problems.length === 0, detail }];
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

async function checkProviders(models: ModelClient): Promise<DoctorCheck[]> {
  const providers = await models.listModels(true);
  const listed = providers.map((provider): DoctorCheck => {
    const detail =
      provider.problem ??
      `${counted(provider.models.length, 'model')}${provider.baseUrl ? ` at ${provider.baseUrl}` : ''}`;
    return { name: `provider ${provider.name}`, ok: provider.problem === undefined, detail };
  });
  const chosen = await models.defaultModel();
  return [...listed, { name: 'default model', ok: true, detail: `${chosen.model} (${chosen.providerId})` }];
}

function checkPolicy(agent: AgentRuntime, project: string | null): DoctorCheck[] {
  if (project === null)
    return [{ name: 'project', ok: false, detail: 'No project folder; set one with --project DIR.' }];
  const found = { name: 'project', ok: true, detail: project };
  const files = [
    { name: 'capabilities', result: agent.policy.capabilities(project) },
    { name: 'budgets', result: agent.policy.budgets(project) },
  ];
  return [
    found,
    ...files.map(({ name, result }) =>
      result.ok ? { name, ok: true, detail: 'valid' } : broken(name, result.error),
    ),
  ];
}

const maxDetailLength = 600;

/** Shortens a server's message to one line of limited length. */
function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > maxDetailLength ? `${line.slice(0, maxDetailLength)}…` : line;
}

function aboutReady({ tools, detail, limits, notAllowed = '' }: ServerReport): string {
  const times = limits ? describeCallLimits(limits) : '';
  return [`${counted(tools, 'tool')}.`, notAllowed, times, detail].filter(Boolean).join(' ');
}

async function checkServers(agent: AgentRuntime, project: string | null): Promise<DoctorCheck[]> {
  if (project === null) return [];
  const servers = await agent.checkServers(project);
  if (!servers.ok) return [broken('servers', servers.error)];
  const detailOf = (server: ServerReport): string => {
    if (agent.signIn.state(server.server).state === 'needed')
      return `asks for a sign-in: patina server sign-in ${server.server}`;
    return server.state === 'ready' ? aboutReady(server) : server.detail;
  };
  return servers.value.map((server) => ({
    name: `server ${server.server}`,
    ok: server.state === 'ready',
    detail: oneLine(detailOf(server)),
  }));
}

async function checkFile(checked: Promise<Result<string | null>>): Promise<DoctorCheck> {
  const name = 'sessions file';
  const found = await checked;
  if (!found.ok) return { name, ok: false, detail: found.error.message };
  if (found.value === null) return { name, ok: true, detail: 'every page is intact' };
  const next = 'The next start keeps this file and saves its readable part into a new one.';
  return { name, ok: false, detail: `damaged (${found.value}). ${next}` };
}

/** Checks the daily copies; having none yet is not a fault. */
function checkCopies(log: SessionLog): DoctorCheck {
  const copies = log.copies();
  if (!copies.ok) return { name: 'copies', ok: false, detail: copies.error.message };
  const bad = copies.value.filter(({ sessions }) => sessions === null).map(({ name }) => name);
  if (bad.length > 0) return { name: 'copies', ok: false, detail: `These cannot be read: ${joinFew(bad)}.` };
  const days = copies.value.map(({ day }) => day);
  return { name: 'copies', ok: true, detail: days.length === 0 ? 'none yet' : days.join(', ') };
}

/** Checks every stored event of every session. */
function checkStorage(log: SessionLog): DoctorCheck {
  const ids = log.ids();
  if (!ids.ok) return { name: 'sessions', ok: false, detail: ids.error.message };
  const damaged = ids.value.flatMap((id) => {
    const check = log.check(id);
    const events = check.ok ? damagedEvents(check.value) : 0;
    return events > 0 ? [{ id, name: `${id} (${counted(events, 'event')})` }] : [];
  });
  const listed = log.summaries({ archived: false });
  const detail = counted(listed.ok ? listed.value.length : ids.value.length, 'session');
  if (damaged.length === 0) return { name: 'sessions', ok: true, detail };
  const repairable = damaged.some(({ id }) => {
    const restorable = log.restorable(id);
    return !restorable.ok || restorable.value > 0;
  });
  const next = repairable
    ? 'Repair them with: patina session repair'
    : 'No daily copy contains these events, so they cannot be repaired.';
  return {
    name: 'sessions',
    ok: false,
    detail: `${detail}; damaged: ${joinFew(damaged.map(({ name }) => name))}. ${next}`,
  };
}

const unusable = (problems: readonly ConfigProblem[]): AppError =>
  appError('CONFIG', 'INVALID', 'Some of your recipes are not valid.', {
    problems: [...problems],
    hint: 'Fix or delete these files. Patina reads them again immediately.',
  });

/** The check of the models on this computer; having none is not a fault. */
export function checkLocalModels({ models }: LocalModelsView): DoctorCheck {
  const detail =
    models.length === 0
      ? 'not installed; to add one, use "patina model download", "patina model import FILE" or Settings, Models'
      : models.map(({ name }) => name).join(', ');
  return { name: 'local model', ok: true, detail };
}

const encoderStates: Readonly<Record<EncoderState, string>> = {
  ready: 'installed',
  'not-installed': 'not installed',
  off: 'off in the settings',
  memory: 'off, because little memory is free',
  failed: 'off, because it could not be started',
};

/** The check of the optional sentence encoder; Patina works without it, so no state is a fault. */
export const checkSentenceEncoder = (state: EncoderState): DoctorCheck => ({
  name: 'sentence encoder',
  ok: true,
  detail: encoderStates[state],
});

/** The recipe check of `patina doctor`. */
export function checkRecipes({ all, problems }: RecipeRegistry): DoctorCheck {
  if (problems.length === 0) return { name: 'recipes', ok: true, detail: `${all.length} recipes` };
  const lines = problems.map(({ file, field, reason }) => [file, field, reason].filter(Boolean).join(': '));
  return { name: 'recipes', ok: false, detail: joinFew(lines), error: unusable(problems) };
}

/** One check of `patina doctor` for each pack that contributes nothing to this start. */
export function checkPacks(packs: readonly PackStatus[]): readonly DoctorCheck[] {
  return packs.flatMap(({ name, folder, disabled = [] }) => {
    if (disabled.length === 0) return [];
    const hint = `Fix the files in ${folder}, or remove that folder, then restart Patina.`;
    const message = `The pack "${name}" is switched off.`;
    const error = appError('CONFIG', 'INVALID', message, { problems: [...disabled], hint });
    const detail = [message, joinFew(disabled.map(problemLine)), hint].join(' ');
    return [{ name: `pack ${name}`, ok: false, detail, error }];
  });
}

/** Checks everything that a run needs and reports its state on this machine. */
export function createDoctor(deps: DoctorDeps): () => Promise<readonly DoctorCheck[]> {
  const { host, models, log, eventLog } = deps;
  return async () => {
    const project = deps.project();
    const sessions = checkStorage(log);
    const checkedFile = deps.checkSessions();
    const agent = await deps.agentRuntime();
    const secrets = host.secrets.status();
    return [
      {
        name: 'patina',
        ok: true,
        detail: `${host.version} on ${process.platform}, Node ${process.versions.node}`,
      },
      { name: 'home', ok: true, detail: host.home },
      { name: 'log', ok: true, detail: eventLog.file },
      sessions,
      await checkFile(checkedFile),
      checkCopies(log),
      {
        name: 'keys',
        ok: true,
        detail: secrets.available ? 'protected' : (secrets.reason ?? 'not protected'),
      },
      ...deps.rows(),
      checkContent(deps.workspace(project)),
      ...(project === null ? [] : checkInstructions(await deps.instructions(project))),
      ...(await checkProviders(models)),
      ...checkPolicy(agent, project),
      ...(await checkServers(agent, project)),
      ...(project === null ? [] : checkArtifacts(deps.artifacts(project))),
      ...(await agent.selfTest()),
    ];
  };
}
