import { OperationError } from "#kernel/errors.ts";
import type {
  Claim,
  ProcessMark,
  SharedClaimOptions,
  SharedClaimResult,
  SpecClaims,
} from "#planner/run_ports/claims.ts";
import type { PlannerConfig } from "../../config/config.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { KEPT_BY_HAND } from "../../work/claims/claim_text.ts";
import { createCommitWriter } from "../../work/commit_message.ts";
import { readClaimsFile } from "./claims_file.ts";
import { examineClaims } from "./examine_claims.ts";
import { readOtherClaims } from "./others_claims.ts";
import {
  changeRemoteClaim,
  giveUpRemoteClaim,
  type RemoteClaimSettings,
  type RemoteClaimsContext,
  releaseRemoteClaim,
  renewRemoteClaims,
} from "./remote_claims.ts";

/** Number of times per renewal interval at which planner checks whether a renewal is due. */
const CHECKS_PER_RENEWAL = 4;

/** Minimum time between two checks for a due renewal, in milliseconds. */
const MIN_CHECK_INTERVAL_MS = 250;

export interface SharedClaimsOptions {
  readonly root: string;
  readonly local: SpecClaims;
  readonly config: () => Promise<PlannerConfig>;
  readonly isLive: (id: SpecId) => boolean;
}

/**
 * Opens this clone's claims, which other clones see if the settings name a git remote. Within a clone the local claim
 * decides, so a process contacts the remote only while it holds the local claim. Source: docs/claims.md.
 */
export function openSharedClaims(parts: SharedClaimsOptions): SpecClaims {
  const { local } = parts;
  const active = new ActiveClaims(parts);
  return {
    ...local,
    listOtherClaims: async () => listIfShared(await findRemoteContext(parts), readOtherClaims),
    findProblems: async (contact) =>
      listIfShared(await findRemoteContext(parts), (place) => examineClaims(place, contact)),
    changeByHand: (id, deed, wishes) => changeClaimByHand(parts, id, { deed, wishes }),
    async claim(id, processId) {
      const answer = await local.claim(id, processId);
      if (!("claim" in answer)) return answer;
      return { ...answer, claim: new SharedClaim(answer.claim, { parts, active, processId }) };
    },
  };
}

interface ClaimParts {
  readonly parts: SharedClaimsOptions;
  readonly active: ActiveClaims;
  readonly processId: string;
}

class SharedClaim implements Claim {
  readonly id: SpecId;
  readonly #local: Claim;
  readonly #parts: ClaimParts;
  readonly #lost = new AbortController();
  /** Whether the claim stays after the run, because its work is finished but not yet merged at the remote. */
  #isKept = false;

  constructor(local: Claim, parts: ClaimParts) {
    this.id = local.id;
    this.#local = local;
    this.#parts = parts;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get processId(): string {
    return this.#parts.processId;
  }

  markLost(to: string): void {
    this.#lost.abort(`its claim was lost to ${to}, who works on it in another clone`);
  }

  async share({ steal, offline }: SharedClaimOptions): Promise<SharedClaimResult> {
    const { parts, active, processId } = this.#parts;
    const place = await findRemoteContext(parts);
    if (place === null) return { kind: "own", notes: [] };
    const { remote } = place.settings;
    if (offline) {
      const note = `works offline: remote "${remote}" was not asked whether another clone works on the spec`;
      return { kind: "own", notes: [note] };
    }
    const answer = await changeRemoteClaim(place, this.id, { state: "held", processId, steal });
    if (answer.kind !== "own") return answer;
    if (answer.shared) active.addClaim(this, place);
    return { kind: "own", notes: answer.notes };
  }

  async finish({ steal, offline }: SharedClaimOptions): Promise<SharedClaimResult> {
    const { parts, active, processId } = this.#parts;
    const place = await findRemoteContext(parts);
    if (place === null) return { kind: "own", notes: [] };
    // From here on the run's work is finished, so the claim stays, whatever the remote answers.
    this.#isKept = true;
    active.removeClaim(this);
    if (offline) {
      return { kind: "own", notes: [describeSkippedRemote(place)] };
    }
    const answer = await changeRemoteClaim(place, this.id, { state: "done", processId, steal });
    return answer.kind === "own" ? { kind: "own", notes: answer.notes } : answer;
  }

