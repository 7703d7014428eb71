import type { RuleName } from "../config/config_values.ts";
import type { Spec, UnreadableFile } from "../spec/spec.ts";
import type { RuleFinding } from "./finding.ts";
import type { SpecFacts } from "./spec_facts.ts";
import type { World } from "./world.ts";

/** One rule. Both functions are pure and say nothing where all is well. */
export interface Rule {
  readonly name: RuleName;
  /** Judges a spec that parses. */
  check?(spec: Spec, world: World, facts: SpecFacts): Iterable<RuleFinding>;
  /** Judges a file that does not. */
  checkUnreadable?(file: UnreadableFile): Iterable<RuleFinding>;
}
