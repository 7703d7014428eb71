/** Largest spec file that is read, in bytes. Ours: a spec is a page or two; 4 MiB is a mistake or an attack. */
export const MAX_SPEC_BYTES = 4 * 1024 * 1024;

/** Largest frontmatter block, in characters. Ours: YAML parsing grows with it, and no person writes as much. */
export const MAX_FRONTMATTER_CHARS = 256 * 1024;

/** Entries of a list answer unless the caller says otherwise. Source: contract, Limits. */
export const DEFAULT_LIST_LIMIT = 50;

/** Lines of a log answer unless the caller says otherwise. Source: contract, Limits. */
export const DEFAULT_LOG_LINES = 100;

/** Levels that a split may nest unless the caller says otherwise. Source: contract, Limits. */
export const DEFAULT_SPLIT_DEPTH = 3;
