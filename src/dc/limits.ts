/** Longest comment, in characters. Ours: a note, not a document; keeps rows and change log entries small. */
export const MAX_COMMENT_CHARS = 4096;
/**
 * Longest short text, in characters: names by docs/rpcs.md#device; manufacturer, serial, tenant
 * and the like as those.
 */
export const MAX_TEXT_CHARS = 128;
/** Label pairs per resource and characters of key and value. Source: docs/contract/datacenter-rules.md#general. */
export const MAX_LABELS = 64;
export const MAX_LABEL_KEY_CHARS = 63;
export const MAX_LABEL_VALUE_CHARS = 255;
/** Tags per resource. Ours: as labels. */
export const MAX_TAGS = 64;
/** Ports per device. Ours: the largest patch frames and chassis stay below; keeps one device's write bounded. */
export const MAX_PORTS = 4096;
/**
 * Maximum time by which a measurement can be ahead of the server's clock, in milliseconds. Source:
 * docs/contract/datacenter-rules.md#general.
 */
export const MAX_CLOCK_LEAD_MS = 5 * 60 * 1000;
/** Items of one bulk call. Source: docs/contract/datacenter-messages.md#bulk-changes. */
export const MAX_BATCH_ITEMS = 1000;
/** Longest cable, in metres. Source: docs/contract/datacenter-rules.md#cable. */
export const MAX_CABLE_M = 100_000;
/** Longest change message, in characters. Source: docs/contract/datacenter-messages.md#common-fields-of-changes. */
export const MAX_CHANGE_MESSAGE_CHARS = 200;
/** Default and largest page of a search. Source: docs/rpcs.md#searchdevices. */
export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 1000;
/**
 * How long a request_id is remembered, in milliseconds. Source:
 * docs/contract/datacenter-messages.md#common-fields-of-changes.
 */
export const REQUEST_MEMORY_MS = 24 * 60 * 60 * 1000;
/** Maximum devices that a write reads to warn about loads, per call and per item. Ours: bounds a write's cost. */
export const MAX_LOAD_WALK = 250;
export const MAX_LOAD_WALK_PER_ITEM = 5;
/** Values of one filter field. Ours: a filter is typed or clicked together, not a data set. */
export const MAX_FILTER_VALUES = 1000;
/** Longest text that is searched for, in characters. Ours: longer than any text of a device but its comments. */
export const MAX_QUERY_CHARS = 256;
/** Default and largest list of a blast radius. Source: docs/rpcs.md#powerblastradius. */
export const DEFAULT_ITEMS = 1000;
export const MAX_ITEMS = 10_000;
/** Default and largest list of a preview of changes. Ours: a person reads the first screen, a program asks for more. */
export const DEFAULT_PREVIEW_ITEMS = 50;
export const MAX_PREVIEW_ITEMS = 1000;
/**
 * Default and largest length of a traced path, in devices. Source: docs/rpcs.md#tracecablepath.
 */
export const DEFAULT_HOPS = 128;
export const MAX_HOPS = 512;
/** Devices on all paths of one reply together. Ours: keeps the reply below the 16 MiB that a message may have. */
export const MAX_LISTED_HOPS = 10_000;
/** Inlets, kinds of network ports and ports of a kind of a device to place. Ours: above every device of the type libraries. */
export const MAX_PLACEMENT_INLETS = 16;
export const MAX_PLACEMENT_PORT_KINDS = 16;
export const MAX_PLACEMENT_PORTS = 64;
/** Maximum racks that an error names as examples. Ours: enough to start a search for the cause. */
export const MAX_PLACEMENT_EXAMPLES = 5;
/** Readings of one report, and refused ones that its reply lists. Ours: 100,000 elements in ten calls. */
export const MAX_READINGS = 10_000;
export const MAX_READING_FAILURES = 1000;
/** Time after which a reading that no report renews is removed, in milliseconds: that of its days. */
export const READING_KEPT_MS = 30 * 24 * 60 * 60 * 1000;
/** Age of a reading that still counts, in seconds, unless a request says otherwise. Source: docs/readings.md#loads. */
export const DEFAULT_READING_AGE_S = 900;
/** Meters that a reply lists because they differ from those below them. */
export const MAX_LISTED_DIFFERENCES = 100;
