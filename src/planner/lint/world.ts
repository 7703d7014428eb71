import { distance } from "fastest-levenshtein";
import { findNearest } from "#kernel/nearest.ts";
import type { PlannerConfig } from "../config/config.ts";
import { MAX_NEAREST_IDS } from "../limits.ts";
import type { OutputVerdict, StrayEntry } from "../ports.ts";
import type { Spec, UnreadableFile } from "../spec/spec.ts";
import { parentOf, type SpecId } from "../spec/spec_id.ts";
import { type Cycle, cyclesOf } from "./cycles.ts";

/** Input of the rules, loaded before they run. */
export interface LintInput {
  readonly config: PlannerConfig;
  readonly specs: readonly Spec[];
  /** The files to judge that cannot be read. */
  readonly unreadable: readonly UnreadableFile[];
  /** Every id that has a file, active or archived, readable or not. */
  readonly knownIds: ReadonlySet<string>;
  /** Further active specs: at least those that the judged ones reach over `depends_on`. */
  readonly neighbours?: readonly Spec[];
  /** What is in the specs folder and is not read. */
  readonly strays?: readonly StrayEntry[];
  /** Whether specs that are completed or cancelled get every finding; else only errors and those about their output. */
  readonly judgesClosed: boolean;
  /** For completed specs with an `output_schema`: what checking the last run's output found. */
  readonly outputs?: ReadonlyMap<SpecId, OutputVerdict>;
}

/** Letters by which a mistyped id may differ from the one that was meant. */
const MOST_SLIPS = 2;

/** Facts about the project around one spec, for rules; each is computed on first use. */
export class World {
  readonly config: PlannerConfig;
  readonly knownIds: ReadonlySet<string>;
  readonly outputs: ReadonlyMap<SpecId, OutputVerdict>;
  readonly #active: readonly Spec[];
  #cycles: ReadonlyMap<string, readonly Cycle[]> | undefined;
  #parents: ReadonlySet<string> | undefined;
  #suggested = 0;

  constructor({ config, specs, knownIds, neighbours = [], outputs = new Map() }: LintInput) {
    this.config = config;
    this.knownIds = knownIds;
    this.outputs = outputs;
    this.#active = [...specs, ...neighbours];
  }

  cycles(id: SpecId): readonly Cycle[] {
    this.#cycles ??= cyclesOf(new Map(this.#active.map((spec) => [spec.id as string, spec.dependsOn])));
    return this.#cycles.get(id) ?? [];
  }

  /** Whether member files `<id>.<n>` exist. */
  hasMembers(id: SpecId): boolean {
    this.#parents ??= new Set(
      [...this.knownIds].filter((known) => known.includes(".")).map((known) => parentOf(known as SpecId) ?? ""),
    );
    return this.#parents.has(id);
  }

  /** The known id that `text` most likely means in a list of `spec`, or undefined when none is near. */
  nearestId(text: string, spec: Spec): string | undefined {
    if (this.#suggested++ >= MAX_NEAREST_IDS) return undefined;
    const others = [...this.knownIds].filter((id) => id !== spec.id);
    const matches = others.filter((id) => id.includes(text));
    if (matches.length === 1) return matches[0];
    const near = findNearest(text, others);
    // Ids of one day are alike by nature: only a slip of the finger is one.
    return near !== undefined && distance(text, near) <= MOST_SLIPS ? near : undefined;
  }
}
