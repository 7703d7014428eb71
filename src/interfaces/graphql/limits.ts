// Limits of one GraphQL request. Source: docs/decisions.md#d-03, except where said.

/** Levels of fields. */
export const MAX_DEPTH = 12;
/** Fields that are renamed. */
export const MAX_ALIASES = 30;
/** Tokens of the document. */
export const MAX_TOKENS = 2000;
/** Fields to be answered, those of a page counted once per item. */
export const MAX_COST = 10_000;
/** Bytes of a body, and of one whose operation is a bulk mutation. */
export const MAX_BODY_BYTES = 1024 * 1024;
export const MAX_BULK_BODY_BYTES = 16 * 1024 * 1024;
/** Documents that are kept parsed and validated, and the longest of them in characters. Ours: a client's own queries. */
export const KEPT_DOCUMENTS = 500;
export const MAX_KEPT_CHARS = 20_000;
