// Limits of one GraphQL request. Source: docs/decisions.md#d-03, unless a comment names another.

/** Maximum number of nested levels of fields. */
export const MAX_FIELD_DEPTH = 12;
/** Maximum number of field aliases. */
export const MAX_ALIASES = 30;
/** Maximum length of an alias, which the reply repeats, in characters. Our choice: a person's names are shorter. */
export const MAX_ALIAS_CHARS = 100;
/** Maximum number of tokens of the document. */
export const MAX_TOKENS = 2000;
/** Maximum number of fields to resolve; those of a page count once per item. */
export const MAX_COST = 10_000;
/** Maximum size in bytes of a request body, except that of a bulk mutation. */
export const MAX_QUERY_BODY_BYTES = 1024 * 1024;
/** Maximum size in bytes of the request body of a bulk mutation. */
export const MAX_BULK_BODY_BYTES = 16 * 1024 * 1024;
/** Maximum number of cached documents. Our choice: the queries of one client. */
export const MAX_CACHED_DOCUMENTS = 500;
/** Maximum length of a cached document, in characters. */
export const MAX_CACHED_DOCUMENT_CHARS = 20_000;
