import type { ConfigProblem } from './app-error';

/** How many rows of each kind a pack has. */
export interface PackCounts {
  readonly catalogs: number;
  readonly commands: number;
  readonly modes: number;
  readonly recipes: number;
  readonly workflows: number;
}

/** A pack as its files say it is. */
export interface PackSummary {
  readonly id: string;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  readonly counts: PackCounts;
  /** Why the pack would be skipped; empty for a valid pack. */
  readonly problems: readonly ConfigProblem[];
}

/** A pack in Patina's folder. */
export interface InstalledPack extends PackSummary {
  /** Whether this start uses it unchanged; otherwise the next start loads it. */
  readonly inUse: boolean;
}

/** The packs in Patina's folder, and those that this start has and the next one will not. */
export interface PackList {
  readonly packs: readonly InstalledPack[];
  readonly removed: readonly string[];
}

/** A pack in a folder that the user chose. */
export interface ChosenPack {
  readonly folder: string;
  readonly pack: PackSummary;
  /** The version that an installation replaces; null for a new pack. */
  readonly replaces: string | null;
}