  renew(): Promise<boolean> {
    return this.#local.renew();
  }

  recordAgent(agent: ProcessMark): Promise<boolean> {
    return this.#local.recordAgent(agent);
  }

  /** Releases the local claim first, so that waiters in this clone do not wait for the remote. */
  async release(): Promise<void> {
    const { parts, active, processId } = this.#parts;
    active.removeClaim(this);
    await this.#local.release();
    if (this.#isKept) return;
    try {
      const place = await findRemoteContext(parts);
      if (place !== null) await releaseRemoteClaim(place, this.id, processId);
    } catch (error) {
      // The claim is stored as ended and released with the next call; to other clones it becomes stale after a while.
      if (!(error instanceof OperationError)) throw error;
    }
  }
}

/** The claims of this process, and the timer that renews those of the clone. */
class ActiveClaims {
  readonly #claims = new Set<SharedClaim>();
  readonly #root: string;
  #timer: NodeJS.Timeout | undefined;
  #busy = false;

  constructor({ root }: SharedClaimsOptions) {
    this.#root = root;
  }

  addClaim(claim: SharedClaim, place: RemoteClaimsContext): void {
    this.#claims.add(claim);
    if (this.#timer !== undefined) return;
    const everyMs = Math.max(place.settings.renewMs / CHECKS_PER_RENEWAL, MIN_CHECK_INTERVAL_MS);
    this.#timer = setInterval(() => void this.#renewClaims(place), everyMs);
    this.#timer.unref();
  }

  removeClaim(claim: SharedClaim): void {
    this.#claims.delete(claim);
    if (this.#claims.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #renewClaims(place: RemoteClaimsContext): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      await renewRemoteClaims(place);
    } catch {
      // The active run continues, and the next check tries again.
    } finally {
      this.#busy = false;
    }
    // Another process of this clone may have found the claim lost.
    const own = readClaimsFile(this.#root)?.own;
    for (const claim of this.#claims) {
      const known = own?.get(claim.id);
      if (known?.process === claim.processId && known.lostTo !== null) claim.markLost(known.lostTo);
    }
  }
}

interface ManualClaimChange {
  readonly deed: Parameters<SpecClaims["changeByHand"]>[1];
  readonly wishes: SharedClaimOptions;
}

async function changeClaimByHand(
  parts: SharedClaimsOptions,
  id: SpecId,
  { deed, wishes: { steal, offline } }: ManualClaimChange,
): Promise<SharedClaimResult> {
  const place = await findRemoteContext(parts);
  if (place === null) return { kind: "own", notes: [] };
  if (offline) return { kind: "own", notes: [describeSkippedRemote(place)] };
  if (deed === "give up") return giveUpRemoteClaim(place, id);
  const processId = deed === "keep" ? KEPT_BY_HAND : `${id}-by-hand`;
  const answer = await changeRemoteClaim(place, id, { state: "done", processId, steal });
  return answer.kind === "own" ? { kind: "own", notes: answer.notes } : answer;
}

function describeSkippedRemote({ settings }: RemoteClaimsContext): string {
  return `remote "${settings.remote}" was not asked who may finish the spec`;
}

/** Returns the result of `list`; empty without a remote for claims. */
async function listIfShared<Item>(
  place: RemoteClaimsContext | null,
  list: (place: RemoteClaimsContext) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  return place === null ? [] : list(place);
}

/** Returns the remote's settings with the project; null without a remote for claims. */
async function findRemoteContext({ root, config, isLive }: SharedClaimsOptions): Promise<RemoteClaimsContext | null> {
  const settings = buildRemoteSettings(await config());
  return settings === null ? null : { root, settings, isLive };
}

/** Returns the settings of claims at a remote, or null if the project has none. */
function buildRemoteSettings({ claims, defaults, git }: PlannerConfig): RemoteClaimSettings | null {
  if (claims.remote === null) return null;
  return {
    remote: claims.remote,
    renewMs: claims.renew_minutes * 60_000,
    mainBranch: defaults.main_branch,
    message: (id) => createCommitWriter(git.commit_template, { id, title: null }),
  };
}
