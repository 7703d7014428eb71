import { distance } from "fastest-levenshtein";
import { findNearest } from "#kernel/nearest.ts";
import type { PlannerConfig } from "../config/config.ts";
import { MAX_NEAREST_IDS } from "../limits.ts";
import type { OutputVerdict, StrayEntry } from "../ports.ts";
import type { Spec, UnreadableFile } from "../spec/spec.ts";
import { parseParentId, type SpecId } from "../spec/spec_id.ts";
import { type Cycle, findCycles } from "./cycles.ts";

/** Input of the rules, loaded before they run. */
export interface LintInput {
  readonly config: PlannerConfig;
  readonly specs: readonly Spec[];
  /** The files to check that cannot be read. */
  readonly unreadable: readonly UnreadableFile[];
  /** Every id that has a file, active or archived, readable or not. */
  readonly knownIds: ReadonlySet<string>;
  /** Further active specs: at least the transitive `depends_on` of the checked ones. */
  readonly neighbours?: readonly Spec[];
  /** Entries of the specs folder that planner does not read. */
  readonly strays?: readonly StrayEntry[];
  /** Whether completed and cancelled specs get every finding; otherwise only errors and findings about their output. */
  readonly reportsClosedSpecs: boolean;
  /** Results of checking the last run's output, for completed specs with an `output_schema`. */
  readonly outputs?: ReadonlyMap<SpecId, OutputVerdict>;
}

/** Maximum edit distance between a mistyped id and the suggested one. */
const MAX_ID_TYPING_ERRORS = 2;

/** Data about the project, for rules. Each part is computed on first use. */
export class LintWorld {
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

  listCycles(id: SpecId): readonly Cycle[] {
    this.#cycles ??= findCycles(new Map(this.#active.map((spec) => [spec.id as string, spec.dependsOn])));
    return this.#cycles.get(id) ?? [];
  }

  /** Returns whether member files `<id>.<n>` exist. */
  hasMembers(id: SpecId): boolean {
    this.#parents ??= new Set(
      [...this.knownIds].filter((known) => known.includes(".")).map((known) => parseParentId(known as SpecId) ?? ""),
    );
    return this.#parents.has(id);
  }

  /** Returns the known id that is closest to `text`, except that of `spec`; undefined if no id is close. */
  findNearestId(text: string, spec: Spec): string | undefined {
    if (this.#suggested++ >= MAX_NEAREST_IDS) return undefined;
    const others = [...this.knownIds].filter((id) => id !== spec.id);
    const matches = others.filter((id) => id.includes(text));
    if (matches.length === 1) return matches[0];
    const near = findNearest(text, others);
    // Ids of one day differ in few characters, so only a small edit distance indicates a typing error.
    return near !== undefined && distance(text, near) <= MAX_ID_TYPING_ERRORS ? near : undefined;
  }
}
