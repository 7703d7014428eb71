/** Maximum size of a spec file in bytes. Chosen by planner: specs have a page or two; 4 MiB is an error or attack. */
export const MAX_SPEC_BYTES = 4 * 1024 * 1024;

/** Maximum characters of a frontmatter. Chosen by planner: parsing time grows with it, and no person writes more. */
export const MAX_FRONTMATTER_CHARS = 256 * 1024;

/** Maximum nesting of frontmatter. Chosen by planner: its readers recurse, and no person nests values as deeply. */
export const MAX_FRONTMATTER_DEPTH = 64;

/** Maximum YAML aliases in a frontmatter. Chosen by planner: too few to expand it far (docs/decisions.md#s-07). */
export const MAX_FRONTMATTER_ALIASES = 16;

/** Default number of entries in a list answer. Source: docs/contract/spec-tool.md#limits. */
export const DEFAULT_LIST_LIMIT = 50;

/** Default number of lines in a log answer. Source: docs/contract/spec-tool.md#limits. */
export const DEFAULT_LOG_LINES = 100;

/** Default number of levels that a split may nest. Source: docs/contract/spec-tool.md#limits. */
export const DEFAULT_SPLIT_DEPTH = 3;

/** Maximum log bytes in one answer. Chosen by planner: the next call returns more, and one line stays manageable. */
export const MAX_LOG_ANSWER_BYTES = 1024 * 1024;

/** Number of log bytes read at a time. Chosen by planner: large enough to be fast, and small in memory. */
export const LOG_CHUNK_BYTES = 64 * 1024;

/** Number of bytes at a log's end that are searched for the last run. Chosen by planner: hours of an agent's output. */
export const MAX_RUN_BYTES = 16 * 1024 * 1024;

/**
 * Number of bytes at a log's end that are searched for a run's output. Chosen by planner: they hold an agent's longest
 * answer many times over, and judging takes several times as much memory.
 */
export const MAX_JUDGED_BYTES = 4 * 1024 * 1024;

/** Maximum unknown ids per lint run with a search for the nearest id. Chosen by planner: each compares every id. */
export const MAX_NEAREST_IDS = 100;

/** Maximum ids of a cycle in one message. Chosen by planner: more are not read, and 10,000 messages fill memory. */
export const MAX_CYCLE_IDS = 50;

/** Maximum characters of an output that is compared with a schema. Chosen by planner: no agent writes as much. */
export const MAX_OUTPUT_CHARS = 16 * 1024 * 1024;

/** Maximum size of a schema file in bytes. Chosen by planner: ten times the largest that people write by hand. */
export const MAX_SCHEMA_BYTES = 1024 * 1024;

/** Maximum number of schema files that one schema may reach. Chosen by planner: each file is kept in memory. */
export const MAX_SCHEMA_FILES = 64;

/** Maximum files below `.planner/schemas/` searched for an `$id`. Chosen by planner: more are no schema folder. */
export const MAX_SCHEMA_FOLDER_FILES = 1000;

/** Maximum nesting of an output or schema. Chosen by planner: comparing recurses; the stack holds some thousand. */
export const MAX_JSON_DEPTH = 500;

/** Maximum lines about one output. Chosen by planner: fifty wrong items out of a thousand show what is wrong. */
export const MAX_PROBLEM_LINES = 50;

/** Maximum characters of an output whose problems are all named. Chosen by planner: each takes some 300 bytes. */
export const MAX_LISTED_OUTPUT_CHARS = 1024 * 1024;

/** Maximum time to compare an output with its schema, in ms. Chosen by planner: 16 MiB take a second or two. */
export const OUTPUT_CHECK_LIMIT_MS = 10_000;

/** Maximum ms of a schema pattern's match. Chosen by planner: usual ones take µs. Source: docs/decisions.md#s-17. */
export const PATTERN_LIMIT_MS = 2_000;

/** Maximum characters of a search text. Chosen by planner: engines reject patterns of some ten thousand. */
export const MAX_QUERY_CHARS = 4096;

/** Maximum bytes of a prompt passed as an argument. Chosen by planner: a Windows command line has 32,767 characters. */
export const MAX_PROMPT_ARGUMENT_BYTES = 24 * 1024;

/** Maximum bytes of an agent's line that is kept whole. Chosen by planner: twenty agents stay within 40 MiB. */
export const MAX_AGENT_LINE_BYTES = 2 * 1024 * 1024;

/** Maximum characters kept of the end of an agent's final text. Chosen by planner: answers have a few pages. */
export const MAX_AGENT_OUTPUT_CHARS = 256 * 1024;

/** Maximum characters of a step's description in a log. Chosen by planner: people read it as one line. */
export const MAX_STEP_CHARS = 200;

/** Time in ms in which an agent may end by itself. Chosen by planner: a paused agent ends within ten seconds. */
export const AGENT_GRACE_MS = 5_000;

/** Maximum wait in ms until the process of an ended agent releases its spec. Chosen by planner: a pause ends in ten s. */
export const CLAIM_RELEASE_LIMIT_MS = 4_000;

/** Interval in ms at which a run checks that it still holds its claim. Chosen by planner: below the heartbeat limit. */
export const CLAIM_CHECK_MS = 30_000;

/** Maximum characters appended to `## Output`, from the output's end. Chosen by planner: the log has all of it. */
export const MAX_APPENDED_CHARS = 64 * 1024;

/** Maximum bytes of one context file in a prompt. Chosen by planner: more would drown the task itself. */
export const MAX_CONTEXT_FILE_BYTES = 256 * 1024;

/** Maximum characters of all context files in a prompt. Chosen by planner: agents allow about a million. */
export const MAX_CONTEXT_CHARS = 768 * 1024;
