import type { RuleName } from "../config/config_values.ts";
import type { Spec, UnreadableFile } from "../spec/spec.ts";
import type { RuleFinding } from "./finding.ts";
import type { SpecFacts } from "./spec_facts.ts";
import type { LintWorld } from "./world.ts";

/** A lint rule. Both functions are pure and return no finding if nothing is wrong. */
export interface Rule {
  readonly name: RuleName;
  /** Checks a spec that parses. */
  check?(spec: Spec, world: LintWorld, facts: SpecFacts): Iterable<RuleFinding>;
  /** Checks a file that does not parse. */
  checkUnreadable?(file: UnreadableFile): Iterable<RuleFinding>;
}
