/** In the order in which they are looked for and repaired: what runs first, then what it left. */
export const TROUBLE_KINDS = [
  "stale_claim",
  "dead_record",
  "stale_watch",
  "git_lock",
  "planted_change",
  "mirror_remote",
  "shared_claims",
  "orphaned_worktree",
  "stranded_spec",
  "broken_config",
  "unreadable_file",
  "leftover_file",
] as const;

export type TroubleKind = (typeof TROUBLE_KINDS)[number];

/** Something that is not as it should be. */
export interface Trouble {
  readonly kind: TroubleKind;
  /** The file, folder or spec that it is about. */
  readonly subject: string;
  readonly message: string;
  /** What a person can do; null where a repair does all there is to do. */
  readonly advice: string | null;
  /**
   * Repairs it and returns a sentence about it, or null if nothing is left to repair. Absent if no repair is safe.
   *
   * @throws OperationError if the repair is no longer possible
   */
  readonly repair?: () => Promise<string | null>;
}
