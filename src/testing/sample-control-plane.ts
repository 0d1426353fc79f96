import type { CommandRow, ControlPlaneView, SourceRow } from '#shared/control-plane';
import type { AgentModeSummary } from '#shared/mode';
import type { ResolverItem, SourceStatus } from '#shared/resolver';

function mode(key: string, displayName: string, isDefault: boolean): AgentModeSummary {
  return {
    id: `${key.toUpperCase()}0000`,
    key,
    displayName,
    description: `${displayName}, for the double.`,
    systemPromptSummary: '',
    isDefault,
    humanRoleHints: [],
    exampleUtterances: [],
  };
}

export const sampleModes: readonly AgentModeSummary[] = [
  mode('general', 'General', true),
  mode('ddr_authoring', 'DDR authoring', false),
];

const ready: SourceStatus = { state: 'ready' };

interface SampleSource {
  readonly id: string;
  readonly displayName: string;
  readonly one: string;
  readonly many: string;
  readonly entityType: string;
  readonly takenBy: string;
}

function source({ id, displayName, one, many, entityType, takenBy }: SampleSource): SourceRow {
  const nouns = { one: [one], many: [many] };
  return {
    id,
    displayName,
    nouns,
    vocabulary: 'curated',
    entityType,
    source: { catalogId: id },
    status: ready,
    takenBy,
  };
}

export const sampleSources: readonly SourceRow[] = [
  source({
    id: 'modes',
    displayName: 'Modes',
    one: 'mode',
    many: 'modes',
    entityType: 'mode',
    takenBy: 'SetMode',
  }),
  source({
    id: 'email_templates',
    displayName: 'Email templates',
    one: 'email template',
    many: 'email templates',
    entityType: 'email_template',
    takenBy: 'SetActiveEmailTemplate',
  }),
  source({
    id: 'personas',
    displayName: 'Personas',
    one: 'persona',
    many: 'personas',
    entityType: 'persona',
    takenBy: 'SetActivePersona',
  }),
  source({
    id: 'mailer_lists',
    displayName: 'Mailer lists',
    one: 'mailer list',
    many: 'mailer lists',
    entityType: 'mailer_list',
    takenBy: 'SendTemplateToMailerList',
  }),
  source({
    id: 'active_focus',
    displayName: 'Focus',
    one: 'focus',
    many: 'focus',
    entityType: 'focus',
    takenBy: 'ReleaseFocus',
  }),
];

type RowChanges = Partial<CommandRow> & Pick<CommandRow, 'commandId' | 'displayName'>;

function command(catalogId: string, changes: RowChanges): CommandRow {
  return {
    commandKind: 'executable',
    resolverSource: { catalogId },
    setsActiveContext: false,
    slashAliases: [],
    requiresConfirmation: false,
    producesSideEffects: false,
    takenBy: changes.commandId,
    ...changes,
  };
}

export const sampleCommands: readonly CommandRow[] = [
  command('modes', {
    commandId: 'SetMode',
    displayName: 'Switch mode',
    description: 'Changes what this session is for.',
    slash: 'mode',
  }),
  command('email_templates', {
    commandId: 'OpenEmailTemplates',
    displayName: 'Open email templates',
    commandKind: 'launcher',
    targetCatalogId: 'email_templates',
    takenBy: 'SetActiveEmailTemplate',
    slash: 'templates',
  }),
  command('email_templates', {
    commandId: 'SetActiveEmailTemplate',
    displayName: 'Work on an email template',
    description: 'Puts a template in focus.',
    setsActiveContext: true,
    activeEntityType: 'email_template',
    slash: 'template',
  }),
  command('personas', {
    commandId: 'SetActivePersona',
    displayName: 'Work on a persona',
    setsActiveContext: true,
    activeEntityType: 'persona',
    slash: 'persona',
  }),
  command('mailer_lists', {
    commandId: 'SendTemplateToMailerList',
    displayName: 'Send to a mailer list',
    description: 'Writes the template in focus to the outbox.',
    requiresConfirmation: true,
    producesSideEffects: true,
    slash: 'send',
  }),
  command('active_focus', {
    commandId: 'ReleaseFocus',
    displayName: 'Stop working on an item',
    slash: 'focus',
  }),
];

export const sampleItems: Readonly<Record<string, readonly ResolverItem[]>> = {
  modes: sampleModes.map(({ key, displayName, description }) => ({
    header: { id: key, displayName },
    description,
    aliases: key === 'ddr_authoring' ? ['ddr'] : [],
    keywords: [],
  })),
  email_templates: [
    {
      header: { id: 'TPL-123', displayName: 'Q1 CFO Outreach' },
      description: 'First touch for finance leads.',
      aliases: ['cfo outreach'],
      keywords: ['finance'],
      relatedEntities: [
        {
          entityType: 'persona',
          header: { id: 'PERS-22', displayName: 'CFO - MidMarket' },
          role: 'audience',
        },
      ],
    },
    { header: { id: 'TPL-124', displayName: 'Renewal reminder' }, aliases: [], keywords: [] },
  ],
  personas: [{ header: { id: 'PERS-22', displayName: 'CFO - MidMarket' }, aliases: [], keywords: [] }],
  mailer_lists: [{ header: { id: 'LIST-9', displayName: 'Q1 pilot list' }, aliases: [], keywords: [] }],
};

/** The enabled features of a mode, named by its Id; null means the default mode. */
export function sampleControlPlane(modeId: string | null): ControlPlaneView {
  const [fallback, ...others] = sampleModes;
  const active = others.find(({ id }) => id === modeId) ?? fallback;
  if (!active) throw new Error('The sample has no mode.');
  return { mode: active, modes: sampleModes, commands: sampleCommands, sources: sampleSources, unlisted: [] };
}
