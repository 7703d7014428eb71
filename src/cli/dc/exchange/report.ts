import type { Omission } from "#dc/exchange/item.ts";
import type { Quality } from "#dc/exchange/quality.ts";
import type { ResourceKind } from "#dc/model/resources.ts";
import { KIND_NAMES } from "../kinds.ts";
import type { SyncChange, SyncResult } from "./run_sync.ts";
import type { Unreadable } from "./source_error.ts";

/** Report of an import from a source, as `--report` writes it. */
export interface ImportReport {
  readonly origin: string;
  readonly state: "done" | "tried" | "stopped";
  readonly counts: readonly KindCounts[];
  readonly not_carried: readonly NotCarried[];
  readonly refused: SyncResult["refused"];
  readonly vanished: SyncResult["vanished"];
  readonly unreadable: readonly Unreadable[];
  readonly quality: {
    readonly inlets: number;
    readonly inlets_with_source: number;
    readonly findings: Quality["findings"];
  };
  readonly changes: readonly SyncChange[];
}

export interface KindCounts {
  readonly kind: ResourceKind;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly unchanged: number;
  readonly refused: number;
}

export interface NotCarried {
  readonly reason: string;
  readonly count: number;
  readonly objects: readonly Omit<Omission, "reason">[];
}

export interface ReportParts {
  readonly origin: string;
  readonly dryRun: boolean;
  readonly result: SyncResult;
  readonly omissions: readonly Omission[];
  readonly unreadable: readonly Unreadable[];
  readonly quality: Quality;
}

export function importReport({ origin, dryRun, result, omissions, unreadable, quality }: ReportParts): ImportReport {
  return {
    origin,
    state: result.stopped ? "stopped" : dryRun ? "tried" : "done",
    counts: KIND_NAMES.map((kind) => countsOf(kind, result)).filter(({ kind: _, ...counts }) =>
      Object.values(counts).some((count) => count > 0),
    ),
    not_carried: grouped(omissions),
    refused: result.refused,
    vanished: result.vanished,
    unreadable,
    quality: { inlets: quality.inlets, inlets_with_source: quality.inletsWithSource, findings: quality.findings },
    changes: result.changes,
  };
}

function countsOf(kind: ResourceKind, { changes, unchanged, refused }: SyncResult): KindCounts {
  const of = (action: SyncChange["action"]) =>
    changes.filter((one) => one.kind === kind && one.action === action).length;
  return {
    kind,
    created: of("create"),
    updated: of("update"),
    deleted: of("delete"),
    unchanged: unchanged.get(kind) ?? 0,
    refused: refused.filter((one) => one.kind === kind).length,
  };
}

/** By reason, the most frequent first. */
function grouped(omissions: readonly Omission[]): readonly NotCarried[] {
  const groups = new Map<string, Omission[]>();
  for (const one of omissions) {
    const group = groups.get(one.reason) ?? [];
    groups.set(one.reason, group);
    group.push(one);
  }
  return [...groups]
    .map(([reason, list]) => ({
      reason,
      count: list.reduce((sum, { count = 1 }) => sum + count, 0),
      objects: list.map(({ reason: _, ...rest }) => rest),
    }))
    .toSorted((a, b) => b.count - a.count);
}
