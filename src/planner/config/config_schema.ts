import { type TObject, Type } from "@sinclair/typebox";
import { FORGES, PROMPT_CHANNELS, RULE_NAMES, RULE_SEVERITIES, STREAM_KINDS } from "./config.ts";

const COUNT_SCHEMA = Type.Optional(Type.Integer({ minimum: 0 }));
const TEXT_SCHEMA = Type.Optional(Type.String({ minLength: 1 }));
const FLAG_SCHEMA = Type.Optional(Type.Boolean());
/** Maximum duration of a check: one day. Bun's timers overflow at 24 days. The limit is planner's own. */
const MAX_LIMIT_SECONDS = 86_400;
/** Maximum number of parallel checks, because more test suites slow each other down. The limit is planner's own. */
const MAX_PARALLEL_CHECKS = 64;
const SCALAR_TYPES = ["string", "boolean", "integer", "number"] as const;

function createLiteralUnion(words: readonly string[]) {
  return Type.Union(words.map((word) => Type.Literal(word)));
}

const FIELD_RULE_SCHEMA = Type.Object({
  type: Type.Optional(createLiteralUnion([...SCALAR_TYPES, "array", "object"])),
  enum: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean()]), { minItems: 1 })),
  items: Type.Optional(createLiteralUnion(SCALAR_TYPES)),
});

// Text that git accepts as the beginning of a branch name and that no program reads as an option, because it has no
// leading dash.
const BRANCH_START_PATTERN = "^(?!.*(?:\\.\\.|//|/\\.|\\.lock(?:/|$)|@\\{))[A-Za-z0-9_][A-Za-z0-9_./@+-]*$";

// Requires a character other than white space. Excludes control characters, because git would cut or refuse the
// message.
const COMMIT_TEMPLATE_PATTERN =
  "^(?=[\\s\\S]*\\S)(?:[^{}\\u0000-\\u0008\\u000b-\\u001f\\u007f]|\\{(?:id|title|summary)\\})+$";

const GIT_SCHEMA = Type.Object({
  commit_template: Type.Optional(
    Type.String({
      pattern: COMMIT_TEMPLATE_PATTERN,
      description: "a text that is not empty, with no other braces than {id}, {title} and {summary}",
    }),
  ),
});

/** Maximum renewal interval: 4 hours. A killed process's claim is stale after 15 hours. The limit is planner's own. */
const MAX_RENEW_MINUTES = 240;

const REMOTE_SCHEMA = Type.Optional(
  Type.String({ pattern: "^[A-Za-z0-9_][A-Za-z0-9_./-]*$", description: "the name of a git remote, as in origin" }),
);

const PULL_REQUEST_SCHEMA = Type.Object({
  remote: REMOTE_SCHEMA,
  upstream: REMOTE_SCHEMA,
  base: Type.Optional(Type.String({ pattern: BRANCH_START_PATTERN, description: "the name of a branch" })),
  forge: Type.Optional(createLiteralUnion(FORGES)),
  records: FLAG_SCHEMA,
});

const CLAIMS_SCHEMA = Type.Object({
  remote: REMOTE_SCHEMA,
  renew_minutes: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: MAX_RENEW_MINUTES,
      description: `a number of minutes above 0, at most ${MAX_RENEW_MINUTES}`,
    }),
  ),
});

const SECONDS_SCHEMA = Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT_SECONDS }));

/** Limits of one run. A spec may set the same limits in its field `limits`. */
export const RUN_LIMIT_SCHEMA = Type.Object({
  run_seconds: SECONDS_SCHEMA,
  silence_seconds: SECONDS_SCHEMA,
  tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  cost_usd: Type.Optional(Type.Number({ minimum: 0 })),
});

// Installed packages and build output cannot be linked, because an install through a link would empty the original
// folder.
const LINKED_PATH_SCHEMA = Type.String({
  pattern:
    "^(?![/\\\\]|[A-Za-z]:|~)(?!(?:.*[/\\\\])?(?:\\.\\.|\\.git|\\.planner|node_modules|\\.?venv|target)(?:[/\\\\]|$))[^\\u0000-\\u001f]+$",
  description: "a path inside the project, and none of node_modules, .venv, venv, target, .git and .planner",
});

const WORKTREE_SCHEMA = Type.Object({
  directory: TEXT_SCHEMA,
  base: Type.Optional(Type.String({ pattern: BRANCH_START_PATTERN, description: "a branch, a tag or a commit" })),
  link: Type.Optional(Type.Array(LINKED_PATH_SCHEMA)),
  symlink: Type.Optional(Type.Array(LINKED_PATH_SCHEMA)),
  setup: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  setup_seconds: SECONDS_SCHEMA,
  copy: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  port: FLAG_SCHEMA,
});

