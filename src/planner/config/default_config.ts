import { PRIORITIES } from "../spec/spec.ts";
import type { PlannerConfig } from "./config.ts";

/**
 * Settings used for keys that `.planner/config.md` does not set. The field rules come from the contract's table of spec
 * fields; the thresholds are those that earlier projects of this kind used.
 *
 * Source: docs/contract/spec-tool.md#configuration; docs/decisions.md#s-11.
 */
export const DEFAULT_CONFIG: PlannerConfig = {
  project: { name: null },
  defaults: {
    prompt: null,
    provider: "claude",
    model: null,
    split_model: null,
    branch_prefix: "planner/",
    main_branch: null,
    resume: false,
  },
  providers: {},
  schema: {
    spec: {
      required: ["status"],
      fields: {
        id: { type: "string" },
        status: { type: "string", enum: ["pending", "in_progress", "completed", "failed"] },
        title: { type: "string" },
        type: { type: "string" },
        depends_on: { type: "array", items: "string" },
        labels: { type: "array", items: "string" },
        target_files: { type: "array", items: "string" },
        model: { type: "string" },
        output_schema: { type: "string" },
        priority: { type: "string", enum: PRIORITIES },
        assignee: { type: "string" },
        due: { type: "string" },
      },
    },
  },
  validation: { strict_output_validation: false },
  verify: {
    commands: [],
    timeout_seconds: 600,
    require_commit: false,
    parallel: 1,
    require_checks: false,
    protect: [],
  },
  git: { commit_template: null },
  claims: { remote: null, renew_minutes: 4 },
  pr: { remote: null, upstream: null, base: null, forge: null, records: false },
  runs: { commit: false },
  worktree: {
    directory: null,
    setup: null,
    setup_seconds: 900,
    copy: [],
    link: [],
    symlink: [],
    base: null,
    port: false,
  },
  limits: { run_seconds: null, silence_seconds: 1200, tokens: null, cost_usd: null },
  // The output of one hour of an agent is below 4 MB. Half of the limit is buffered in memory.
  log: { max_bytes: 16_777_216 },
  watch: {
    poll_interval_ms: 5000,
    idle_timeout_minutes: 5,
    max_retries: 3,
    retry_delay_ms: 60_000,
    backoff_multiplier: 2,
  },
  parallel: { max: 8 },
  lint: {
    thresholds: {
      complexity_criteria: 10,
      complexity_files: 5,
      complexity_words: 150,
      simple_criteria: 1,
      simple_files: 1,
      simple_words: 3,
    },
    disable: [],
    severity: {},
  },
};
