/** Largest spec file that is read, in bytes. Ours: a spec is a page or two; 4 MiB is a mistake or an attack. */
export const MAX_SPEC_BYTES = 4 * 1024 * 1024;

/** Largest frontmatter block, in characters. Ours: YAML parsing grows with it, and no person writes as much. */
export const MAX_FRONTMATTER_CHARS = 256 * 1024;

/** Levels of nesting in frontmatter. Ours: readers of it recurse, and no person nests as deeply. */
export const MAX_FRONTMATTER_DEPTH = 64;

/** YAML aliases in one frontmatter. Ours (docs/decisions.md#s-07): so few cannot blow it up, a few are honest use. */
export const MAX_FRONTMATTER_ALIASES = 16;

/** Entries of a list answer unless the caller says otherwise. Source: docs/contract/spec-tool.md#limits. */
export const DEFAULT_LIST_LIMIT = 50;

/** Lines of a log answer unless the caller says otherwise. Source: docs/contract/spec-tool.md#limits. */
export const DEFAULT_LOG_LINES = 100;

/** Levels that a split may nest unless the caller says otherwise. Source: docs/contract/spec-tool.md#limits. */
export const DEFAULT_SPLIT_DEPTH = 3;

/** Most bytes of log in one answer. Ours: what follows comes with the next call, and a client's line stays bearable. */
export const MAX_LOG_ANSWER_BYTES = 1024 * 1024;

/** Bytes of a log that are read at a time. Ours: large enough to be fast, small beside everything else in memory. */
export const LOG_CHUNK_BYTES = 64 * 1024;

/** Bytes at a log's end in which the last run is looked for. Ours: all that an agent prints in hours. */
export const MAX_RUN_BYTES = 16 * 1024 * 1024;

/** Bytes at a log's end in which a run's output is looked for. Ours: an agent's longest answer fits many times over, and judging takes several times as much memory. */
export const MAX_JUDGED_BYTES = 4 * 1024 * 1024;

/** Unknown ids for which one lint run searches the nearest known id. Ours: each search compares every id. */
export const MAX_NEAREST_IDS = 100;

/** Ids of a dependency cycle that one message names. Ours: a longer one is not read, and 10,000 of them fill memory. */
export const MAX_CYCLE_IDS = 50;

/** Longest output that is compared with a schema, in characters. Ours: no agent writes as much. */
export const MAX_OUTPUT_CHARS = 16 * 1024 * 1024;

/** Largest schema file, in bytes. Ours: the largest that people write by hand is a tenth of it. */
export const MAX_SCHEMA_BYTES = 1024 * 1024;

/** Schema files that one schema may reach. Ours: each is read and kept in memory. */
export const MAX_SCHEMA_FILES = 64;

/** Files below `.planner/schemas/` that are looked through for an `$id`. Ours: more are no folder of schemas. */
export const MAX_SCHEMA_FOLDER_FILES = 1000;

/** Levels of nesting in an output or a schema. Ours: comparing them recurses, and the stack holds some thousand levels. */
export const MAX_JSON_DEPTH = 500;

/** Lines about one output. Ours: a list of a thousand wrong items is understood from its first fifty. */
export const MAX_PROBLEM_LINES = 50;

/** Time for comparing one output with its schema, in milliseconds. Ours: 16 MiB take a second or two. */
export const OUTPUT_CHECK_LIMIT_MS = 10_000;

/** Milliseconds for a schema pattern match. Ours: an honest one takes microseconds. Source: docs/decisions.md#s-17. */
export const PATTERN_LIMIT_MS = 2_000;

/** Longest text to search for, in characters. Ours: engines refuse patterns of some ten thousand characters. */
export const MAX_QUERY_CHARS = 4096;

/** Longest prompt that is passed as an argument, in bytes. Ours: Windows takes 32,767 characters in a command line. */
export const MAX_PROMPT_ARGUMENT_BYTES = 24 * 1024;

/** Longest line of an agent's output that is kept whole, in bytes. Ours: twenty agents at once stay within 40 MiB. */
export const MAX_AGENT_LINE_BYTES = 2 * 1024 * 1024;

/** Longest final text of an agent, in characters; of a longer one the end counts. Ours: an answer is a page or a few. */
export const MAX_AGENT_OUTPUT_CHARS = 256 * 1024;

/** Longest description of one step of an agent in a log, in characters. Ours: it is read as one line. */
export const MAX_STEP_CHARS = 200;

/** Time that an agent gets to end by itself, in milliseconds. Ours: a paused one shall be gone within ten seconds. */
export const AGENT_GRACE_MS = 5_000;

/** Longest wait for the process behind an agent that was ended to give its spec up, in milliseconds. Ours: as above, in all. */
export const GIVE_UP_MS = 4_000;

/** Interval at which a run checks that it still holds its claim, in milliseconds. Ours: below the heartbeat limit. */
export const CLAIM_CHECK_MS = 30_000;

/** Longest `## Output` that a run appends, in characters; of a longer one the end counts. Ours: the log has it all. */
export const MAX_APPENDED_CHARS = 64 * 1024;

/** Most bytes of one context file that go into a prompt. Ours: more than that drowns the task itself. */
export const MAX_CONTEXT_FILE_BYTES = 256 * 1024;

/** Most characters of all context files in a prompt. Ours: agents' own limits begin at about a million. */
export const MAX_CONTEXT_CHARS = 768 * 1024;
