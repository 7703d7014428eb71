/** Kinds of servers that have pull requests. */
export const FORGES = ["github", "gitlab"] as const;

export type Forge = (typeof FORGES)[number];
