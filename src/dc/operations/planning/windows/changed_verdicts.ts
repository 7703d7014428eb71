import { codeKey } from "#dc/model/code.ts";
import { WINDOW_IMPACTS, WINDOW_VERDICTS } from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import type { ListedWindow as Listed } from "#gen/datacenter/v1/messages.ts";
import type { ListedWindow } from "#gen/datacenter/v1/windows_pb.ts";

/** How an open window stands at one state of the inventory, the windows and the clock. The summary may change without the rest. */
export type WindowStanding = Omit<Listed, "window">;

/** Open windows by the key of their code. */
export type WindowStandings = ReadonlyMap<string, WindowStanding & { readonly code: string }>;

/** A window whose verdict, impact or overdue mark changed. One that was not open before, or is not open any more, has none. */
export interface ChangedVerdict {
  readonly code: string;
  readonly was: WindowStanding | undefined;
  readonly is: WindowStanding | undefined;
}

/** What a list of windows says of those that are open. */
export function standingsOf(windows: readonly ListedWindow[]): WindowStandings {
  const found = new Map<string, WindowStanding & { readonly code: string }>();
  for (const { window, verdict, impact, overdue, summary } of windows) {
    const words = { verdict: WINDOW_VERDICTS[verdict - 1], impact: WINDOW_IMPACTS[impact - 1] };
    if (window === undefined || words.verdict === undefined || words.impact === undefined) continue;
    const standing = { verdict: words.verdict, impact: words.impact, overdue, summary };
    found.set(codeKey(window.code), { code: window.code, ...standing });
  }
  return found;
}

/** The verdicts that changed between two states, in the order of codes. */
export function changedVerdicts(before: WindowStandings, after: WindowStandings): readonly ChangedVerdict[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort(compareText);
  return keys.flatMap((key) => {
    const [was, is] = [before.get(key), after.get(key)];
    if (isSame(was, is)) return [];
    return { code: (is ?? was)?.code ?? key, was: was && standingOf(was), is: is && standingOf(is) };
  });
}

function isSame(a: WindowStanding | undefined, b: WindowStanding | undefined): boolean {
  return a?.verdict === b?.verdict && a?.impact === b?.impact && a?.overdue === b?.overdue;
}

function standingOf({ verdict, impact, overdue, summary }: WindowStanding): WindowStanding {
  return { verdict, impact, overdue, summary };
}
