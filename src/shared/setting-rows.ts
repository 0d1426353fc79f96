import { languages } from './language';
import type { ModelOptions } from './model-parameters';

/** In UTF-16 code units. */
export const maxInstructions = 100_000;

/** Sections of the settings window, in display order. */
export const settingsSections = [
  'appearance',
  'models',
  'usage',
  'instructions',
  'servers',
  'approvals',
  'limits',
  'shortcuts',
  'data',
  'security',
  'about',
] as const;
export type SettingsSection = (typeof settingsSections)[number];

/** Where the settings window shows a setting; a setting without a section is changed elsewhere. */
interface Placed {
  readonly section?: SettingsSection;
  /** macOS has nothing that this setting could change: its window does not show it. */
  readonly notOnMac?: true;
}

export type SettingRow = Placed &
  (
    | { readonly kind: 'switch'; readonly default: boolean }
    | { readonly kind: 'choice'; readonly choices: readonly string[]; readonly default: string }
    | {
        readonly kind: 'number';
        readonly min: number;
        readonly max: number;
        readonly default: number;
        /** The smallest difference between two values; 1 if absent. */
        readonly step?: number;
      }
    | { readonly kind: 'text'; readonly maxLength: number; readonly default: string }
  );

/**
 * One row per simple setting. The row decides how the setting is checked, stored and shown; its texts are
 * `settings.<name>` in the locale files. No schemas here, so that the first paint loads none.
 */
export const settingRows = {
  language: {
    kind: 'choice',
    choices: ['system', ...languages],
    default: 'system',
    section: 'appearance',
  },
  /** The side on which the window begins. */
  direction: { kind: 'choice', choices: ['auto', 'ltr', 'rtl'], default: 'auto', section: 'appearance' },
  theme: { kind: 'choice', choices: ['system', 'light', 'dark'], default: 'system', section: 'appearance' },
  /** Of the whole window, in percent. */
  zoom: { kind: 'number', min: 50, max: 200, default: 100, section: 'appearance' },
  /** Whether the windows show the menu all the time, or only once Alt is pressed. */
  menuBar: {
    kind: 'choice',
    choices: ['shown', 'hidden'],
    default: 'shown',
    section: 'appearance',
    notOnMac: true,
  },
  /** Of messages and code. */
  fontSize: {
    kind: 'choice',
    choices: ['small', 'medium', 'large'],
    default: 'medium',
    section: 'appearance',
  },
  density: {
    kind: 'choice',
    choices: ['comfortable', 'compact'],
    default: 'comfortable',
    section: 'appearance',
  },
  codeTheme: {
    kind: 'choice',
    choices: ['patina', 'vivid', 'plain'],
    default: 'patina',
    section: 'appearance',
  },
  /** How times of day are written. */
  clock: { kind: 'choice', choices: ['system', 'h12', 'h24'], default: 'system', section: 'appearance' },
  /** Whether the system says that a session needs the user, or that long work has ended, while they are away. */
  notifications: { kind: 'switch', default: true, section: 'appearance' },
  /** Whether these notifications play the sound of the system. */
  sound: { kind: 'switch', default: false, section: 'appearance' },
  /** The keys that open a small window for a question, in whatever app the user works. */
  askShortcut: {
    kind: 'choice',
    choices: ['off', 'altSpace', 'modShiftSpace', 'modAltA'],
    default: 'off',
    section: 'shortcuts',
  },
  /** Whether the system tray has an icon of Patina, which then keeps running without a window. */
  tray: { kind: 'switch', default: false, section: 'appearance' },
  /** Whether Ask offers MCP server tools through function calling. */
  toolsInAsk: { kind: 'switch', default: false, section: 'servers' },
  /** When a run in Agent Mode waits for the user. */
  review: { kind: 'choice', choices: ['writes', 'plan', 'none'], default: 'writes' },
  /** An address that has the same files as the host of the offered model; empty: that host. */
  modelMirror: { kind: 'text', maxLength: 500, default: '', section: 'models' },
  /** An HTTP proxy for the download of the offered model; empty: that of the environment. */
  modelProxy: { kind: 'text', maxLength: 500, default: '', section: 'models' },
  /** Whether searches and suggestions also go by meaning, where the sentence encoder is installed. */
  searchByMeaning: { kind: 'switch', default: true, section: 'data' },
  /** US dollars that model calls may cost in a calendar month; 0: no limit. */
  monthlyLimit: { kind: 'number', min: 0, max: 1_000_000, step: 0.01, default: 0, section: 'usage' },
  /** What happens when the month's calls have cost that much. */
  limitAction: { kind: 'choice', choices: ['warn', 'stop'], default: 'warn', section: 'usage' },
  /** What the rail's list is grouped by. */
  sessionGroups: { kind: 'choice', choices: ['day', 'folder'], default: 'day' },
  /** Whether the rail shows what few people use. */
  advancedOpen: { kind: 'switch', default: false },
  railWidth: { kind: 'number', min: 100, max: 10_000, default: 248 },
  inspectorWidth: { kind: 'number', min: 100, max: 10_000, default: 420 },
  inspectorOpen: { kind: 'switch', default: false },
} as const satisfies Readonly<Record<string, SettingRow>>;
export type SettingName = keyof typeof settingRows;

/** The type of the values of a row. */
export type SettingValue<Row extends SettingRow> = Row extends { readonly kind: 'switch' }
  ? boolean
  : Row extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : Row extends { readonly kind: 'number' }
      ? number
      : string;

type SimpleSettings = { [Name in SettingName]: SettingValue<(typeof settingRows)[Name]> };

const simpleDefaults = Object.fromEntries(
  Object.entries(settingRows).map(([name, row]) => [name, row.default]),
) as SimpleSettings;

/** The default of every setting; `settings.ts` has the schemas of those that are not a simple row. */
export const defaultSettings = {
  ...simpleDefaults,
  mode: 'ask' as const,
  model: null,
  project: null,
  lastSessionId: null,
  window: null,
  roles: [] as string[],
  shortcuts: {} as Record<string, string | null>,
  modelOptions: {} as Record<string, ModelOptions>,
  favouriteModels: [] as string[],
  recentModels: [] as string[],
  usedSources: [] as string[],
  ownWindows: [] as string[],
  instructions: '',
  projectInstructions: {} as Record<string, string>,
  instructionFiles: {} as Record<string, string | null>,
};
