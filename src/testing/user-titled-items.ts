import { createDdrs } from '../core/ddrs/create-ddrs';
import { mergeSeedLayers } from '../core/control-plane/merge-seed-layers';
import { modeItems } from '../core/modes/mode-catalog';
import type { ItemSource } from '../core/ports/item-source';
import { createRecipesSource } from '../core/sources/create-sources';
import { providerDefinitions } from '../core/sources/provider-definitions';
import { createResourcesSource } from '../core/sources/resources-source';
import { createServersSource } from '../core/sources/servers-source';
import { createSessionsSource } from '../core/sources/sessions-source';
import { createModelsSource } from '../core/sources/window-sources';
import { createWorkspaceSources } from '../core/sources/workspace-sources';
import type { ResolverItem } from '#shared/resolver';
import { ok } from '#shared/result';
import { noMarks } from '#shared/session-marks';
import { aMode, catalogRow, inFile, packLayer, seedLayer } from './seed-rows';

type Named = readonly { readonly id: string; readonly title: string }[];

const scope = { sessionId: null, project: '/p' };
const nothing = () => () => undefined;

async function itemsOf(source: Pick<ItemSource, 'load'> | undefined): Promise<readonly ResolverItem[]> {
  const loaded = await source?.load(scope, new AbortController().signal);
  if (!loaded?.ok) throw new Error(JSON.stringify(loaded));
  return loaded.value;
}

/** The items of a pack's catalog, as a start merges them. */
function packItems(catalogId: string, named: Named): readonly ResolverItem[] {
  const items = named.map(({ id, title }) => ({ header: { id, displayName: title } }));
  const row = catalogRow({ catalogId, displayName: catalogId, items });
  const pack = packLayer('team', { catalogs: [inFile(`/home/packs/team/catalogs/${catalogId}.json`, row)] });
  const merged = mergeSeedLayers(seedLayer(), [pack], {
    providers: providerDefinitions,
    checkRecipe: () => [],
  });
  if (!merged.ok) throw new Error(JSON.stringify(merged.error));
  return merged.value.catalogs.find((catalog) => catalog.catalogId === catalogId)?.items ?? [];
}

const ddrText = ({ id, title }: Named[number]): string =>
  [
    ...['---', `id: ${id}`, `tla: ${id.slice(0, 3)}`, `title: ${title}`, 'summary: One of ours.'],
    'status: draft',
    '---',
    '',
    `# ${id}: ${title}`,
    '',
  ].join('\n');

function ddrSource(named: Named): Pick<ItemSource, 'load'> {
  const documents = named.map((one) => ({
    file: `${one.id}.md`,
    origin: 'home' as const,
    text: ddrText(one),
  }));
  const store = { read: () => ok({ documents, problems: [] }), onChange: nothing };
  return createDdrs({
    store: store as unknown as Parameters<typeof createDdrs>[0]['store'],
    userName: () => 'Ada Lovelace',
    localTime: () => '2026-03-04T05:06:07+01:00',
  }).items;
}

function promptPacks(named: Named): Pick<ItemSource, 'load'> | undefined {
  const packs = new Map(named.map(({ id }) => [id, { id, templates: [], context: [] }]));
  const sources = createWorkspaceSources({
    log: { peek: () => ok({ id: 's', project: null, workspace: { active: null, history: [] } }) },
    snapshots: { builtIn: { hash: 'h' }, get: () => ok({ content: { packs, catalogs: new Map() } }) },
    folders: { names: () => ok([]) },
  } as unknown as Parameters<typeof createWorkspaceSources>[0]);
  return sources.find(({ definition }) => definition.id === 'prompt_packs');
}

function modelSource(named: Named): ItemSource {
  const providers = named.map(({ id }) => {
    const [providerId = '', model = ''] = id.split('/');
    return { providerId, name: providerId, source: 'configured' as const, hasKey: true, models: [model] };
  });
  return createModelsSource({
    listed: () => providers,
    list: () => Promise.resolve(providers),
    onChange: nothing,
  });
}

const sessionRows = (named: Named) =>
  named.map(({ id, title }) => ({
    id,
    title,
    turnCount: 1,
    project: null,
    archived: false,
    createdAt: 0,
    updatedAt: 0,
    marks: noMarks,
  }));

const resourceRows = (named: Named) => ({
  servers: () => [],
  resources: () =>
    Promise.resolve(
      ok(named.map(({ id, title }) => ({ server: 's', uri: id, name: title, description: '' }))),
    ),
  read: () => Promise.resolve(ok('')),
  onResourcesChanged: nothing,
});

/** Things that a user or a pack named, by source and id, as the sources of the app list them. */
const lists: Readonly<Record<string, (named: Named) => Promise<readonly ResolverItem[]>>> = {
  ddrs: (named) => itemsOf(ddrSource(named)),
  recipes: (named) =>
    itemsOf(
      createRecipesSource(
        { all: named.map((one) => ({ ...one, params: [] })), version: () => 1 },
        new Set(['count_todos']),
      ),
    ),
  sessions: (named) =>
    itemsOf(createSessionsSource({ summaries: () => ok(sessionRows(named)), subscribe: nothing })),
  modes: (named) =>
    Promise.resolve(
      modeItems(
        named.map(({ id, title }) => aMode({ key: id, displayName: title })),
        new Set(['general']),
      ),
    ),
  mcp_servers: (named) =>
    itemsOf(
      createServersSource(() =>
        ok(
          named.map(
            ({ id }) => ({ server: id, state: 'idle', detail: '', tools: 0, trusted: true }) as const,
          ),
        ),
      ),
    ),
  mcp_resources: (named) =>
    itemsOf(
      createResourcesSource({
        known: () => resourceRows(named),
        open: () => Promise.resolve(resourceRows(named)),
        onChange: nothing,
      }),
    ),
  models: (named) => itemsOf(modelSource(named)),
  prompt_packs: (named) => itemsOf(promptPacks(named)),
};

export async function userTitledItems(
  titles: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<Readonly<Record<string, readonly ResolverItem[]>>> {
  const entries = Object.entries(titles).map(async ([source, byId]) => {
    const named = Object.entries(byId).map(([id, title]) => ({ id, title }));
    return [source, await (lists[source]?.(named) ?? packItems(source, named))] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
