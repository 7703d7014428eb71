/** Meanings of the settings that a database stores beside the inventory, by name. */
export const SETTING_MEANINGS = {
  revision: "rises with every change; caches follow it",
  readings_revision: "rises with every report that changes a reading",
  time_passed: "time that servers saw pass, and what their clocks showed: readings and replies expire by it",
  notices_revision: "rises with every change of notices",
  notices_seq: "number of the last notice",
  notices_receivers: "names of the receivers of notices",
  notices_lease: "server that sends the notices, and how often it has said so",
  page_token_key: "key that seals page tokens",
  feed_resolved: "how far each change feed has promised to be",
  audit_head: "number and hash of the last entry of the change log",
  audit_since: "the same when a database of version 0.1.0 was taken over",
  audit_base: "hash and Merkle tree of the last archived entry",
  audit_signed: "hash and Merkle tree of the last entry that a checkpoint covers",
  audit_origin: "name under which the log is signed",
} as const;

export type SettingName = keyof typeof SETTING_MEANINGS;

/**
 * Spaces of the documents that a database stores beside the inventory. The change log records the first two; imports
 * have one for each source, `origin:<source>`. A verification names documents of other spaces.
 */
export const DOCUMENT_SPACES = ["window", "device_type", "notice", "notice_state", "reading_finding"] as const;