const PROVIDER_SCHEMA = Type.Object({
  command: TEXT_SCHEMA,
  args: Type.Optional(Type.Array(Type.String())),
  prompt_via: Type.Optional(createLiteralUnion(PROMPT_CHANNELS)),
  stream: Type.Optional(createLiteralUnion(STREAM_KINDS)),
  env: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]))),
  skip_permissions: FLAG_SCHEMA,
  limits: Type.Optional(RUN_LIMIT_SCHEMA),
});

const DEFAULTS_SCHEMA = Type.Object({
  resume: FLAG_SCHEMA,
  prompt: TEXT_SCHEMA,
  provider: TEXT_SCHEMA,
  model: TEXT_SCHEMA,
  split_model: TEXT_SCHEMA,
  branch_prefix: Type.Optional(
    Type.String({ pattern: BRANCH_START_PATTERN, description: "the beginning of a branch name" }),
  ),
  main_branch: Type.Optional(Type.String({ pattern: BRANCH_START_PATTERN, description: "the name of a branch" })),
});

const WATCH_SCHEMA = Type.Object({
  poll_interval_ms: Type.Optional(Type.Integer({ minimum: 10 })),
  idle_timeout_minutes: Type.Optional(Type.Number({ minimum: 0 })),
  max_retries: COUNT_SCHEMA,
  retry_delay_ms: COUNT_SCHEMA,
  backoff_multiplier: Type.Optional(Type.Number({ minimum: 1 })),
});

/**
 * Schema of the frontmatter of `.planner/config.md`. Every key is optional. The schema allows unknown keys: a separate
 * walk reports them and suggests the nearest known key.
 *
 * Source: docs/contract/spec-tool.md#configuration; docs/decisions.md#s-11 for the thresholds, docs/decisions.md#s-22
 * for the agents.
 */
export const CONFIG_SCHEMA: TObject = Type.Object({
  project: Type.Optional(Type.Object({ name: TEXT_SCHEMA })),
  defaults: Type.Optional(DEFAULTS_SCHEMA),
  providers: Type.Optional(Type.Record(Type.String(), PROVIDER_SCHEMA)),
  schema: Type.Optional(
    Type.Object({
      spec: Type.Optional(
        Type.Object({
          required: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
          fields: Type.Optional(Type.Record(Type.String(), FIELD_RULE_SCHEMA)),
        }),
      ),
    }),
  ),
  validation: Type.Optional(Type.Object({ strict_output_validation: FLAG_SCHEMA })),
  verify: Type.Optional(
    Type.Object({
      commands: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
      timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT_SECONDS })),
      require_commit: FLAG_SCHEMA,
      parallel: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PARALLEL_CHECKS })),
      require_checks: FLAG_SCHEMA,
      protect: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    }),
  ),
  git: Type.Optional(GIT_SCHEMA),
  claims: Type.Optional(CLAIMS_SCHEMA),
  pr: Type.Optional(PULL_REQUEST_SCHEMA),
  runs: Type.Optional(Type.Object({ commit: FLAG_SCHEMA })),
  worktree: Type.Optional(WORKTREE_SCHEMA),
  limits: Type.Optional(RUN_LIMIT_SCHEMA),
  log: Type.Optional(Type.Object({ max_bytes: Type.Optional(Type.Integer({ minimum: 4096 })) })),
  watch: Type.Optional(WATCH_SCHEMA),
  parallel: Type.Optional(Type.Object({ max: Type.Optional(Type.Integer({ minimum: 1 })) })),
  lint: Type.Optional(
    Type.Object({
      thresholds: Type.Optional(
        Type.Object({
          complexity_criteria: COUNT_SCHEMA,
          complexity_files: COUNT_SCHEMA,
          complexity_words: COUNT_SCHEMA,
          simple_criteria: COUNT_SCHEMA,
          simple_files: COUNT_SCHEMA,
          simple_words: COUNT_SCHEMA,
        }),
      ),
      disable: Type.Optional(Type.Array(createLiteralUnion(RULE_NAMES))),
      severity: Type.Optional(
        Type.Object(
          Object.fromEntries(RULE_NAMES.map((name) => [name, Type.Optional(createLiteralUnion(RULE_SEVERITIES))])),
        ),
      ),
    }),
  ),
});
