import { busyTurn } from '#shared/attention';
import { modelKey } from '#shared/model-parameters';
import { offlineProviderId, type ModelRef, type ProviderModels } from '#shared/model';
import type { ResolverItem, SourceDefinition } from '#shared/resolver';
import { ok } from '#shared/result';
import { lastAnswered } from '#shared/turn-tree';
import { thisItemId, type WindowSubject } from '#shared/window-action';
import type { ItemSource, SourceScope } from '../ports/item-source';

const sessionNouns = {
  one: ['session', 'chat', 'conversation', 'thread'],
  many: ['sessions', 'chats', 'conversations', 'threads'],
};

const define = (
  id: WindowSubject,
  displayName: string,
  nouns: SourceDefinition['nouns'],
  vocabulary: SourceDefinition['vocabulary'] = 'curated',
): SourceDefinition => ({ id, displayName, nouns, vocabulary });

/** What a line can ask the window to act on. */
export const windowDefinitions: readonly SourceDefinition[] = [
  define('this_window', 'This window', { one: ['window'], many: ['windows'] }),
  define('this_session', 'This session', sessionNouns),
  define('last_answer', 'The last answer', {
    one: ['answer', 'reply', 'response', 'message'],
    many: ['answers'],
  }),
  define('work_in_progress', 'Work in progress', { one: ['run'], many: ['runs'] }),
  define('session_title', 'A title for this session', sessionNouns, 'free'),
  define('search_words', 'Words to search for', sessionNouns, 'free'),
];

export const modelsDefinition: SourceDefinition = {
  id: 'models',
  displayName: 'Models',
  nouns: { one: ['model'], many: ['models'] },
  vocabulary: 'curated',
  entityType: 'model',
};

const inSession = ({ sessionId }: SourceScope): boolean => sessionId !== null;

/** Whether a subject is there in a scope. */
const present: Readonly<Record<WindowSubject, (scope: SourceScope) => boolean>> = {
  this_window: () => true,
  this_session: inSession,
  last_answer: ({ state }) => Boolean(state && lastAnswered(state)),
  work_in_progress: ({ state }) => Boolean(state && busyTurn(state)),
  session_title: inSession,
  search_words: () => true,
};

/** The item of a line that names nothing else. */
const thisItem = (displayName: string): ResolverItem => ({
  header: { id: thisItemId, displayName },
  aliases: [],
  keywords: [],
});

/** The single items that window actions apply to. */
export function createWindowSources(): readonly ItemSource[] {
  return windowDefinitions.map((definition) => {
    const isPresent = present[definition.id as WindowSubject];
    return {
      source: { providerId: definition.id },
      definition,
      scopeKey: (scope) => String(isPresent(scope)),
      load: (scope) => Promise.resolve(ok(isPresent(scope) ? [thisItem(definition.displayName)] : [])),
    };
  });
}

/** The family of a model is the first word of its name: `claude` of `claude-sonnet-4-5`. */
const familyOf = (model: string): string | undefined =>
  /^(?:[\w.-]+\/)?([a-z]{3,})(?=[-.:\d])/i.exec(model)?.[1];

const modelsOf = (providers: readonly ProviderModels[]): readonly ModelRef[] =>
  providers.flatMap(({ providerId, models }) => models.map((model) => ({ providerId, model })));

/** A name without any of these reads like an ordinary word, as `production` does: somebody gave it. */
const unlikeWords = /[^\p{L}]/u;

function modelItem(ref: ModelRef): ResolverItem {
  if (ref.providerId === offlineProviderId)
    return { header: { id: modelKey(ref), displayName: 'Offline' }, aliases: [], keywords: [] };
  const family = familyOf(ref.model);
  const bare = ref.model.slice(ref.model.lastIndexOf('/') + 1);
  return {
    header: { id: modelKey(ref), displayName: ref.model },
    description: ref.providerId,
    aliases: [...new Set([bare, ...(family === undefined ? [] : [family])])].filter(
      (name) => name !== ref.model,
    ),
    keywords: [ref.providerId],
    ...(!unlikeWords.test(bare) && { userTitled: true }),
  };
}

export interface ModelLists {
  /** The provider lists loaded so far; requests none. */
  readonly listed: () => readonly ProviderModels[];
  readonly list: () => Promise<readonly ProviderModels[]>;
  readonly onChange: (listener: () => void) => () => void;
}

/**
 * The models that the next lines can use. Only a person who opens the list, or types its slash name, makes
 * providers answer.
 */
export function createModelsSource({ listed, list, onChange }: ModelLists): ItemSource {
  const items = (providers: readonly ProviderModels[]) => ok(modelsOf(providers).map(modelItem));
  return {
    source: { providerId: modelsDefinition.id },
    definition: modelsDefinition,
    scopeKey: () => '',
    load: () => Promise.resolve(items(listed())),
    refresh: async () => items(await list()),
    opensBySlash: true,
    onChange,
  };
}

/** The listed model with this id. */
export const modelWithId = (providers: readonly ProviderModels[], id: string): ModelRef | undefined =>
  modelsOf(providers).find((ref) => modelKey(ref) === id);
