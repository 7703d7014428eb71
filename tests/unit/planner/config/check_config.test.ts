import { expect, test } from "bun:test";
import { checkConfig } from "#planner/config/check_config.ts";
import { DEFAULT_CONFIG, RULE_NAMES } from "#planner/config/config.ts";
import { describeSettings, listSettingPaths } from "#planner/config/describe_settings.ts";

const config = (yaml: string): string => `---\n${yaml}\n---\n\n# Settings\n\nFree text: [\n`;
const errors = (yaml: string): readonly string[] =>
  checkConfig(config(yaml)).errors.map(({ line, column, message }) => `${line}:${column} ${message}`);
const warnings = (yaml: string): readonly string[] =>
  checkConfig(config(yaml)).warnings.map(({ line, column, message }) => `${line}:${column} ${message}`);

test("checkConfig gives the defaults for a file that says nothing", () => {
  for (const text of [
    "",
    "# Settings\n",
    "---\n---\n",
    "---\n# nothing yet\n---\n",
    config("lint:\nschema:\n  spec:"),
  ]) {
    expect(checkConfig(text)).toEqual({ config: DEFAULT_CONFIG, errors: [], warnings: [] });
  }
});

test("checkConfig lays every setting over its default", () => {
  const { config: read } = checkConfig(
    config(
      [
        "project: {name: shop}",
        "defaults: {prompt: careful, provider: mine, model: haiku, split_model: opus, branch_prefix: work-, main_branch: trunk, resume: true}",
        "providers:",
        "  claude: {skip_permissions: true, args: [--max-turns, '50']}",
        "  mine: {command: ./agent, prompt_via: file, stream: text, env: {DEPTH: 3, FAST: true, NAME: a}}",
        "verify: {commands: [npm test], timeout_seconds: 60, require_commit: true}",
        "runs: {commit: true}",
        "claims: {remote: upstream, renew_minutes: 0.5}",
        "pr: {remote: fork, upstream: upstream, base: next, forge: gitlab, records: true}",
        "git: {commit_template: 'AB-1 {summary}'}",
        "worktree: {directory: ../trees, setup: [npm ci], copy: ['.env*'], link: [cache], symlink: [data/big], base: v1, port: true}",
        "limits: {tokens: 1000, cost_usd: 0.5}",
        "log: {max_bytes: 5000}",
        "watch: {poll_interval_ms: 100, idle_timeout_minutes: 0.5, max_retries: 0, retry_delay_ms: 0, backoff_multiplier: 1.5}",
        "parallel: {max: 20}",
        "schema:",
        "  spec:",
        "    required: [status, model, status]",
        "    fields:",
        "      status: {enum: [todo, done]}",
        "      team: {type: string}",
        "validation: {strict_output_validation: true}",
        "lint:",
        "  thresholds: {complexity_words: 300, simple_words: 0}",
        "  disable: [coupling, coupling]",
        "  severity: {title: off}",
      ].join("\n"),
    ),
  );

  expect(read).toEqual({
    project: { name: "shop" },
    defaults: {
      prompt: "careful",
      provider: "mine",
      model: "haiku",
      split_model: "opus",
      branch_prefix: "work-",
      main_branch: "trunk",
      resume: true,
    },
    providers: {
      claude: { skip_permissions: true, args: ["--max-turns", "50"] },
      mine: {
        command: "./agent",
        prompt_via: "file",
        stream: "text",
        env: { DEPTH: "3", FAST: "true", NAME: "a" },
      },
    },
    verify: {
      ...{ commands: ["npm test"], timeout_seconds: 60, require_commit: true },
      ...{ parallel: 1, require_checks: false, protect: [] },
    },
    git: { commit_template: "AB-1 {summary}" },
    runs: { commit: true },
    claims: { remote: "upstream", renew_minutes: 0.5 },
    pr: { remote: "fork", upstream: "upstream", base: "next", forge: "gitlab", records: true },
    worktree: {
      directory: "../trees",
      setup: ["npm ci"],
      setup_seconds: 900,
      copy: [".env*"],
      link: ["cache"],
      symlink: ["data/big"],
      base: "v1",
      port: true,
    },
    limits: { run_seconds: null, silence_seconds: 1200, tokens: 1000, cost_usd: 0.5 },
    log: { max_bytes: 5000 },
    watch: {
      poll_interval_ms: 100,
      idle_timeout_minutes: 0.5,
      max_retries: 0,
      retry_delay_ms: 0,
      backoff_multiplier: 1.5,
    },
    parallel: { max: 20 },
    schema: {
      spec: {
        required: ["status", "model"],
        fields: {
          ...DEFAULT_CONFIG.schema.spec.fields,
          status: { type: "string", enum: ["todo", "done"] },
          team: { type: "string" },
        },
      },
    },
    validation: { strict_output_validation: true },
    lint: {
      thresholds: { ...DEFAULT_CONFIG.lint.thresholds, complexity_words: 300, simple_words: 0 },
      disable: ["coupling"],
      severity: { title: "off" },
    },
  });
});

test("checkConfig lets a field of another type inherit nothing, and compares enum values by their text", () => {
  const { config: read } = checkConfig(
    config("schema:\n  spec:\n    fields:\n      labels: {type: string}\n      size: {type: integer, enum: [1, 2]}"),
  );

  expect(read?.schema.spec.fields).toMatchObject({ size: { type: "integer", enum: ["1", "2"] } });
  expect(read?.schema.spec.fields["labels"]).toEqual({ type: "string" });
});

