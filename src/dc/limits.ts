/** Maximum labels per resource and characters of key and value. Source: docs/contract/datacenter-rules.md#general. */
export const MAX_LABELS = 64;
export const MAX_LABEL_KEY_CHARS = 63;
export const MAX_LABEL_VALUE_CHARS = 255;
/** Maximum number of tags per resource. Our choice: as for labels. */
export const MAX_TAGS = 64;
/** Milliseconds a measurement may lead the server's clock. Source: docs/contract/datacenter-rules.md#general. */
export const MAX_CLOCK_LEAD_MS = 5 * 60 * 1000;
/** Maximum number of items of one bulk call. Source: docs/contract/datacenter-messages.md#bulk-changes. */
export const MAX_BATCH_ITEMS = 1000;
/** Maximum characters of a change message. Source: docs/contract/datacenter-messages.md#common-fields-of-changes. */
export const MAX_CHANGE_MESSAGE_CHARS = 200;
/** Default and maximum page size of a search. Source: docs/rpcs.md#searchdevices. */
export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 1000;
/** Milliseconds to remember a request_id. Source: docs/contract/datacenter-messages.md#common-fields-of-changes. */
export const REQUEST_MEMORY_MS = 24 * 60 * 60 * 1000;
/** Maximum devices that a write reads for load warnings, per call and per item. Our choice: limits a write's cost. */
export const MAX_LOAD_WALK_DEVICES = 250;
export const MAX_LOAD_WALK_PER_ITEM = 5;
/** Maximum values of one filter field. Our choice: more than a user types or selects. */
export const MAX_FILTER_VALUES = 1000;
/** Maximum length of a search text, in characters. Our choice: longer than any text of a device except its comments. */
export const MAX_QUERY_CHARS = 256;
/** Default and maximum number of items in lists of a blast radius. Source: docs/rpcs.md#powerblastradius. */
export const DEFAULT_BLAST_ITEMS = 1000;
export const MAX_BLAST_ITEMS = 10_000;
/** Default and maximum items of preview lists. Our choice: people read the first screen, programs request more. */
export const DEFAULT_PREVIEW_ITEMS = 50;
export const MAX_PREVIEW_ITEMS = 1000;
/** Default and maximum length of a traced path, in devices. Source: docs/rpcs.md#tracecablepath. */
export const DEFAULT_HOPS = 128;
export const MAX_HOPS = 512;
/** Maximum devices on all paths of one reply. Our choice: keeps the reply below the message limit of 16 MiB. */
export const MAX_LISTED_HOPS = 10_000;
/** Maximum number of racks that an error names as examples. Our choice: enough to start a search for the cause. */
export const MAX_PLACEMENT_EXAMPLES = 5;
/** Maximum refused readings in the reply of a report. */
export const MAX_READING_FAILURES = 1000;
/** Time after which a reading that no report renews is removed, in milliseconds: as long as daily figures are kept. */
export const READING_KEPT_MS = 30 * 24 * 60 * 60 * 1000;
/** Default maximum age of a valid reading, in seconds. Source: docs/readings.md#loads. */
export const DEFAULT_READING_AGE_S = 900;
/** Maximum number of meters that a reply lists because they differ from the sum of the meters below them. */
export const MAX_LISTED_DIFFERENCES = 100;