test("checkConfig names key path, value, expectation and place of a wrong type", () => {
  expect(errors("lint:\n  thresholds:\n    complexity_words: many")).toEqual([
    '4:23 Invalid setting "lint.thresholds.complexity_words": expected a whole number of at least 0, got "many"',
  ]);
  expect(errors("lint: 3")).toEqual(['2:7 Invalid setting "lint": expected keys with values below it, got 3']);
  expect(errors("schema: {spec: {required: status}}")).toEqual([
    '2:27 Invalid setting "schema.spec.required": expected a list, got "status"',
  ]);
  expect(errors("schema: {spec: {required: [[a]]}}")).toEqual([
    '2:28 Invalid setting "schema.spec.required[0]": expected a text that is not empty, got ["a"]',
  ]);
  expect(errors("validation:\n  strict_output_validation: 1")).toEqual([
    '3:29 Invalid setting "validation.strict_output_validation": expected true or false, got 1',
  ]);
  expect(errors("schema: {spec: {fields: {status: {enum: []}}}}")).toEqual([
    '2:41 Invalid setting "schema.spec.fields.status.enum": expected a list that is not empty, got []',
  ]);
});

test("checkConfig refuses numbers that make no sense", () => {
  for (const value of ["-1", "1.5", ".inf", "'3'"]) {
    expect(errors(`lint: {thresholds: {simple_files: ${value}}}`)).toHaveLength(1);
  }
});

test("checkConfig refuses a rule that does not exist and names the nearest", () => {
  expect(errors("lint:\n  disable: [title, couplin]")).toEqual([
    `3:20 Invalid setting "lint.disable[1]": expected one of ${RULE_NAMES.join(", ")}, got "couplin". Did you mean "coupling"?`,
  ]);
});

test("checkConfig refuses settings of agents, watch and branches that cannot work", () => {
  expect(errors("watch: {backoff_multiplier: 0.5}")).toEqual([
    '2:29 Invalid setting "watch.backoff_multiplier": expected a number of at least 1, got 0.5',
  ]);
  expect(errors("parallel: {max: 0}")).toEqual([
    '2:17 Invalid setting "parallel.max": expected a whole number of at least 1, got 0',
  ]);
  for (const seconds of [0, 86_401, 1.5]) {
    expect(errors(`verify: {timeout_seconds: ${seconds}}`)).toEqual([
      `2:27 Invalid setting "verify.timeout_seconds": expected a whole number from 1 to 86400, got ${seconds}`,
    ]);
  }
  expect(errors("providers: {claude: {prompt_via: pipe}}")).toEqual([
    '2:34 Invalid setting "providers.claude.prompt_via": expected one of argument, stdin, file, got "pipe"',
  ]);
  for (const branch of ["-x", "a..b", "a b", "a//b", "/a", "x.lock", "a@{1}", "a~1", "''"]) {
    expect(errors(`defaults: {main_branch: ${branch}}`)).toHaveLength(1);
    expect(errors(`defaults: {branch_prefix: ${branch}}`)).toHaveLength(1);
  }
});

test("checkConfig refuses a pattern that matches no file, because it would protect nothing", () => {
  for (const glob of ["/", "./", "../shared/**", "src/../../x", "!docs/**", "tests\\\\unit\\\\**"]) {
    expect(errors(`verify: {protect: ["tests/**", "${glob}"]}`)).toEqual([
      expect.stringContaining('Invalid setting "verify.protect[1]": expected a pattern such as tests/**, got "'),
    ]);
  }
  const plain = ["tests/**", "./tests", "/Makefile", "*.test.ts", "{a,b}/[!x]*", "[", "{", "src/[id]/page.tsx", "**"];
  expect(errors(`verify: {protect: ${JSON.stringify(plain)}}`)).toEqual([]);
});

test("checkConfig refuses an agent that is neither in the table nor given a command", () => {
  expect(errors("providers:\n  claud: {skip_permissions: true}")).toEqual([
    '3:3 Unknown agent "claud": expected a "command" below it, or one of claude, codex, gemini, cursor-agent, opencode, kiro, qwen, copilot, command. Did you mean "claude"?',
  ]);
  expect(errors("defaults: {provider: min}\nproviders: {mine: {command: x}}")).toEqual([
    '2:22 Invalid setting "defaults.provider": expected one of claude, codex, gemini, cursor-agent, opencode, kiro, qwen, copilot, command, mine, got "min". Did you mean "mine"?',
  ]);
});

test("checkConfig warns of unknown keys at their place and names the nearest, and keeps them out", () => {
  expect(warnings("projct: {name: x}\nlint:\n  threshold: {}\n  thresholds: {wrods: 3}")).toEqual([
    '2:1 Unknown setting "projct". Did you mean "project"?',
    '4:3 Unknown setting "lint.threshold". Did you mean "thresholds"?',
    '5:16 Unknown setting "lint.thresholds.wrods": expected one of complexity_criteria, complexity_files, complexity_words, simple_criteria, simple_files, simple_words',
  ]);
  expect(
    checkConfig(config("schema: {spec: {fields: {a: {type: string, min: 3}}}}")).config?.schema.spec.fields["a"],
  ).toEqual({ type: "string" });
});

test("checkConfig warns of items that have no effect", () => {
  expect(
    warnings("schema:\n  spec:\n    fields:\n      a: {type: string, items: string}\n      b: {items: string}"),
  ).toEqual(['5:25 Setting "schema.spec.fields.a.items" has no effect: expected type array beside it, got string']);
});

test("checkConfig places a broken frontmatter", () => {
  const { config: read, errors: found } = checkConfig("---\nlint:\n  disable: [a\n---\n");

  expect(read).toBeNull();
  expect(found).toMatchObject([{ line: 4, column: 1 }]);
});

test("describeSettings has every setting of the schema and no other", () => {
  const paths = describeSettings().map(({ path }) => path);

  expect(paths.length).toBeGreaterThan(50);
  expect(paths.toSorted()).toEqual([...listSettingPaths()].toSorted());
});
